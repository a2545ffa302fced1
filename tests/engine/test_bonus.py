"""Counters that reach 18, bonus placements, and how they go with the end of a game."""

from __future__ import annotations

import pytest

from genial.engine.game import Ended, ExchangeRack, Phase, PlaceTile, RefillRack
from genial.engine.hexgrid import Axial
from genial.engine.refusal import Refusal
from genial.engine.rules import EndReason, Preset, Rules
from genial.engine.tiles import Tile
from tests.engine.side_by_side import SideBySide

Cell = tuple[int, int]
RACK = ["RB", "RB", "RB", "GG", "OY", "YP"]


def table(players: int = 2, rack: list[str] | None = None) -> SideBySide:
    """The first seat is to place, anywhere."""
    side = SideBySide(Rules(players=players))
    side.arrange(racks={0: rack or RACK}, started=range(players))
    return side


def full_but(side: SideBySide, *free: Cell) -> None:
    """Yellow on all cells, start symbols too, but on those that stay free."""
    side.cover("Y", dict.fromkeys(free, ""))


def ended(side: SideBySide) -> Ended:
    assert side.game.ended is not None
    return side.game.ended


def test_a_counter_stops_at_18_and_owes_one_placement() -> None:
    side = table()
    side.arrange(
        tracks={0: (15, 3, 3, 3, 3, 3)}, board={(1, 0): "R", (2, 0): "R", (3, 0): "R", (0, 1): "R"}
    )
    placed = side.place("RB", (0, 0), (0, -1))
    assert placed.points == (3, 0, 0, 0, 0, 0)
    assert placed.track == (18, 3, 3, 3, 3, 3)
    assert placed.bonus_owed == side.game.bonus_owed == 1
    assert side.game.phase is Phase.BONUS


def test_a_full_counter_earns_nothing_and_owes_nothing() -> None:
    side = table()
    side.arrange(tracks={0: (18, 3, 17, 3, 3, 3)}, board={(1, 0): "R", (-1, -1): "B"})
    placed = side.place("RB", (0, 0), (0, -1))
    assert placed.points == (0, 0, 1, 0, 0, 0)
    assert placed.bonus_owed == 1
    assert side.place("RB", (3, 0), (2, 0)).bonus_owed == 0


def two_owed() -> SideBySide:
    side = table()
    side.arrange(tracks={0: (17, 9, 16, 9, 9, 9)}, board={(1, 0): "R", (1, -2): "B", (-1, -1): "B"})
    placed = side.place("RB", (0, 0), (0, -1))
    assert placed.track == (18, 9, 18, 9, 9, 9)
    assert placed.bonus_owed == 2
    return side


def test_two_counters_at_once_owe_two_placements_one_after_the_other() -> None:
    side = two_owed()
    for owed in (1, 0):
        assert side.refused(RefillRack(0)) is Refusal.BONUS_OWED
        assert side.refused(ExchangeRack(0)) is Refusal.BONUS_OWED
        assert side.refused(PlaceTile(1, Tile.parse("RB"), CORNER)) is Refusal.NOT_YOUR_TURN
        before = len(side.game.racks[0])
        assert side.place("RB", (-3, owed), (-4, owed)).bonus_owed == owed
        assert len(side.game.racks[0]) == before - 1
    assert side.game.phase is Phase.CLOSE
    assert side.refused(PlaceTile(0, Tile.parse("GG"), CORNER)) is Refusal.ALREADY_PLACED
    side.refill()
    assert len(side.game.racks[0]) == 6
    assert side.turn == 1


CORNER = (Axial(-3, -1), Axial(-3, -2))


def test_a_bonus_placement_can_owe_another() -> None:
    side = table()
    side.arrange(tracks={0: (17, 17, 9, 9, 9, 9)}, board={(1, 0): "R", (-3, 0): "G"})
    assert side.place("RB", (0, 0), (0, -1)).bonus_owed == 1
    chained = side.place("GG", (-3, 1), (-3, 2))
    assert chained.track[:2] == (18, 18)
    assert chained.bonus_owed == 1
    assert side.place("OY", (3, 0), (3, 1)).bonus_owed == 0
    assert side.game.phase is Phase.CLOSE


def test_while_two_are_owed_a_third_adds_up() -> None:
    side = two_owed()
    side.arrange(tracks={0: (18, 17, 18, 9, 9, 9)}, board={(-3, 0): "G"})
    assert side.place("GG", (-3, 1), (-3, 2)).bonus_owed == 2
    assert side.place("RB", (3, 0), (3, 1)).bonus_owed == 1
    assert side.place("RB", (3, -3), (3, -2)).bonus_owed == 0


@pytest.mark.parametrize("preset", list(Preset))
def test_an_exchange_may_follow_the_last_bonus_placement(preset: Preset) -> None:
    side = SideBySide(Rules(preset))
    side.arrange(racks={0: RACK}, started=[0, 1], board={(1, 0): "R"})
    side.arrange(tracks={0: (17, 9, 9, 9, 9, 0)})
    side.place("RB", (0, 0), (0, -1))
    assert side.refused(ExchangeRack(0)) is Refusal.BONUS_OWED
    side.place("YP", (3, 0), (3, 1))
    side.do(ExchangeRack(0))
    assert side.turn == 1


def test_owed_placements_lapse_with_an_empty_rack() -> None:
    side = table(rack=["RB"])
    side.arrange(tracks={0: (17, 9, 17, 9, 9, 9)}, board={(1, 0): "R", (1, -2): "B"})
    placed = side.place("RB", (0, 0), (0, -1))
    assert placed.track == (18, 9, 18, 9, 9, 9)
    assert placed.bonus_owed == 0
    assert side.game.phase is Phase.CLOSE
    assert side.refused(ExchangeRack(0)) is Refusal.EXCHANGE_NEEDS_TILES
    side.refill()
    assert len(side.game.racks[0]) == 6


def test_more_can_be_owed_than_the_rack_holds() -> None:
    side = table(rack=["RB", "GG"])
    side.arrange(tracks={0: (17, 9, 17, 9, 9, 9)}, board={(1, 0): "R", (1, -2): "B"})
    assert side.place("RB", (0, 0), (0, -1)).bonus_owed == 2
    assert side.place("GG", (-3, 1), (-3, 2)).bonus_owed == 0
    assert side.game.phase is Phase.CLOSE
    side.refill()
    assert len(side.game.racks[0]) == 6


def test_the_game_ends_the_moment_that_nothing_fits() -> None:
    side = table()
    full_but(side, (0, 0), (0, -1), (4, 0))
    assert side.place("RB", (0, 0), (0, -1)).bonus_owed == 0
    assert ended(side).reason is EndReason.BOARD_FULL
    assert side.game.phase is Phase.OVER
    assert len(side.game.racks[0]) == 5
    assert side.refused(RefillRack(0)) is Refusal.GAME_OVER


def test_single_free_cells_are_no_room_and_one_pair_is() -> None:
    side = table()
    full_but(side, (0, 0), (0, -1), (4, 0), (2, -2), (-2, 2), (-3, 2))
    side.place("RB", (0, 0), (0, -1))
    assert not side.game.is_over
    side.refill()
    side.arrange(racks={1: ["RB"]})
    side.place("RB", (-2, 2), (-3, 2))
    assert ended(side).reason is EndReason.BOARD_FULL


def test_owed_placements_lapse_on_a_full_board() -> None:
    side = table(rack=["YP", "RB", "RB"])
    full_but(side, (0, 0), (0, -1))
    side.arrange(tracks={0: (9, 9, 9, 9, 17, 9)})
    placed = side.place("YP", (0, 0), (0, -1))
    assert placed.track == (9, 9, 9, 9, 18, 9)
    assert placed.bonus_owed == 0
    assert ended(side).reason is EndReason.BOARD_FULL


def test_a_bonus_placement_can_fill_the_board() -> None:
    side = table(rack=["YP", "YP", "RB"])
    full_but(side, (0, 0), (0, -1), (3, 0), (3, 1))
    side.arrange(tracks={0: (9, 9, 9, 9, 17, 9)})
    assert side.place("YP", (0, 0), (0, -1)).bonus_owed == 1
    assert not side.game.is_over
    assert side.place("RB", (3, 0), (3, 1)).bonus_owed == 0
    assert ended(side).reason is EndReason.BOARD_FULL
    assert len(side.game.racks[0]) == 1


def test_a_bonus_placement_that_fills_the_board_and_earns_another() -> None:
    side = table(rack=["YP", "YP", "RB"])
    full_but(side, (0, 0), (0, -1), (3, 0), (3, 1))
    side.arrange(tracks={0: (9, 9, 9, 9, 17, 17)}, board={(4, 1): "P"})
    assert side.place("YP", (0, 0), (0, -1)).bonus_owed == 1
    placed = side.place("YP", (3, 0), (3, 1))
    assert placed.track == (9, 9, 9, 9, 18, 18)
    assert placed.bonus_owed == 0
    assert ended(side).reason is EndReason.BOARD_FULL


def test_all_at_the_cap_wins_at_once_and_cancels_what_is_owed() -> None:
    side = table(3)
    side.arrange(
        tracks={0: (17, 18, 17, 18, 18, 18), 1: (18, 18, 18, 18, 18, 17)},
        board={(1, 0): "R", (1, -2): "B"},
    )
    placed = side.place("RB", (0, 0), (0, -1))
    assert placed.track == (18,) * 6
    assert placed.bonus_owed == 0
    assert ended(side).reason is EndReason.ALL_AT_CAP
    assert ended(side).ranking == ((0,), (1,), (2,))
    assert ended(side).tracks[0] == (18,) * 6


def test_all_at_the_cap_by_a_bonus_placement() -> None:
    side = table()
    side.arrange(tracks={0: (17, 17, 18, 18, 18, 18)}, board={(1, 0): "R", (-3, 0): "G"})
    assert side.place("RB", (0, 0), (0, -1)).bonus_owed == 1
    assert side.place("GG", (-3, 1), (-3, 2)).bonus_owed == 0
    assert ended(side).reason is EndReason.ALL_AT_CAP


def test_all_at_the_cap_goes_before_a_full_board() -> None:
    side = table(rack=["YP", "RB", "RB"])
    full_but(side, (0, 0), (0, -1))
    side.arrange(tracks={0: (18, 18, 18, 18, 17, 18)})
    assert side.place("YP", (0, 0), (0, -1)).bonus_owed == 0
    assert ended(side).reason is EndReason.ALL_AT_CAP


def test_five_at_the_cap_are_not_all() -> None:
    side = table()
    side.arrange(tracks={0: (17, 18, 18, 18, 18, 17)}, board={(1, 0): "R"})
    assert side.place("RB", (0, 0), (0, -1)).bonus_owed == 1
    assert not side.game.is_over


def test_a_full_board_ranks_by_sorted_tracks_with_shared_ranks() -> None:
    side = table(4)
    full_but(side, (0, 0), (0, -1))
    side.arrange(
        tracks={
            0: (9, 12, 13, 18, 18, 18),
            1: (18, 9, 18, 12, 14, 18),
            2: (18, 18, 18, 13, 12, 9),
            3: (18, 18, 18, 18, 18, 8),
        }
    )
    side.place("RB", (0, 0), (0, -1))
    assert ended(side).ranking == ((1,), (0, 2), (3,))


# Around (0, 0), clockwise from the right: two and one behind a gap; one before a green; nothing;
# one; free for the other half; three.
AROUND = {
    **dict.fromkeys([(1, 0), (2, 0), (4, 0), (0, 1), (-1, 0)], "R"),
    **dict.fromkeys([(1, -1), (2, -2), (3, -3)], "R"),
    (0, 2): "G",
}


@pytest.mark.parametrize(
    ("tile", "cells", "points"),
    [
        # Five directions, each up to a gap or to something else.
        ("RB", ((0, 0), (0, -1)), {"R": 2 + 1 + 1 + 3}),
        ("BR", ((0, -1), (0, 0)), {"R": 2 + 1 + 1 + 3}),
        ("BR", ((0, 0), (0, -1)), {"R": 1 + 1}),
        # Each half of a double on its own: the tile just placed counts nothing itself.
        ("RR", ((0, 0), (0, -1)), {"R": 7 + 2}),
        ("RR", ((0, -1), (0, 0)), {"R": 7 + 2}),
        ("GG", ((0, 0), (0, -1)), {}),
        ("RG", ((-1, 1), (-1, 2)), {"R": 1 + 1, "G": 1}),
        # Printed symbols count like placed ones, and lines end at the edge.
        ("GB", ((4, -4), (5, -4)), {"G": 1}),
    ],
)
def test_scoring_looks_along_five_lines(
    tile: str, cells: tuple[Cell, Cell], points: dict[str, int]
) -> None:
    side = table(rack=["RB", "RR", "RG", "GG", "GB"])
    side.arrange(board=AROUND)
    counted = zip("RGBOYP", side.place(tile, *cells).points, strict=True)
    assert {letter: value for letter, value in counted if value} == points
