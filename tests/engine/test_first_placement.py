"""The first placement of each player (rules, section 3)."""

from __future__ import annotations

import pytest

from genial.engine.game import Phase, PlaceTile, Resign, SkipTurn
from genial.engine.hexgrid import Axial
from genial.engine.refusal import Refusal
from genial.engine.rules import Leaving, Mode, Rules
from genial.engine.tiles import Tile
from tests.engine.side_by_side import SideBySide
from tests.referee import naive

RED, GREEN, BLUE = (0, -5), (5, -5), (5, 0)


def table(players: int = 2, mode: Mode = Mode.FREE) -> SideBySide:
    side = SideBySide(Rules(mode=mode, players=players, leaving=Leaving.SKIP))
    side.arrange(racks={seat: ["GG", "RB", "RB", "RB", "RB", "RB"] for seat in range(players)})
    return side


def refusal(side: SideBySide, tile: str, one: tuple[int, int], other: tuple[int, int]) -> Refusal:
    cells = (Axial(*one), Axial(*other))
    return side.refused(PlaceTile(side.turn, Tile.parse_oriented(tile), cells))


def claimed(side: SideBySide) -> str:
    return "".join(sorted(symbol.letter for symbol in side.game.claimed))


@pytest.mark.parametrize("cells", [((0, -4), (0, -3)), ((0, -3), (0, -4)), ((1, -5), (0, -4))])
@pytest.mark.parametrize("tile", ["GG", "RB", "BR"])
def test_either_half_may_touch_the_symbol_and_no_colour_has_to_match(
    tile: str, cells: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    side = table()
    side.place(tile, *cells)
    assert claimed(side) == "R"
    assert side.game.started == {0}


def test_a_symbol_serves_one_player_only_and_only_for_the_start() -> None:
    side = table(3)
    side.place("RB", (0, -4), (0, -3))
    side.refill()
    assert refusal(side, "RB", (1, -5), (2, -5)) is Refusal.START_SYMBOL_TAKEN
    assert refusal(side, "RB", (0, 0), (1, 0)) is Refusal.START_SYMBOL_NEEDED
    side.place("RB", (4, -4), (3, -3))
    side.refill()
    assert claimed(side) == "GR"
    assert refusal(side, "RB", (1, -5), (2, -5)) is Refusal.START_SYMBOL_TAKEN
    assert refusal(side, "RB", (5, -4), (4, -3)) is Refusal.START_SYMBOL_TAKEN
    side.place("RB", (4, 0), (3, 0))
    side.refill()
    assert claimed(side) == "BGR"
    # From here on anything free will do, touching nothing or beside somebody's symbol.
    side.place("GG", (0, 0), (1, 0))
    side.refill()
    side.place("GG", (1, -5), (2, -5))
    assert claimed(side) == "BGR"


def test_every_partner_starts_at_a_symbol_of_their_own() -> None:
    side = table(4, Mode.PARTNERS)
    for cells in [((0, -4), (0, -3)), ((4, -4), (3, -3))]:
        side.place("RB", *cells)
        side.refill()
    assert side.turn == 2
    assert refusal(side, "RB", (1, -5), (2, -5)) is Refusal.START_SYMBOL_TAKEN
    side.place("RB", (4, 0), (3, 0))
    assert claimed(side) == "BGR"


def test_a_bonus_placement_after_the_first_is_free() -> None:
    side = table()
    side.arrange(tracks={0: (17, 0, 0, 0, 0, 0)})
    assert side.place("RB", (0, -4), (0, -3)).bonus_owed == 1
    side.place("GG", (0, 0), (1, 0))
    assert side.game.phase is Phase.CLOSE
    assert claimed(side) == "R"


def test_solitaire_starts_at_a_symbol_too() -> None:
    side = SideBySide(Rules(mode=Mode.SOLO, players=1))
    side.arrange(racks={0: ["GG"]})
    assert refusal(side, "GG", (0, 0), (1, 0)) is Refusal.START_SYMBOL_NEEDED
    side.place("GG", (0, -4), (0, -3))
    side.arrange(racks={0: ["GG"]})
    side.place("GG", (0, 0), (1, 0))


def test_skipping_does_not_count_as_starting() -> None:
    side = table()
    side.do(SkipTurn(0))
    side.place("RB", (0, -4), (0, -3))
    side.refill()
    assert side.game.started == {1}
    assert refusal(side, "RB", (0, 0), (1, 0)) is Refusal.START_SYMBOL_NEEDED
    assert refusal(side, "RB", (1, -5), (2, -5)) is Refusal.START_SYMBOL_TAKEN


def test_the_symbol_of_somebody_who_resigned_stays_taken() -> None:
    side = table(3)
    side.place("RB", (0, -4), (0, -3))
    side.do(Resign(0))
    assert side.turn == 1
    assert refusal(side, "RB", (1, -5), (2, -5)) is Refusal.START_SYMBOL_TAKEN


def beside(*symbols: tuple[int, int]) -> dict[tuple[int, int], str]:
    """Orange on every cell beside these symbols that is in the zone of two."""
    cells = naive.zone(2)
    return {cell: "O" for symbol in symbols for cell in naive.neighbours(symbol) if cell in cells}


def test_without_a_free_pair_at_any_unclaimed_symbol_anything_will_do() -> None:
    side = table()
    others = [symbol for symbol in naive.START_SYMBOLS if symbol != RED]
    side.arrange(claimed="R", board=beside(*others))
    listed = len(side.game.legal_pairs(0))
    assert listed == len(side.game.board.free_pairs())
    side.compare_placements()
    side.place("RB", (0, 0), (1, 0))
    assert claimed(side) == "R"
    assert side.game.started == {0}


def test_the_claimed_symbol_may_then_be_used_again() -> None:
    side = table()
    others = [symbol for symbol in naive.START_SYMBOLS if symbol != RED]
    side.arrange(claimed="R", board=beside(*others))
    assert side.place("RB", (0, -4), (0, -3)).points == (1, 0, 0, 0, 0, 0)
    assert claimed(side) == "R"


def test_one_free_pair_at_an_unclaimed_symbol_binds() -> None:
    side = table()
    others = [symbol for symbol in naive.START_SYMBOLS if symbol != RED]
    side.arrange(claimed="R", board=beside(*others) | {(5, 0): "B", (4, 0): ""})
    # (4, 0) touches B; its free neighbours make the pairs.
    assert refusal(side, "RB", (0, 0), (1, 0)) is Refusal.START_SYMBOL_NEEDED
    assert refusal(side, "RB", (0, -4), (0, -3)) is Refusal.START_SYMBOL_TAKEN
    side.compare_placements()
    side.place("RB", (4, 0), (3, 0))
    assert claimed(side) == "BR"


def test_a_free_cell_that_makes_no_pair_does_not_bind() -> None:
    side = table()
    others = [symbol for symbol in naive.START_SYMBOLS if symbol != RED]
    around = {cell: "O" for cell in naive.neighbours((4, 0)) if cell != BLUE}
    side.arrange(claimed="R", board=beside(*others) | around | {(4, 0): ""})
    side.compare_placements()
    side.place("RB", (0, 0), (1, 0))
    assert claimed(side) == "R"


def test_if_everybody_has_claimed_and_one_was_skipped_one_symbol_is_left() -> None:
    side = table(4)
    side.arrange(claimed="RGB", started=[1, 2, 3])
    assert {symbol.letter for symbol in side.game.claimed} == set("RGB")
    pairs = side.game.legal_pairs(0)
    assert len(pairs) == 3 * 24
    side.compare_placements()
