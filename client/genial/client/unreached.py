"""Why nobody was reached at any of a host's addresses, as one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import grpc

from genial.client.errors import (
    GenialError,
    HostUnreachableError,
    IncompatibleHostError,
    TrustError,
)
from genial.client.text import N_, _
from genial.client.trust import no_host

_OTHER_HOST = "OTHER_HOST"


class Outcome(StrEnum):
    """What came of one address, in the words of the list of all that were tried."""

    REFUSED = N_("nobody listens there")
    NO_WAY = N_("no way there from here")
    SILENT = N_("no answer")
    NO_HOST = N_("no Genial host")
    OTHER_HOST = N_("another host")


def outcome_of(failure: GenialError) -> Outcome:
    """What an address's failure comes to."""
    detail = failure.metadata.get("detail", "").lower()
    if failure.reason == _OTHER_HOST:
        return Outcome.OTHER_HOST
    if not isinstance(failure, HostUnreachableError):
        return Outcome.NO_HOST
    if "socket closed" in detail or "http" in detail:
        return Outcome.NO_HOST
    if "refused" in detail:
        return Outcome.REFUSED
    if "unreachable" in detail or "no route" in detail:
        return Outcome.NO_WAY
    return Outcome.SILENT


def other_host(address: str) -> IncompatibleHostError:
    """Another host answers there than the one that was asked for."""
    return IncompatibleHostError(
        _OTHER_HOST,
        code=grpc.StatusCode.NOT_FOUND,
        sentence=_("Another host answers at {address} than the one that was asked for.").format(
            address=address
        ),
    )


def nobody(failures: Sequence[GenialError], tried: Sequence[str], address: str) -> GenialError:
    """The most telling of several failures; else one error that lists what was tried.

    Args:
        failures: One for each address, in that order.
        tried: The addresses, as they can be typed.
        address: The host as it was typed.
    """
    for failure in failures:
        if isinstance(failure, TrustError):
            return failure
    for failure in failures:
        if not isinstance(failure, HostUnreachableError | IncompatibleHostError) and (
            failure.reason != "HOST_FAULT"
        ):
            return failure
    outcomes = [outcome_of(failure) for failure in failures]
    if len(tried) == 1:
        where = address if tried[0] == address else f"{address} ({tried[0]})"
    else:
        attempts = zip(tried, outcomes, strict=True)
        where = f"{address} ({'; '.join(f'{each}: {_(what)}' for each, what in attempts)})"
    if Outcome.NO_HOST in outcomes:
        return no_host(where)
    if Outcome.OTHER_HOST in outcomes:
        return other_host(where)
    if Outcome.REFUSED in outcomes:
        sentence = _(
            "No host listens at {address}; check the port, and whether the host still runs."
        )
    elif set(outcomes) == {Outcome.NO_WAY}:
        sentence = _(
            "There is no way to {address} from here; check that both are in the same network."
        )
    else:
        sentence = _(
            "Nobody answers at {address}; check the address, that the host runs, and that no"
            " firewall is in between."
        )
    advice = _("`genial doctor {address}` looks closer.").format(address=address)
    return HostUnreachableError(
        "UNREACHABLE",
        code=grpc.StatusCode.UNAVAILABLE,
        sentence=f"{sentence.format(address=where)} {advice}",
        detail="; ".join(failure.metadata.get("detail", "") for failure in failures),
    )
