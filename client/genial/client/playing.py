"""The tile in hand: laying out the rack, choosing, moving, turning, best spots. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from genial.client.model import Hand
from genial.engine.board import Zone, axial_of
from genial.engine.hexgrid import DIRECTIONS, Axial, ring
from genial.engine.tiles import Tile
from genial.engine.view import PlayerView

# Tried in this order when a tile sticks out over the edge: as little turning as possible.
_TURNS: Final = (0, 1, -1, 2, -2, 3)


def lay_out(
    slots: Sequence[Tile | None], rack: Iterable[Tile], size: int
) -> tuple[Tile | None, ...]:
    """The rack in slots: tiles keep theirs, new ones take the slots that are free.

    Args:
        slots: As they were laid out before.
        rack: The tiles there are now.
        size: How many slots a full rack has.
    """
    left = list(rack)
    laid: list[Tile | None] = []
    for slot in range(max(size, len(left))):
        tile = slots[slot] if slot < len(slots) else None
        if tile is not None and tile in left:
            left.remove(tile)
            laid.append(tile)
        else:
            laid.append(None)
    for slot, tile in enumerate(laid):
        if tile is None and left:
            laid[slot] = left.pop(0)
    return tuple(laid)


def choose(hand: Hand, slot: int) -> Hand:
    """With the tile of a slot in hand; an empty slot changes nothing."""
    if slot < len(hand.slots) and hand.slots[slot] is not None:
        return replace(hand, chosen=slot, fixed=False, best=0)
    return hand


def choose_next(hand: Hand, step: int = 1) -> Hand:
    """With the next tile in hand, round and round."""
    filled = [slot for slot, tile in enumerate(hand.slots) if tile is not None]
    if not filled:
        return hand
    if hand.chosen not in filled:
        return choose(hand, filled[0])
    return choose(hand, filled[(filled.index(hand.chosen) + step) % len(filled)])


def lie_at(hand: Hand, anchor: Axial, zone: Zone) -> Hand:
    """With the first symbol on `anchor`; turned only where the second would leave the zone."""
    if anchor not in zone:
        return hand
    for turn in _TURNS:
        direction = (hand.direction + turn) % 6
        if anchor + DIRECTIONS[direction] in zone:
            return replace(hand, anchor=anchor, direction=direction, fixed=False, best=0)
    return hand


def move(hand: Hand, step: tuple[int, int], zone: Zone) -> Hand:
    """Moved by a step (q, r); at the edge nothing moves."""
    return lie_at(hand, hand.anchor + Axial(*step), zone)


def vertical(hand: Hand, down: bool) -> tuple[int, int]:
    """The step for straight up or down: left and right by turns, so that the column stays."""
    leftwards = hand.anchor.r % 2 == 0
    if down:
        return (-1, 1) if leftwards else (0, 1)
    return (0, -1) if leftwards else (1, -1)


def turn(hand: Hand, step: int, zone: Zone) -> Hand:
    """Turned about the first symbol, past directions that would leave the zone."""
    direction = hand.direction
    for _try in range(6):
        direction = (direction + step) % 6
        if hand.anchor + DIRECTIONS[direction] in zone:
            return replace(hand, direction=direction, fixed=False, best=0)
    return hand


def onto(hand: Hand, cells: tuple[Axial, Axial]) -> Hand:
    """With the first symbol on the first cell and the second on the other."""
    direction = DIRECTIONS.index(Axial(cells[1].q - cells[0].q, cells[1].r - cells[0].r))
    return replace(hand, anchor=cells[0], direction=direction, fixed=False, best=0)


def is_placeable(view: PlayerView, cells: tuple[Axial, Axial]) -> bool:
    """Whether the viewer could place a tile there, whoever's turn it is."""
    return view.spot_refusal(cells) is None


def near_spot(hand: Hand, view: PlayerView) -> Hand:
    """The hand where it is if it can lie there, else at the nearest spot where it can."""
    if is_placeable(view, hand.cells):
        return hand
    best: tuple[int, int, tuple[Axial, Axial]] | None = None
    for one, other in view.reachable_pairs():
        for cells in ((axial_of(one), axial_of(other)), (axial_of(other), axial_of(one))):
            far = _distance(cells[0], hand.anchor)
            turned = _distance(
                Axial(cells[1].q - cells[0].q, cells[1].r - cells[0].r), DIRECTIONS[hand.direction]
            )
            if best is None or (far, turned) < best[:2]:
                best = (far, turned, cells)
    return hand if best is None else onto(hand, best[2])


def _distance(one: Axial, other: Axial) -> int:
    return ring(Axial(one.q - other.q, one.r - other.r))


def best_spots(view: PlayerView, tile: Tile) -> list[tuple[int, tuple[Axial, Axial]]]:
    """Where the tile could go, as points and cells (first symbol's cell first), best first.

    Counts as if it were the viewer's turn; ties keep the order of the board.
    """
    spots: list[tuple[int, tuple[Axial, Axial]]] = []
    for one, other in view.reachable_pairs():
        cells = (axial_of(one), axial_of(other))
        spots.append((sum(view.points_of(tile, cells)), cells))
        if not tile.is_double:
            back = (cells[1], cells[0])
            spots.append((sum(view.points_of(tile, back)), back))
    spots.sort(key=lambda spot: -spot[0])
    return spots


def next_best(hand: Hand, view: PlayerView) -> tuple[Hand, int | None]:
    """The hand on the best spot of its tile; asked again, on the next best, round and round.

    Returns:
        The hand and the rank (from 1) of the spot; None when there is no spot.
    """
    tile = hand.tile
    spots = best_spots(view, tile) if tile is not None else []
    if not spots:
        return hand, None
    rank = hand.best % len(spots) + 1
    return replace(onto(hand, spots[rank - 1][1]), best=rank), rank
