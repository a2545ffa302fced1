"""Rubbish at every door of lobby and bots: a clear refusal, never a fault of the host's own."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from genial.v1 import lobby_service_pb2
from genial.v1 import lobby_service_pb2 as pb
from genial.wire.errors import GenialError, Reason
from genial.wire.metadata import AUTHORIZATION, SEAT_TOKEN, new_seat_token
from genial.wire.reasons import Code
from genial.wire.serving import Call, method_name
from tests.services.lobby.lobbies import (
    Player,
    World,
    people_at_a_table,
    people_in_a_game,
    rid,
    rules,
    world_at,
)

SERVICE = lobby_service_pb2.DESCRIPTOR.services_by_name["LobbyService"]
UNARY = [rpc.name for rpc in SERVICE.methods if not rpc.server_streaming]
CREATORS = ("KickSeat", "LockSeats", "ShelveTable")
"""What only who opened the table may do."""
PEOPLES = (
    *("LeaveTable", "SetReady", "CommitNonce", "RevealNonce", "StartGame", "Rematch"),
    *("ProposeEnd", "PauseClocks", "ResumeTable"),
)
"""What everybody seated may do."""
STREAMING = [rpc.name for rpc in SERVICE.methods if rpc.server_streaming]

TEXTS = (
    "",
    "x" * 100_000,
    "\x00",
    "\x1b]0;owned\x07",
    "\u202e\u200b\ufeff",
    "Z" + "\u0301" * 500,
    "🎲" * 300,
    "../../etc/passwd",
    "' OR 1=1 --",
    "medium",
    "-1",
)
NUMBERS = (0, 1, 2, 3, 7, 200, 201, 2**31 - 1, 2**32 - 1)


class Rubbish:
    """Requests that somebody might send who means no good, now and then with a word of truth."""

    def __init__(self, seed: int, player: Player) -> None:
        self.random = random.Random(seed)
        self.player = player

    def call(self) -> Call:
        token = self.random.choice(
            [self.player.token, self.player.token, "", "x", "ä" * 43, "A" * 43, "A" * 10_000]
        )
        metadata = {SEAT_TOKEN: token} if self.random.random() < 0.8 else {}
        if self.random.random() < 0.1:
            metadata[AUTHORIZATION] = self.random.choice(["", "Bearer ", "Bearer x", "Basic x"])
        return Call(metadata, self.random.choice(["", "ipv4:10.0.0.7:1", "ipv6:%5B::1%5D:1"]))

    def fill(self, message: Message) -> None:
        for field in message.DESCRIPTOR.fields:
            if self.random.random() < 0.2:
                continue
            if field.is_repeated:
                values = getattr(message, field.name)
                for _ in range(self.random.choice([0, 1, 5])):
                    if field.message_type is not None:
                        self.fill(values.add())
                    else:
                        values.append(self.value(field))
            elif field.message_type is not None:
                self.fill(getattr(message, field.name))
            else:
                setattr(message, field.name, self.value(field))

    def value(self, field: Any) -> Any:
        if field.name == "request_id" and self.random.random() < 0.9:
            return rid()
        if field.name == "table_id" and self.random.random() < 0.9:
            return self.player.table_id
        if field.type == FieldDescriptor.TYPE_BOOL:
            return self.random.random() < 0.5
        if field.type == FieldDescriptor.TYPE_BYTES:
            return self.random.randbytes(self.random.choice([0, 31, 32, 33, 5000]))
        if field.type == FieldDescriptor.TYPE_STRING:
            return self.random.choice(TEXTS)
        if field.type in (FieldDescriptor.TYPE_ENUM, FieldDescriptor.TYPE_INT32):
            return self.random.choice([-1, 0, 1, 2, 3, 99])
        return self.random.choice(NUMBERS)


async def ask(world: World, rpc: str, request: Message, call: Call) -> GenialError | None:
    method = getattr(world.handler, method_name(rpc))
    try:
        if rpc in UNARY:
            await method(request, call)
        else:
            stream = method(request, call)
            await anext(stream)
            await stream.aclose()
    except GenialError as refusal:
        return refusal
    return None


@pytest.mark.parametrize("rpc", UNARY + STREAMING)
async def test_rubbish_is_refused_with_a_sentence_and_the_table_stays(
    tmp_path: Path, rpc: str
) -> None:
    descriptor = SERVICE.methods_by_name[rpc]
    async with world_at(tmp_path) as world:
        ana, eva = await people_in_a_game(world, "Ana", "Eva")
        for seed in range(60):
            rubbish = Rubbish(seed, ana)
            request = GetMessageClass(descriptor.input_type)()
            rubbish.fill(request)
            refusal = await ask(world, rpc, request, rubbish.call())
            if refusal is not None:
                assert refusal.code not in (Code.INTERNAL, Code.UNKNOWN), refusal.reason
                assert refusal.sentence.endswith((".", "?", "!"))
                assert len(refusal.sentence) < 500
        assert world.lobby.table(ana.table_id).table.seats[eva.seat].name == "Eva"


def seated_request(rpc: str, table_id: str, **fields: Any) -> Message:
    """Well formed, for the table as it stands."""
    message = GetMessageClass(SERVICE.methods_by_name[rpc].input_type)()
    for name, value in {"request_id": rid(), "table_id": table_id, **fields}.items():
        setattr(message, name, value)
    for name in ("nonce", "nonce_hash"):
        if name in message.DESCRIPTOR.fields_by_name and name not in fields:
            setattr(message, name, b"n" * 32)
    return message


@pytest.mark.parametrize("rpc", [*CREATORS, *PEOPLES])
@pytest.mark.parametrize(
    "token",
    [new_seat_token(), "", "garbage", "+" * 43, "A" * 5000],
    ids=["unknown", "none", "garbage", "no letters", "long"],
)
async def test_who_holds_no_seat_is_told_so_and_not_who_might(
    tmp_path: Path, rpc: str, token: str
) -> None:
    async with world_at(tmp_path) as world:
        ana, _ = await people_at_a_table(world, "Ana", "Eva")
        refusal = await ask(
            world, rpc, seated_request(rpc, ana.table_id), Call({SEAT_TOKEN: token})
        )
        assert refusal is not None
        assert (refusal.code, refusal.reason) == (Code.UNAUTHENTICATED, Reason.BAD_SEAT_TOKEN)
        nobody = await ask(world, rpc, seated_request(rpc, ana.table_id), Call())
        assert nobody is not None
        assert nobody.reason == Reason.SEAT_TOKEN_NEEDED


@pytest.mark.parametrize("rpc", CREATORS)
async def test_somebody_elses_table(tmp_path: Path, rpc: str) -> None:
    async with world_at(tmp_path) as world:
        ana, eva = await people_at_a_table(world, "Ana", "Eva")
        refusal = await ask(world, rpc, seated_request(rpc, ana.table_id), eva.call)
        assert refusal is not None
        assert refusal.reason == Reason.NOT_CREATOR


@pytest.mark.parametrize(
    ("rpc", "field"), [("CommitNonce", "nonce_hash"), ("RevealNonce", "nonce")]
)
@pytest.mark.parametrize("length", [0, 31, 33])
async def test_secrets_of_another_length_are_malformed_at_any_time(
    tmp_path: Path, rpc: str, field: str, length: int
) -> None:
    async with world_at(tmp_path) as world:
        (ana,) = await people_at_a_table(world, "Ana", rules=rules(2))
        request = seated_request(rpc, ana.table_id, **{field: b"n" * length})
        refusal = await ask(world, rpc, request, ana.call)
        assert refusal is not None
        assert (refusal.reason, refusal.metadata["field"]) == (Reason.MALFORMED, field)


async def test_an_open_seat_tells_strangers_nothing(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        (ana,) = await people_at_a_table(world, "Ana", rules=rules(3))
        request = seated_request("KickSeat", ana.table_id, seat=2)
        refusal = await ask(world, "KickSeat", request, Call({SEAT_TOKEN: new_seat_token()}))
        assert refusal is not None
        assert refusal.reason == Reason.BAD_SEAT_TOKEN


async def test_a_request_id_in_capitals_is_the_same(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        (ana,) = await people_at_a_table(world, "Ana", rules=rules(2))
        name = rid()
        first = pb.SendChatRequest(request_id=name, table_id=ana.table_id, text="hello")
        again = pb.SendChatRequest(request_id=name.upper(), table_id=ana.table_id, text="hello")
        answer = await world.handler.send_chat(first, ana.call)
        assert await world.handler.send_chat(again, ana.call) == answer
