"""The catalogue of errors, and their way over gRPC."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from hypothesis import given
from hypothesis import strategies as st

from genial.engine.refusal import Refusal, Refused
from genial.wire.errors import (
    DETAILS_KEY,
    DOMAIN,
    GenialError,
    from_rpc_error,
    malformed,
    status_details,
)
from genial.wire.reasons import Reason, code_of, parse_reason, placeholders_of

EVERY_TEST = "\n".join(
    path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("*.py")
)
EVERY_REASON: list[Reason | Refusal] = [*Reason, *Refusal]
ALLOWED = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.DATA_LOSS,
}


def received(error: GenialError) -> grpc.aio.AioRpcError:
    """What a client of grpc.aio raises for an error that a host has sent."""
    return grpc.aio.AioRpcError(
        error.code,
        grpc.aio.Metadata(),
        grpc.aio.Metadata(("other", "text"), (DETAILS_KEY, status_details(error))),
        error.sentence,
    )


@pytest.mark.parametrize("reason", EVERY_REASON)
def test_every_reason_has_a_code_and_a_sentence_and_travels_whole(
    reason: Reason | Refusal,
) -> None:
    metadata = {name: f"<{name}>" for name in placeholders_of(reason)}
    error = GenialError(reason, metadata=metadata)
    own = reason is Reason.HOST_FAULT
    assert code_of(reason) in ALLOWED or own
    assert re.fullmatch(r"[A-Z<].*[.]", error.sentence), error.sentence
    assert "{" not in error.sentence
    assert "?" not in error.sentence
    for value in metadata.values():
        assert value in error.sentence
    assert from_rpc_error(received(error)) == error
    assert pickle.loads(pickle.dumps(error)) == error


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_is_looked_for_by_a_test_that_reaches_it(reason: Reason) -> None:
    assert re.search(rf'Reason\.{reason}\b|"{reason}"', EVERY_TEST), reason


def test_no_name_means_two_things() -> None:
    assert len({str(reason) for reason in EVERY_REASON}) == len(EVERY_REASON)
    assert {str(reason): parse_reason(str(reason)) for reason in EVERY_REASON} == {
        str(reason): reason for reason in EVERY_REASON
    }
    assert parse_reason("NEVER_HEARD_OF") is None


def test_rule_refusals_are_failed_preconditions() -> None:
    codes = {code_of(refusal) for refusal in Refusal if refusal is not Refusal.NO_SUCH_SEAT}
    assert codes == {grpc.StatusCode.FAILED_PRECONDITION}
    assert code_of(Reason.STALE_REVISION) is grpc.StatusCode.ABORTED
    assert code_of(Reason.BAD_SEAT_TOKEN) is grpc.StatusCode.UNAUTHENTICATED
    assert code_of(Reason.NOT_YOUR_SEAT) is grpc.StatusCode.PERMISSION_DENIED
    assert code_of(Reason.UNKNOWN_GAME) is grpc.StatusCode.NOT_FOUND


def test_the_engines_refusal_keeps_its_metadata() -> None:
    error = GenialError.from_refused(Refused(Refusal.CELL_OCCUPIED, cell="H8"))
    assert error.reason == "CELL_OCCUPIED"
    assert error.sentence == "H8 is taken; choose two free cells."
    assert from_rpc_error(received(error)).metadata == {"cell": "H8"}


def test_a_malformed_request_names_its_field() -> None:
    error = malformed("cells[0].q", "is no number")
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert error.metadata == {"field": "cells[0].q", "fault": "is no number"}
    assert "cells[0].q" in error.sentence


def test_what_callers_send_back_at_them_is_cut() -> None:
    error = malformed("name", "x" * 100_000)
    assert len(status_details(error)) < 1500


def test_a_reason_of_a_newer_host_keeps_its_words() -> None:
    newer = GenialError(
        "MOON_IN_THE_WAY",
        code=grpc.StatusCode.FAILED_PRECONDITION,
        sentence="The moon is in the way; wait.",
        metadata={"reason": "eclipse", "code": "7", "sentence": "x", "self": "y"},
    )
    assert from_rpc_error(received(newer)) == newer


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (grpc.StatusCode.UNAVAILABLE, Reason.UNREACHABLE),
        (grpc.StatusCode.DEADLINE_EXCEEDED, Reason.TIMED_OUT),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, Reason.MESSAGE_TOO_LARGE),
        (grpc.StatusCode.UNIMPLEMENTED, Reason.NOT_OFFERED),
        (grpc.StatusCode.UNKNOWN, Reason.HOST_FAULT),
        (grpc.StatusCode.INTERNAL, Reason.HOST_FAULT),
    ],
)
def test_what_grpc_itself_refuses_has_a_sentence_too(code: grpc.StatusCode, reason: Reason) -> None:
    bare = grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), "Socket closed")
    error = from_rpc_error(bare)
    assert (error.reason, error.code) == (reason, code)
    assert error.metadata["detail"] == "Socket closed"
    assert error.sentence


@given(st.binary(max_size=100))
def test_details_that_are_none_of_ours_do_no_harm(details: bytes) -> None:
    bare = grpc.aio.AioRpcError(
        grpc.StatusCode.ABORTED, grpc.aio.Metadata(), grpc.aio.Metadata((DETAILS_KEY, details)), ""
    )
    assert from_rpc_error(bare).code is grpc.StatusCode.ABORTED


def test_details_of_another_domain_are_not_ours() -> None:
    status = status_pb2.Status(code=9, message="theirs")
    status.details.add().Pack(error_details_pb2.ErrorInfo(reason="GAME_OVER", domain="example.org"))
    bare = grpc.aio.AioRpcError(
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.aio.Metadata(),
        grpc.aio.Metadata((DETAILS_KEY, status.SerializeToString())),
        "theirs",
    )
    assert DOMAIN == "genial"
    assert from_rpc_error(bare).reason != "GAME_OVER"
