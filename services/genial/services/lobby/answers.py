"""The first answer to every command, for when it is sent again (contract, "Conventions")."""

from __future__ import annotations

import hashlib

from google.protobuf.message import Message

from genial.services.lobby.store import Answer, LobbyStore
from genial.wire.errors import used_before


async def known_answer(
    store: LobbyStore,
    scope: str,
    token_hash: bytes | None,
    request_id: str,
    request: Message,
) -> bytes | None:
    """The serialised first answer to a request, or None if it is new.

    Args:
        store: Where answers are kept.
        scope: The table's id; empty for CreateTable.
        token_hash: The caller's; each caller has request ids of its own.
        request_id: The request's, in canonical writing.
        request: The whole request.

    Raises:
        GenialError: MALFORMED, when the id was used for something else.
    """
    known = await store.answer_to(scope, token_hash or b"", request_id)
    if known is None:
        return None
    if (known.method, known.request) != (_method(request), _digest(request)):
        raise used_before()
    return known.response


def answer_of(
    scope: str,
    token_hash: bytes | None,
    request_id: str,
    request: Message,
    response: Message,
    now: int,
) -> Answer:
    """What is to be remembered of a request and its answer."""
    return Answer(
        scope,
        token_hash or b"",
        request_id,
        _method(request),
        _digest(request),
        response.SerializeToString(),
        now,
    )


def _method(request: Message) -> str:
    return request.DESCRIPTOR.name.removesuffix("Request")


def _digest(request: Message) -> bytes:
    # What it is looked up by may be written in several ways.
    request = type(request).FromString(request.SerializeToString())
    request.ClearField("request_id")
    return hashlib.sha256(request.SerializeToString(deterministic=True)).digest()
