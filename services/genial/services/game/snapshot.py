"""A game's state at one revision, packed: a way back that is shorter than following every event.

It is a convenience and never the truth. The log stands; a snapshot counts only together with the
very rows that led to it (`chain`), and where anything about it does not fit, every event is
followed as if there were none.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import Any, Final

from genial.engine.board import Board
from genial.engine.game import Game
from genial.engine.hexgrid import Axial
from genial.engine.moves import Phase, Placed, Seat
from genial.engine.rules import SeatKind
from genial.engine.shuffle import ShuffledBag, deal_key
from genial.engine.tiles import TILE_KINDS, Symbol, Tile
from genial.services.game.setup import Setup

_VERSION: Final = 1
_NUMBERS: Final = {tile: number for number, tile in enumerate(TILE_KINDS)}


class UnfitSnapshotError(Exception):
    """A snapshot that does not fit its game, or was written by another version."""


def chain(setup_checksum: int, event_checksums: Iterable[int]) -> int:
    """What stands for a set-up and a row of events, in their order: any other gives another."""
    linked = setup_checksum
    for checksum in event_checksums:
        linked = zlib.crc32(checksum.to_bytes(4, "big"), linked)
    return linked


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
        sorted(game.claimed),
        sorted(game.started),
        game.resigned,
        [[seat.name, seat.kind.value, seat.level] for seat in game.seats],
        [None if placed is None else _packed_placement(placed) for placed in game.latest],
        game.last_mover,
        game.had_human,
    ]
    return json.dumps(content, separators=(",", ":")).encode()


def unpack(data: bytes, setup: Setup) -> tuple[Game, int]:
    """The game of `pack`, and the tiles placed so far.

    Raises:
        UnfitSnapshotError: It is no such state.
    """
    try:
        version, *content = json.loads(data)
        if version != _VERSION:
            raise UnfitSnapshotError(f"written as version {version}")
        return _unpacked(content, setup)
    except (ValueError, TypeError, IndexError) as fault:
        raise UnfitSnapshotError(str(fault)) from fault


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
    game = Game(
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
        claimed=frozenset(map(Symbol, claimed)),
        started=frozenset(started),
        resigned=tuple(resigned),
        revision=revision,
        latest=tuple(None if each is None else _placement(each) for each in latest),
        last_mover=last_mover,
        had_human=had_human,
    )
    lengths = {len(game.seats), len(game.racks), len(game.latest)}
    if lengths != {rules.players} or len(game.tracks) != len(rules.teams):
        raise UnfitSnapshotError("of another number of seats")
    return game, placements


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
        Tile(Symbol(first), Symbol(second)),
        (Axial(*one), Axial(*other)),
        tuple(points),
        tuple(track),
        bonus_owed,
    )
