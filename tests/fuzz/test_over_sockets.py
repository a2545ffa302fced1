"""A sample of the same rubbish through a real server, with the services of gRPC's own as well."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from genial.v1 import lobby_service_pb2
from tests.fuzz.rubbish import damaged, random_bytes, senseless
from tests.fuzz.target import RPCS
from tests.services.host.hosts import hosting, line_to, local

INPUTS = 400

STANDARD = (
    ("/grpc.health.v1.Health/Check", health_pb2.HealthCheckRequest(service="x"), "unary_unary"),
    ("/grpc.health.v1.Health/Watch", health_pb2.HealthCheckRequest(service="x"), "unary_stream"),
    (
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        reflection_pb2.ServerReflectionRequest(list_services="*"),
        "stream_stream",
    ),
)


async def answer(channel: grpc.aio.Channel, path: str, kind: str, data: bytes) -> str:
    """The code of the answer; that of a stream once its first message has come."""
    try:
        if kind == "unary_unary":
            method: Any = channel.unary_unary(path)
            await method(data, timeout=20)
        else:
            method = getattr(channel, kind)(path)
            stream = method(data if kind == "unary_stream" else iter([data]), timeout=20)
            await stream.read()
            code = None if not stream.done() else await stream.code()
            stream.cancel()
            return "OK" if code is None else str(code.name)
    except grpc.aio.AioRpcError as error:
        return error.code().name
    return "OK"


async def test_rubbish_over_real_sockets(tmp_path: Path) -> None:
    source = random.Random("sockets")
    calls = [
        (f"/{rpc.containing_service.full_name}/{rpc.name}", GetMessageClass(rpc.input_type)(), kind)
        for rpc in RPCS
        for kind in ("unary_stream" if rpc.server_streaming else "unary_unary",)
    ]
    answers: Counter[str] = Counter()
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        for number in range(INPUTS):
            path, message, kind = source.choice(STANDARD if number % 4 == 0 else calls)
            copy = type(message)()
            copy.CopyFrom(message)
            data = senseless(copy, source).SerializeToString()
            data = source.choice((random_bytes(source), damaged(data, source), data))
            async with asyncio.timeout(30):
                code = await answer(line.channel, path, kind, data)
            assert code not in ("UNKNOWN", "INTERNAL"), f"{path} answered {code} to {data.hex()}"
            answers[code] += 1
        host = await line.lobby.GetHost(lobby_service_pb2.GetHostRequest())
        assert host.host.name == "Test host"
    assert answers["INVALID_ARGUMENT"] > INPUTS // 10
