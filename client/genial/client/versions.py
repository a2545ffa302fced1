"""A host and a client of different versions: what works, and who is to upgrade.

Within `v1` an older end ignores what it does not know. Where that will not do (a call that an
older host has not, a message that an older client cannot read, an option that was passed over)
the person is told which of the two to upgrade, from which version.
"""

from __future__ import annotations

import re
from typing import Final

import grpc
from google.protobuf.message import Message

from genial.client.errors import IncompatibleHostError
from genial.client.text import _, printable
from genial.v1.table_pb2 import Host
from genial.wire.announcement import PROTOCOL
from genial.wire.errors import GenialError, Reason
from genial.wire.version import SOFTWARE

_PROTOCOL: Final = re.compile(r"v(\d{1,4})", re.ASCII)
_SOFTWARE: Final = re.compile(r"genial-lan (\d{1,4})\.(\d{1,4})\.(\d{1,4})(.*)", re.ASCII)
_SHOWN: Final = 40
_SHOWN_SHORT: Final = 8

_MISUNDERSTOOD: Final = (Reason.MALFORMED, Reason.NOT_OFFERED, Reason.UNKNOWN_BOT_LEVEL)
"""Reasons that between two versions are mostly no fault of anybody's."""


def protocol_fault(protocol: str, software: str, where: str) -> IncompatibleHostError | None:
    """Why a host of that protocol cannot be spoken with; None: it can.

    Args:
        protocol: As the host tells it, like "v1".
        software: As the host tells it.
        where: The host, for the sentence.
    """
    if protocol == PROTOCOL:
        return None
    theirs, ours = _PROTOCOL.fullmatch(protocol), _PROTOCOL.fullmatch(PROTOCOL)
    if theirs is None or ours is None:
        sentence = _(
            "The host at {where} speaks {theirs} and this client {ours}; upgrade both to the"
            " newest version."
        )
    elif int(theirs[1]) > int(ours[1]):
        sentence = _(
            "The host at {where} ({software}) speaks version {theirs}, this client ({client})"
            " only {ours}; upgrade this client."
        )
    else:
        sentence = _(
            "The host at {where} ({software}) speaks version {theirs}, this client ({client})"
            " needs {ours}; the host has to be upgraded."
        )
    return IncompatibleHostError(
        "PROTOCOL",
        code=grpc.StatusCode.UNIMPLEMENTED,
        sentence=sentence.format(
            where=where,
            software=printable(software, _SHOWN),
            client=SOFTWARE,
            theirs=printable(protocol, _SHOWN),
            ours=PROTOCOL,
        ),
    )


def protocol_hint(protocol: str) -> str:
    """The same in a few words, for a row of a list; empty when it can be spoken with.

    Args:
        protocol: As the host announces it, like "v1".
    """
    if protocol == PROTOCOL:
        return ""
    theirs, ours = _PROTOCOL.fullmatch(protocol), _PROTOCOL.fullmatch(PROTOCOL)
    if theirs is None or ours is None:
        words = _("speaks {theirs}: upgrade both")
    elif int(theirs[1]) > int(ours[1]):
        words = _("speaks {theirs}: upgrade this client")
    else:
        words = _("speaks {theirs}: the host is too old")
    return words.format(theirs=printable(protocol, _SHOWN_SHORT))


def who_is_older(software: str, ours: str = SOFTWARE) -> str:
    """Which of the two is to be upgraded, as a sentence; empty if nobody can tell.

    Args:
        software: The host's, like "genial-lan 1.2.0".
        ours: This client's.
    """
    host, client = _SOFTWARE.fullmatch(software), _SOFTWARE.fullmatch(ours)
    if host is None or client is None:
        return ""
    theirs = tuple(int(host[n]) for n in (1, 2, 3))
    mine = tuple(int(client[n]) for n in (1, 2, 3))
    if theirs == mine:
        return ""
    sentence = (
        _("The host runs {software}, older than this client ({client}): upgrade the host.")
        if theirs < mine
        else _("The host runs {software}, newer than this client ({client}): upgrade this client.")
    )
    return sentence.format(software=printable(software, _SHOWN), client=ours)


def explained(error: GenialError, host: Host) -> GenialError:
    """The same error; where different versions may be its cause, with what to upgrade."""
    if error.reason not in _MISUNDERSTOOD:
        return error
    advice = who_is_older(host.software)
    if not advice or advice in error.sentence:
        return error
    return type(error)(
        error.reason,
        code=error.code,
        sentence=f"{error.sentence} {advice}",
        metadata=error.metadata,
    )


def passed_over(asked: Message, given: Message, path: str = "") -> list[str]:
    """Fields that were asked for and did not come to be: the host does not know them.

    Args:
        asked: What was sent.
        given: What the host made of it.
        path: Of the message, for the names.
    """
    missing: list[str] = []
    for field, value in asked.ListFields():
        name = f"{path}{field.name}"
        if field.message_type is not None and not field.is_repeated:
            missing += passed_over(value, getattr(given, field.name), f"{name}.")
        elif getattr(given, field.name) != value:
            missing.append(name)
    return missing
