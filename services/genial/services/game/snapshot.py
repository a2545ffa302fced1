"""A game's state at one revision, packed: a way back that is shorter than following every event.

It is a convenience and never the truth. It is written in the same transaction as the event that
it stands after, and bound to that event and all before it (`chain`). Whatever does not fit
(damaged, of other events, of more events than there are, of another version) is left out, and
every event is followed as if there were none.
"""

from __future__ import annotations

import hashlib
import json
import logging
import struct
from collections.abc import Iterable, Sequence
from typing import Any, Final

from genial.engine.board import Board
from genial.engine.game import Game
from genial.engine.hexgrid import Axial
from genial.engine.moves import Phase, Placed, Seat
from genial.engine.rules import SeatKind
from genial.engine.shuffle import ShuffledBag, deal_key
from genial.engine.tiles import FULL_SET, TILE_KINDS, Symbol, Tile
from genial.services.game.log import Snapshot
from genial.services.game.setup import Setup

log = logging.getLogger(__name__)

_VERSION: Final = 1
_PACKED_EVERY: Final = 8
"""After so many events the state is packed anew: no more of them are followed at a start."""

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False)
_SYMBOLS: Final = {int(symbol): symbol for symbol in Symbol}
_NUMBERS: Final = {tile: number for number, tile in enumerate(TILE_KINDS)}


class UnfitSnapshotError(Exception):
    """A snapshot that does not fit its game, or was written by another version."""


def chain(setup_checksum: int, event_checksums: Sequence[int]) -> bytes:
    """What stands for a set-up and its events in their order, by their 32-bit checksums."""
    linked = struct.pack(f">{1 + len(event_checksums)}I", setup_checksum, *event_checksums)
    return hashlib.sha256(linked).digest()


def pack_if_due(game: Game, placements: int, before: int) -> bytes | None:
    """A game's state, where it is time for one since a revision `before`; `pack` says what."""
    if game.is_over or before // _PACKED_EVERY == game.revision // _PACKED_EVERY:
        return None
    try:
        return pack(game, placements)
    except Exception:
        # No move may fail for a short cut that a later start can do without.
        log.exception("a game at %d cannot be packed", game.revision)
        return None


def pack(game: Game, placements: int) -> bytes:
    """A running game's state, for `unpack`.

    Args:
        game: With an open bag, and not over.
        placements: Tiles placed so far.
    """
    bag = game.bag
    if not isinstance(bag, ShuffledBag) or game.is_over:
        raise ValueError("only a running game with its own bag is packed")
    content = [
        _VERSION,
        game.revision,
        placements,
        game.first_seat,
        game.board.contents.hex(),
        f"{game.board.free:x}",
        [_packed(rack) for rack in game.racks],
        game.tracks,
        _packed(bag.tiles),
        bag.next_word,
        game.turn,
        game.phase.value,
        game.bonus_owed,
        sorted(map(int, game.claimed)),
        sorted(game.started),
        game.resigned,
        [[seat.name, seat.kind.value, seat.level] for seat in game.seats],
        [None if placed is None else _packed_placement(placed) for placed in game.latest],
        game.last_mover,
        game.had_human,
    ]
    return _ENCODER.encode(content).encode()


def unpack(snapshot: Snapshot, setup: Setup) -> tuple[Game, int]:
    """The game of `pack`, and the tiles placed so far.

    Raises:
        UnfitSnapshotError: It is no state that this game can be in after so many events.
    """
    try:
        version, *content = json.loads(snapshot.body)
        if version != _VERSION:
            raise UnfitSnapshotError(f"written as version {version}")
        game, placements = _unpacked(content, setup)
        _check(game, placements, snapshot.revision)
    except UnfitSnapshotError:
        raise
    except Exception as fault:
        # Whatever it is: the log says the same, and says it better.
        raise UnfitSnapshotError(f"{type(fault).__name__}: {fault}") from fault
    return game, placements


def _check(game: Game, placements: int, revision: int) -> None:
    """What holds in every state of a running game, so that no room is begun without it.

    Raises:
        UnfitSnapshotError: Something of it does not.
    """
    players = game.rules.players
    seats = [game.first_seat, game.turn, *game.started, *game.resigned]
    if game.last_mover is not None:
        seats.append(game.last_mover)
    lengths = {len(game.seats), len(game.racks), len(game.latest)}
    if lengths != {players} or len(game.tracks) != len(game.rules.teams):
        raise UnfitSnapshotError("of another number of seats")
    if not all(0 <= seat < players for seat in seats):
        raise UnfitSnapshotError("of seats that there are not")
    if game.revision != revision or game.phase is Phase.DEAL:
        raise UnfitSnapshotError(f"of {game.revision} events")
    tiles = len(game.bag) + sum(map(len, game.racks)) + placements
    if tiles != len(FULL_SET):
        raise UnfitSnapshotError(f"of {tiles} tiles")


def _unpacked(content: list[Any], setup: Setup) -> tuple[Game, int]:
    (
        revision,
        placements,
        first_seat,
        contents,
        free,
        racks,
        tracks,
        bag,
        next_word,
        turn,
        phase,
        bonus_owed,
        claimed,
        started,
        resigned,
        seats,
        latest,
        last_mover,
        had_human,
    ) = content
    rules = setup.rules
    key = deal_key(setup.seed, setup.request.shuffle.nonces)
    return Game(
        rules=rules,
        seats=tuple(Seat(name, SeatKind(kind), level) for name, kind, level in seats),
        first_seat=first_seat,
        board=Board(rules.zone, bytes.fromhex(contents), int(free, 16)),
        racks=tuple(map(_tiles, racks)),
        tracks=tuple(map(tuple, tracks)),
        bag=ShuffledBag(_tiles(bag), key, next_word),
        turn=turn,
        phase=Phase(phase),
        bonus_owed=bonus_owed,
        claimed=frozenset(map(_SYMBOLS.__getitem__, claimed)),
        started=frozenset(started),
        resigned=tuple(resigned),
        revision=revision,
        latest=tuple(None if each is None else _placement(each) for each in latest),
        last_mover=last_mover,
        had_human=had_human,
    ), placements


def _packed(tiles: Iterable[Tile]) -> str:
    return bytes(map(_NUMBERS.__getitem__, tiles)).hex()


def _tiles(packed: str) -> tuple[Tile, ...]:
    return tuple(map(TILE_KINDS.__getitem__, bytes.fromhex(packed)))


def _packed_placement(placed: Placed) -> list[Any]:
    return [
        placed.seat,
        [int(symbol) for symbol in placed.tile],
        placed.cells,
        placed.points,
        placed.track,
        placed.bonus_owed,
    ]


def _placement(packed: list[Any]) -> Placed:
    seat, (first, second), (one, other), points, track, bonus_owed = packed
    return Placed(
        seat,
        Tile(_SYMBOLS[first], _SYMBOLS[second]),
        (Axial(*one), Axial(*other)),
        tuple(points),
        tuple(track),
        bonus_owed,
    )
