"""Partners and solitaire: tracks of double length (rules, section 5)."""

from __future__ import annotations

import pytest

from genial.engine.game import Ended, ExchangeRack, Phase, PlaceTile, Refilled, RefillRack, Resign
from genial.engine.hexgrid import Axial
from genial.engine.refusal import Refusal
from genial.engine.rules import EndReason, Mode, Rules
from genial.engine.tiles import Tile
from tests.engine.side_by_side import SideBySide

Cell = tuple[int, int]
HERE, THERE = Axial(0, 0), Axial(0, -1)
FROM_HERE = [(q, 0) for q in range(1, 8)] + [(0, r) for r in range(1, 8)]
FROM_HERE += [(-step, step) for step in range(1, 8)]
FROM_THERE = [(-q, -1) for q in range(1, 7)] + [(0, -1 - r) for r in range(1, 7)]
FROM_THERE += [(step, -1 - step) for step in range(1, 7)]
NO_SYMBOLS = dict.fromkeys([(0, -5), (0, 5), (-5, 5), (5, 0), (5, -5), (-5, 0)], "")


def lines(first: int, second: int, other: str = "R") -> dict[Cell, str]:
    """Red in line with (0, 0), so many, and as many of the other with (0, -1)."""
    return (
        NO_SYMBOLS
        | dict.fromkeys(FROM_HERE[:first], "R")
        | dict.fromkeys(FROM_THERE[:second], other)
    )


def partners(*rack: str) -> SideBySide:
    """The first seat is to place, anywhere."""
    side = SideBySide(Rules(mode=Mode.PARTNERS, players=4))
    side.arrange(racks={0: rack}, started=range(4))
    return side


def ended(side: SideBySide) -> Ended:
    assert side.game.ended is not None
    return side.game.ended


@pytest.mark.parametrize(
    ("before", "first", "second", "after", "owed"),
    [
        (3, 2, 5, 10, 0),
        # The half that reaches 18 stops there, the other goes on, in the better order.
        (16, 2, 5, 23, 1),
        (16, 5, 2, 23, 1),
        (16, 5, 5, 23, 1),
        (17, 1, 1, 19, 1),
        (17, 5, 0, 18, 1),
        (14, 4, 3, 21, 1),
        (14, 3, 4, 21, 1),
        # Neither half reaches it alone, so the second stops there.
        (14, 3, 3, 18, 1),
        (12, 3, 3, 18, 1),
        (10, 7, 7, 18, 1),
        # From 18 on it goes to 36, and stops.
        (18, 2, 5, 25, 0),
        (30, 3, 2, 35, 0),
        (30, 3, 3, 36, 1),
        (34, 2, 5, 36, 1),
        (34, 5, 2, 36, 1),
        (36, 2, 5, 36, 0),
        # Both stops with one tile: two bonuses.
        (17, 1, 18, 36, 2),
        (17, 18, 1, 36, 2),
        (16, 2, 18, 36, 2),
        (10, 18, 18, 36, 2),
    ],
)
def test_a_double_on_the_joint_track(
    before: int, first: int, second: int, after: int, owed: int
) -> None:
    side = partners("RR", "GG", "GG", "GG")
    side.arrange(tracks={0: (before, 9, 9, 9, 9, 9)}, board=lines(first, second))
    assert side.game.board.points(Tile.parse("RR"), (HERE, THERE)) == (first, second)
    placed = side.place("RR", HERE, THERE)
    assert placed.track == (after, 9, 9, 9, 9, 9)
    assert placed.points == (after - before, 0, 0, 0, 0, 0)
    assert placed.bonus_owed == owed


@pytest.mark.parametrize(
    ("before", "points", "after", "owed"),
    [(16, 5, 18, 1), (18, 5, 23, 0), (35, 5, 36, 1), (36, 5, 36, 0), (13, 4, 17, 0)],
)
def test_one_half_stops_at_18(before: int, points: int, after: int, owed: int) -> None:
    side = partners("RB", "GG")
    side.arrange(tracks={0: (before, 9, 9, 9, 9, 9)}, board=lines(points, 0))
    placed = side.place("RB", HERE, THERE)
    assert placed.track == (after, 9, 9, 9, 9, 9)
    assert placed.bonus_owed == owed


def test_two_counters_at_two_different_stops() -> None:
    side = partners("RB", "GG", "GG", "GG")
    side.arrange(tracks={0: (17, 9, 35, 9, 9, 9)}, board=lines(3, 3, "B"))
    placed = side.place("RB", HERE, THERE)
    assert placed.track == (18, 9, 36, 9, 9, 9)
    assert placed.bonus_owed == 2


def test_partners_share_a_track_and_owe_their_bonuses_themselves() -> None:
    side = partners("RB", "GG", "GG")
    side.arrange(tracks={0: (17, 9, 9, 9, 9, 9)}, board=lines(1, 0))
    side.place("RB", HERE, THERE)
    assert side.game.track(0) == side.game.track(2) == (18, 9, 9, 9, 9, 9)
    assert side.game.track(1) == side.game.track(3) == (0,) * 6
    assert side.refused(PlaceTile(2, side.game.racks[2][0], (HERE, THERE))) is (
        Refusal.NOT_YOUR_TURN
    )
    side.place("GG", (4, 1), (4, 2))
    side.refill()
    assert side.turn == 1
    assert side.game.racks[0] != side.game.racks[2]


def test_18_everywhere_is_no_win_and_36_is() -> None:
    side = partners("RB", "RB", "GG")
    side.arrange(tracks={0: (17, 18, 18, 18, 18, 18)}, board=lines(1, 0))
    assert side.place("RB", HERE, THERE).bonus_owed == 1
    assert not side.game.is_over
    side.arrange(tracks={0: (35, 36, 36, 36, 36, 36), 1: (36, 36, 36, 36, 36, 35)})
    assert side.place("RB", (0, 1), (0, 2)).bonus_owed == 0
    assert ended(side).reason is EndReason.ALL_AT_CAP
    assert ended(side).ranking == ((0, 2), (1, 3))
    assert ended(side).tracks == ((36,) * 6, (36, 36, 36, 36, 36, 35)) * 2


def test_a_tie_of_pairs_is_one_group() -> None:
    side = partners("GG")
    side.cover("Y", {HERE: "", THERE: ""})
    track = (20, 21, 22, 23, 24, 25)
    side.arrange(tracks={0: track, 1: track[::-1]})
    side.place("GG", HERE, THERE)
    assert ended(side).reason is EndReason.BOARD_FULL
    assert ended(side).ranking == ((0, 1, 2, 3),)


def alone(tile: str = "RR") -> SideBySide:
    """Solitaire, with this tile to place anywhere."""
    side = SideBySide(Rules(mode=Mode.SOLO, players=1))
    side.arrange(racks={0: [tile]}, started=[0])
    return side


def test_solitaire_scores_like_partners_and_owes_nothing() -> None:
    side = alone()
    board = {cell: letter for cell, letter in lines(5, 5).items() if cell in side.referee.cells}
    side.arrange(tracks={0: (16, 9, 9, 9, 9, 9)}, board=board)
    placed = side.place("RR", HERE, THERE)
    assert placed.track == (23, 9, 9, 9, 9, 9)
    assert placed.bonus_owed == 0
    assert side.game.phase is Phase.PLACE


def test_solitaire_draws_the_next_tile_by_itself() -> None:
    side = alone("RB")
    coming = side.bag.tiles[-1]
    events = side.do(PlaceTile(0, Tile.parse("RB"), (HERE, THERE)))
    assert events[1:] == (Refilled(0, (Tile.parse(coming),)),)
    assert side.game.racks == ((Tile.parse(coming),),)
    assert side.refused(RefillRack(0)) is Refusal.DRAWN_BY_ITSELF
    assert side.refused(ExchangeRack(0)) is Refusal.NO_EXCHANGE_IN_MODE


def test_solitaire_ends_on_a_full_board_without_another_draw() -> None:
    side = alone("GG")
    side.cover("Y", {HERE: "", THERE: ""})
    side.arrange(tracks={0: (7, 8, 9, 7, 8, 9)})
    events = side.do(PlaceTile(0, Tile.parse("GG"), (HERE, THERE)))
    assert len(events) == 2
    assert ended(side) == Ended(EndReason.BOARD_FULL, ((0,),), ((7, 8, 9, 7, 8, 9),))


def test_solitaire_ends_with_36_everywhere() -> None:
    side = alone("RB")
    side.arrange(tracks={0: (35, 36, 36, 36, 36, 36)}, board={(1, 0): "R"})
    side.place("RB", HERE, THERE)
    assert ended(side).reason is EndReason.ALL_AT_CAP


def test_a_solitaire_resignation_ends_the_game() -> None:
    side = alone()
    side.do(Resign(0))
    assert ended(side).reason is EndReason.RESIGNED
    assert ended(side).ranking == ((0,),)
