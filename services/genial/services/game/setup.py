"""What a game is set up with: checked once, stored, and read again after a restart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from genial.engine.game import Game
from genial.engine.moves import Seat
from genial.engine.record import RecordHeader
from genial.engine.record_text import Match
from genial.engine.rules import FirstBy, Rules
from genial.engine.shuffle import SCHEME, commitment, deal_key, nonce_hash, open_bag
from genial.v1 import game_pb2, room_service_pb2
from genial.wire.errors import malformed
from genial.wire.requests import identifier, secret, text
from genial.wire.values import (
    FIRST_BYS,
    SEAT_KINDS,
    Clock,
    clock_from_message,
    rules_from_message,
    rules_to_message,
    timestamp_to_message,
)

_LONGEST_NAME: Final = 64


@dataclass(frozen=True, slots=True)
class Setup:
    """One game's set-up, checked.

    Attributes:
        request: The message that it came in, with the seed in it: never to be shown.
        started_at_ms: Host's UTC in milliseconds.
        token_hashes: SHA-256 of each seat's token, as the game began.
        seats: Who sat down at first, in seat order.
    """

    request: room_service_pb2.CreateRoomRequest
    started_at_ms: int
    rules: Rules
    seats: tuple[Seat, ...]
    token_hashes: tuple[bytes, ...]
    first_by: FirstBy
    clock: Clock | None

    @classmethod
    def of(cls, request: room_service_pb2.CreateRoomRequest, started_at_ms: int) -> Setup:
        """Checks a request.

        Raises:
            GenialError: MALFORMED, with the field that is wrong.
        """
        identifier(request.game_id, "game_id")
        identifier(request.table_id, "table_id")
        rules = rules_from_message(request.rules)
        first_by = FIRST_BYS.from_message(request.first_by, "first_by")
        if first_by is not FirstBy.CHANCE and request.first_seat >= rules.players:
            raise malformed("first_seat", f"there is no such seat among {rules.players}")
        if len(request.seats) != rules.players:
            raise malformed("seats", f"{rules.players} are due, not {len(request.seats)}")
        for number, seat in enumerate(request.seats):
            if seat.seat != number:
                raise malformed(f"seats[{number}].seat", "seats must stand in their order")
        _check_shuffle(request.shuffle, rules.players)
        hashes = tuple(seat.token_hash for seat in request.seats)
        if len(set(hashes)) != len(hashes):
            raise malformed("seats", "two of them have the same token")
        return cls(
            request=request,
            started_at_ms=started_at_ms,
            rules=rules,
            seats=tuple(seat_from_message(seat, f"seats[{seat.seat}]") for seat in request.seats),
            token_hashes=hashes,
            first_by=first_by,
            clock=clock_from_message(request.clock) if request.HasField("clock") else None,
        )

    @property
    def game_id(self) -> str:
        """The game's id."""
        return self.request.game_id

    @property
    def table_id(self) -> str:
        """The id of the table that it is played at."""
        return self.request.table_id

    @property
    def seed(self) -> bytes:
        """The host's part of the shuffle; secret until the game is over."""
        return self.request.shuffle.seed

    def fixed_view(self, *, over: bool) -> game_pb2.GameView:
        """The part of every view that stays as it is until the game is over.

        Args:
            over: Whether it is; the seed is shown then, and not before.
        """
        request = self.request
        view = game_pb2.GameView(
            game_id=request.game_id,
            table_id=request.table_id,
            rules=rules_to_message(self.rules),
            first_by=request.first_by,
            started_at=timestamp_to_message(self.started_at_ms),
            match_game=request.match_game,
            match_games=request.match_games,
            hints_allowed=not request.hints_forbidden,
        )
        view.shuffle.CopyFrom(request.shuffle)
        if not over:
            view.shuffle.ClearField("seed")
        if request.HasField("clock"):
            view.clock.CopyFrom(request.clock)
        return view

    def new_game(self) -> Game:
        """The game before its deal, with its first seat drawn if chance decides."""
        bag = open_bag(deal_key(self.seed, self.request.shuffle.nonces))
        first_seat = self.request.first_seat
        if self.first_by is FirstBy.CHANCE:
            first_seat, bag = bag.first_seat(self.rules.players)
        return Game.new(self.rules, self.seats, first_seat, bag)

    def record_header(self, first_seat: int, software: str) -> RecordHeader:
        """The header of the game's record (rules, section 8)."""
        request = self.request
        shuffle = request.shuffle
        match = None
        if request.match_id:
            match = Match(request.match_id, request.match_game, request.match_games)
        return RecordHeader(
            game_id=request.game_id,
            started_at=moment_text(self.started_at_ms),
            rules=self.rules,
            seats=self.seats,
            first_seat=first_seat,
            first_by=self.first_by,
            commitment=shuffle.commitment,
            nonce_hashes=tuple(shuffle.nonce_hashes),
            nonces=tuple(shuffle.nonces),
            software=software,
            match=match,
            deal=shuffle.deal,
            clock=None if self.clock is None else str(self.clock),
        )


def seat_from_message(message: room_service_pb2.RoomSeat, field: str) -> Seat:
    """Who sits on a seat.

    Raises:
        GenialError: MALFORMED, for no name, a kind that nobody is, or no token's hash.
    """
    secret(message.token_hash, f"{field}.token_hash")
    if not text(message.name, f"{field}.name", _LONGEST_NAME):
        raise malformed(f"{field}.name", "must be given")
    kind = SEAT_KINDS.from_message(message.kind, f"{field}.kind")
    return Seat(message.name, kind, text(message.level, f"{field}.level", _LONGEST_NAME) or None)


def moment_text(at_ms: int) -> str:
    """A moment as records write it: `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    moment = datetime.fromtimestamp(at_ms // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at_ms % 1000:03d}Z"


def _check_shuffle(shuffle: game_pb2.Shuffle, players: int) -> None:
    """The deal's secrets must be whole, and what was committed to (rules, section 9)."""
    if shuffle.scheme != SCHEME:
        raise malformed("shuffle.scheme", f"this host knows only {SCHEME}")
    if shuffle.deal < 1:
        raise malformed("shuffle.deal", "deals are counted from 1")
    if commitment(secret(shuffle.seed, "shuffle.seed")) != shuffle.commitment:
        raise malformed("shuffle.commitment", "is not that of the seed")
    _check_count(shuffle.nonces, players, "shuffle.nonces")
    _check_count(shuffle.nonce_hashes, players, "shuffle.nonce_hashes")
    for seat, nonce in enumerate(shuffle.nonces):
        field = f"shuffle.nonces[{seat}]"
        if nonce_hash(secret(nonce, field)) != shuffle.nonce_hashes[seat]:
            raise malformed(field, "is not what its hash was made of")


def _check_count(values: Iterable[bytes], players: int, field: str) -> None:
    count = len(tuple(values))
    if count != players:
        raise malformed(field, f"one for each of {players} seats is due, not {count}")
