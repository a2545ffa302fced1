"""Everything that a call can be refused for, in one catalogue.

kind                           code                 reasons
  the engine's refusals        FAILED_PRECONDITION  genial.engine.refusal.Refusal
  malformed                    INVALID_ARGUMENT     MALFORMED NO_SUCH_SEAT UNKNOWN_BOT_LEVEL
  unknown                      NOT_FOUND            UNKNOWN_TABLE UNKNOWN_GAME
  who are you                  UNAUTHENTICATED      SEAT_TOKEN_NEEDED BAD_SEAT_TOKEN
                                                    HOST_PASSWORD_NEEDED BAD_HOST_PASSWORD
                                                    BAD_SERVICE_SECRET
  not yours                    PERMISSION_DENIED    NOT_YOUR_SEAT NOT_CREATOR
                                                    SPECTATORS_FORBIDDEN BAD_TABLE_PASSWORD
                                                    SENT_AWAY
  out of date                  ABORTED              STALE_REVISION
  not in this state            FAILED_PRECONDITION  TABLE_… SEAT_… GAME_… DEAL_…, and others
  over a limit                 RESOURCE_EXHAUSTED   TOO_MANY_… MESSAGE_TOO_LARGE HOST_FULL
                                                    STORAGE_FULL
  lost                         DATA_LOSS            GAME_DAMAGED
  host or line down            UNAVAILABLE          HOST_CLOSING HOST_DRAINING SERVICE_DOWN
                                                    STORAGE_FAILED UNREACHABLE
  too slow                     DEADLINE_EXCEEDED    TIMED_OUT
  not built                    UNIMPLEMENTED        NOT_OFFERED
  a fault of the host's own    INTERNAL             HOST_FAULT
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import grpc

from genial.engine.refusal import SENTENCES, Refusal

Code = grpc.StatusCode


class Reason(StrEnum):
    """Reasons of the services' own, beside the engine's `Refusal`s."""

    MALFORMED = "MALFORMED"
    UNKNOWN_BOT_LEVEL = "UNKNOWN_BOT_LEVEL"

    UNKNOWN_TABLE = "UNKNOWN_TABLE"
    UNKNOWN_GAME = "UNKNOWN_GAME"

    SEAT_TOKEN_NEEDED = "SEAT_TOKEN_NEEDED"
    BAD_SEAT_TOKEN = "BAD_SEAT_TOKEN"
    HOST_PASSWORD_NEEDED = "HOST_PASSWORD_NEEDED"
    BAD_HOST_PASSWORD = "BAD_HOST_PASSWORD"
    BAD_SERVICE_SECRET = "BAD_SERVICE_SECRET"

    NOT_YOUR_SEAT = "NOT_YOUR_SEAT"
    NOT_CREATOR = "NOT_CREATOR"
    SPECTATORS_FORBIDDEN = "SPECTATORS_FORBIDDEN"
    BAD_TABLE_PASSWORD = "BAD_TABLE_PASSWORD"
    SENT_AWAY = "SENT_AWAY"

    STALE_REVISION = "STALE_REVISION"

    TABLE_NOT_OPEN = "TABLE_NOT_OPEN"
    TABLE_NOT_DEALING = "TABLE_NOT_DEALING"
    TABLE_NOT_ACTIVE = "TABLE_NOT_ACTIVE"
    TABLE_NOT_SHELVED = "TABLE_NOT_SHELVED"
    TABLE_CLOSED = "TABLE_CLOSED"
    TABLE_FULL = "TABLE_FULL"
    SEATS_LOCKED = "SEATS_LOCKED"
    SEAT_TAKEN = "SEAT_TAKEN"
    SEAT_OPEN = "SEAT_OPEN"
    SEAT_NOT_A_BOT = "SEAT_NOT_A_BOT"
    WRONG_DEAL = "WRONG_DEAL"
    NONCE_GIVEN = "NONCE_GIVEN"
    NONCE_TOO_EARLY = "NONCE_TOO_EARLY"
    NONCE_MISMATCH = "NONCE_MISMATCH"
    GAME_RUNNING = "GAME_RUNNING"
    GAME_DIFFERENT = "GAME_DIFFERENT"
    GAME_DAMAGED = "GAME_DAMAGED"
    NO_GAME_YET = "NO_GAME_YET"
    NO_CLOCK = "NO_CLOCK"
    GAME_FROZEN = "GAME_FROZEN"
    CHAT_CLOSED = "CHAT_CLOSED"
    BOT_FAILED = "BOT_FAILED"

    TOO_MANY_TABLES = "TOO_MANY_TABLES"
    TOO_MANY_WATCHERS = "TOO_MANY_WATCHERS"
    TOO_MANY_CALLS = "TOO_MANY_CALLS"
    TOO_MANY_STREAMS = "TOO_MANY_STREAMS"
    TOO_MANY_GUESSES = "TOO_MANY_GUESSES"
    TOO_MANY_MESSAGES = "TOO_MANY_MESSAGES"
    TOO_MANY_BOTS = "TOO_MANY_BOTS"
    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    HOST_FULL = "HOST_FULL"
    STORAGE_FULL = "STORAGE_FULL"

    HOST_CLOSING = "HOST_CLOSING"
    HOST_DRAINING = "HOST_DRAINING"
    SERVICE_DOWN = "SERVICE_DOWN"
    STORAGE_FAILED = "STORAGE_FAILED"
    UNREACHABLE = "UNREACHABLE"
    TIMED_OUT = "TIMED_OUT"
    NOT_OFFERED = "NOT_OFFERED"
    HOST_FAULT = "HOST_FAULT"


_CATALOGUE: Final[dict[Reason, tuple[Code, str]]] = {
    Reason.MALFORMED: (Code.INVALID_ARGUMENT, "{field}: {fault}."),
    Reason.UNKNOWN_BOT_LEVEL: (
        Code.INVALID_ARGUMENT,
        "There is no bot level {level}; choose one of {levels}.",
    ),
    Reason.UNKNOWN_TABLE: (
        Code.NOT_FOUND,
        "There is no table {table} at this host; look at the list of tables.",
    ),
    Reason.UNKNOWN_GAME: (
        Code.NOT_FOUND,
        "There is no game {game} at this host; look at the list of games.",
    ),
    Reason.SEAT_TOKEN_NEEDED: (
        Code.UNAUTHENTICATED,
        "This call is for seated players; take a seat first and send its token.",
    ),
    Reason.BAD_SEAT_TOKEN: (
        Code.UNAUTHENTICATED,
        "Your token holds no seat here; take a seat first, or leave the token out to watch.",
    ),
    Reason.HOST_PASSWORD_NEEDED: (
        Code.UNAUTHENTICATED,
        "This host asks for a password; ask its owner and send it.",
    ),
    Reason.BAD_HOST_PASSWORD: (
        Code.UNAUTHENTICATED,
        "That is not the password of this host; ask its owner.",
    ),
    Reason.BAD_SERVICE_SECRET: (
        Code.UNAUTHENTICATED,
        "This call is for the host's own services; give them the same secret in their settings.",
    ),
    Reason.NOT_YOUR_SEAT: (
        Code.PERMISSION_DENIED,
        "Seat {seat} is not yours; your token holds seat {own}.",
    ),
    Reason.NOT_CREATOR: (
        Code.PERMISSION_DENIED,
        "Only the player who opened this table may do that; ask them.",
    ),
    Reason.SPECTATORS_FORBIDDEN: (
        Code.PERMISSION_DENIED,
        "This table admits no spectators; take a seat to see it.",
    ),
    Reason.BAD_TABLE_PASSWORD: (
        Code.PERMISSION_DENIED,
        "That is not the password of this table; ask who opened it.",
    ),
    Reason.SENT_AWAY: (
        Code.PERMISSION_DENIED,
        "You were sent away from this table; choose another one.",
    ),
    Reason.STALE_REVISION: (
        Code.ABORTED,
        "The game has moved on to revision {revision}; look again and repeat what still applies.",
    ),
    Reason.TABLE_NOT_OPEN: (
        Code.FAILED_PRECONDITION,
        "A game is being dealt or played at this table; wait until it is over.",
    ),
    Reason.TABLE_NOT_DEALING: (
        Code.FAILED_PRECONDITION,
        "Nothing is being dealt at this table; wait until everybody is ready.",
    ),
    Reason.TABLE_NOT_ACTIVE: (
        Code.FAILED_PRECONDITION,
        "No game is running at this table; get ready to start one.",
    ),
    Reason.TABLE_NOT_SHELVED: (
        Code.FAILED_PRECONDITION,
        "This table is not put away, so there is nothing to resume.",
    ),
    Reason.TABLE_CLOSED: (
        Code.FAILED_PRECONDITION,
        "This table is closed; open another or join one from the list.",
    ),
    Reason.TABLE_FULL: (
        Code.FAILED_PRECONDITION,
        "All seats of this table are taken; choose another table or watch this one.",
    ),
    Reason.SEATS_LOCKED: (
        Code.FAILED_PRECONDITION,
        "The seats of this table are locked; ask who opened it to unlock them.",
    ),
    Reason.SEAT_TAKEN: (
        Code.FAILED_PRECONDITION,
        "Seat {seat} is taken; choose an open one.",
    ),
    Reason.SEAT_OPEN: (Code.FAILED_PRECONDITION, "Nobody sits on seat {seat}."),
    Reason.SEAT_NOT_A_BOT: (
        Code.FAILED_PRECONDITION,
        "No bot sits on seat {seat}; choose a seat with a bot.",
    ),
    Reason.WRONG_DEAL: (
        Code.FAILED_PRECONDITION,
        "This is for another deal; the current one is deal {deal} of game {game_number}.",
    ),
    Reason.NONCE_GIVEN: (
        Code.FAILED_PRECONDITION,
        "Your seat has given another value for this deal already; it cannot be changed.",
    ),
    Reason.NONCE_TOO_EARLY: (
        Code.FAILED_PRECONDITION,
        "Not every seat has sent its hash yet; reveal your nonce only after all are shown.",
    ),
    Reason.NONCE_MISMATCH: (
        Code.FAILED_PRECONDITION,
        "This nonce is not the one that your hash was made of; send that one.",
    ),
    Reason.GAME_RUNNING: (
        Code.FAILED_PRECONDITION,
        "The game is still running; its record is given out once it is over.",
    ),
    Reason.GAME_DIFFERENT: (
        Code.FAILED_PRECONDITION,
        "There is a game of this id already, set up differently; choose a new id.",
    ),
    Reason.NO_GAME_YET: (
        Code.FAILED_PRECONDITION,
        "No game was played at this table yet; get ready for the first one.",
    ),
    Reason.GAME_DAMAGED: (
        Code.DATA_LOSS,
        "The host's log of this game is damaged ({fault}), so it cannot go on; start another.",
    ),
    Reason.NO_CLOCK: (Code.FAILED_PRECONDITION, "This game has no clock that could be paused."),
    Reason.GAME_FROZEN: (
        Code.FAILED_PRECONDITION,
        "The table is put away, and its game waits; resume it, then play on.",
    ),
    Reason.CHAT_CLOSED: (
        Code.FAILED_PRECONDITION,
        "Partners may not talk while their game runs; wait until it is over.",
    ),
    Reason.BOT_FAILED: (
        Code.FAILED_PRECONDITION,
        "The bot could not be started: {fault}; try again or ask the host's owner.",
    ),
    Reason.TOO_MANY_TABLES: (
        Code.RESOURCE_EXHAUSTED,
        "This host has room for {limit} tables; wait until one is finished.",
    ),
    Reason.TOO_MANY_WATCHERS: (
        Code.RESOURCE_EXHAUSTED,
        "{limit} are watching already, no more can; try again later.",
    ),
    Reason.TOO_MANY_CALLS: (
        Code.RESOURCE_EXHAUSTED,
        "You are calling too often, more than {limit} times a second; slow down.",
    ),
    Reason.TOO_MANY_STREAMS: (
        Code.RESOURCE_EXHAUSTED,
        "You are watching {limit} things at once from your address, no more can; close some.",
    ),
    Reason.TOO_MANY_GUESSES: (
        Code.RESOURCE_EXHAUSTED,
        "Too many wrong passwords came from your address; wait a minute and ask the host's owner.",
    ),
    Reason.TOO_MANY_MESSAGES: (
        Code.RESOURCE_EXHAUSTED,
        "You are writing faster than {limit} messages in a minute; slow down.",
    ),
    Reason.TOO_MANY_BOTS: (
        Code.RESOURCE_EXHAUSTED,
        "This host has room for {limit} bots; remove one first.",
    ),
    Reason.MESSAGE_TOO_LARGE: (
        Code.RESOURCE_EXHAUSTED,
        "The message is larger than this host accepts; send less at once.",
    ),
    Reason.HOST_FULL: (
        Code.RESOURCE_EXHAUSTED,
        "This host has as many callers as it can bear; try again later.",
    ),
    Reason.STORAGE_FULL: (
        Code.RESOURCE_EXHAUSTED,
        "The host's disk is full, so nothing was changed; its owner has to make room.",
    ),
    Reason.HOST_CLOSING: (
        Code.UNAVAILABLE,
        "The host is closing; try again when it is back.",
    ),
    Reason.HOST_DRAINING: (
        Code.UNAVAILABLE,
        "The host opens no new tables any more; join a running one or choose another host.",
    ),
    Reason.SERVICE_DOWN: (
        Code.UNAVAILABLE,
        "A part of this host ({service}) does not run at the moment; try again soon.",
    ),
    Reason.STORAGE_FAILED: (
        Code.UNAVAILABLE,
        "The host could not write to its disk, so nothing was changed; try again.",
    ),
    Reason.UNREACHABLE: (
        Code.UNAVAILABLE,
        "The host does not answer; check that it runs and that you are in the same network.",
    ),
    Reason.TIMED_OUT: (
        Code.DEADLINE_EXCEEDED,
        "The host took too long to answer; try again.",
    ),
    Reason.NOT_OFFERED: (
        Code.UNIMPLEMENTED,
        "This host does not offer {call}; it may be of another version.",
    ),
    Reason.HOST_FAULT: (
        Code.INTERNAL,
        "The host made a mistake of its own; its log tells more under {reference}.",
    ),
}

_REFUSAL_CODES: Final[dict[Refusal, Code]] = {Refusal.NO_SUCH_SEAT: Code.INVALID_ARGUMENT}
"""Refusals that are no matter of the rules; all others are FAILED_PRECONDITION."""


def parse_reason(text: str) -> Reason | Refusal | None:
    """The reason of a name, or None if this version does not know it."""
    if text in Reason.__members__:
        return Reason[text]
    return Refusal[text] if text in Refusal.__members__ else None


def code_of(reason: Reason | Refusal) -> grpc.StatusCode:
    """The canonical code of a reason."""
    if isinstance(reason, Reason):
        return _CATALOGUE[reason][0]
    return _REFUSAL_CODES.get(reason, Code.FAILED_PRECONDITION)


def template_of(reason: Reason | Refusal) -> str:
    """The English sentence of a reason, with {placeholders} for its metadata."""
    return _CATALOGUE[reason][1] if isinstance(reason, Reason) else SENTENCES[reason]


def placeholders_of(reason: Reason | Refusal) -> frozenset[str]:
    """The metadata keys that the sentence of a reason needs."""
    return frozenset(
        name for _, name, _, _ in string.Formatter().parse(template_of(reason)) if name
    )


def fill(template: str, metadata: Mapping[str, str]) -> str:
    """A sentence with its placeholders filled; one that is missing shows as "?"."""
    names = {name for _, name, _, _ in string.Formatter().parse(template) if name}
    return template.format_map({name: metadata.get(name, "?") for name in names})
