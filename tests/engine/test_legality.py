"""What is listed as legal is exactly what `decide` accepts, and what the view says."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genial.engine.board import axial_of, index_of
from genial.engine.game import Game, Phase, Placed, PlaceTile, decide
from genial.engine.hexgrid import Axial, are_adjacent, hexagon, neighbours
from genial.engine.moves import Cells
from genial.engine.refusal import Refusal, Refused
from genial.engine.rules import Mode, Rules
from genial.engine.tiles import SYMBOLS, Tile
from genial.engine.view import view_for
from tests.engine.side_by_side import EVERY_RULES, TABLES, SideBySide, name_of, play_on

EVERY_TILE = [Tile(one, other) for one in SYMBOLS for other in SYMBOLS]
MODES = [Rules(mode=mode, players=players) for mode, players in TABLES]


@pytest.mark.parametrize(
    ("mode", "players", "pairs", "at_a_symbol"),
    [
        (Mode.SOLO, 1, 222, 9),
        (Mode.FREE, 2, 222, 9),
        (Mode.FREE, 3, 306, 17),
        (Mode.FREE, 4, 426, 24),
        (Mode.PARTNERS, 4, 426, 24),
    ],
)
def test_the_start_position_counts(mode: Mode, players: int, pairs: int, at_a_symbol: int) -> None:
    side = SideBySide(Rules(mode=mode, players=players))
    assert len(side.game.board.free_pairs()) == pairs
    assert len(side.game.legal_pairs(0)) == 6 * at_a_symbol
    for unclaimed in "RGBOYP":
        side.arrange(claimed="RGBOYP".replace(unclaimed, ""))
        assert len(side.game.legal_pairs(0)) == at_a_symbol
        side.compare_placements()
    side.arrange(started=[0], claimed="")
    assert len(side.game.legal_pairs(0)) == pairs
    side.arrange(racks={0: ["RR", "RG", "RG", "RB", "BB", "YP"][: side.rules.rack_size]})
    kinds = {1: 1, 6: 2 + 2 * 3}[side.rules.rack_size]
    assert len(side.game.legal_placements(0)) == pairs * kinds
    side.compare_placements()


def outcome(game: Game, command: PlaceTile) -> Placed | Refusal:
    try:
        placed = decide(game, command)[0]
    except Refused as refused:
        return refused.refusal
    assert isinstance(placed, Placed)
    return placed


def spots(game: Game) -> Iterator[Cells]:
    """Every two neighbours both ways round, over the edge too."""
    for cell in hexagon(game.board.zone.radius + 1):
        for other in neighbours(cell):
            yield cell, other


@pytest.mark.parametrize("rules", MODES, ids=name_of)
@pytest.mark.parametrize("steps", [0, 4, 25])
def test_decide_accepts_exactly_what_is_listed(rules: Rules, steps: int) -> None:
    rng = random.Random(steps)
    side = SideBySide(rules, steps)
    play_on(side, rng, "random", steps)
    while side.game.phase not in (Phase.PLACE, Phase.BONUS):
        side.refill()
    game = side.game
    side.compare_placements()
    listed = set(game.legal_placements(game.turn))
    view = view_for(game, game.turn)
    assert view.legal_pairs() == game.legal_pairs(game.turn)
    in_reach = view.cells_in_reach()
    accepted = set()
    # All tiles where it may be the tile that matters, one of them everywhere.
    tiles = [*game.racks[game.turn], Tile(SYMBOLS[0], SYMBOLS[1]), Tile(SYMBOLS[5], SYMBOLS[5])]
    for cells in spots(game):
        for tile in EVERY_TILE if rng.random() < 0.1 else rng.sample(tiles, 1):
            result = outcome(game, PlaceTile(game.turn, tile, cells))
            refused = view.refusal_for(tile, cells)
            assert result == refused.refusal if refused else isinstance(result, Placed)
            if isinstance(result, Placed):
                accepted.add(as_listed(tile, cells, listed))
                assert set(cells) <= in_reach
            elif as_listed(tile, cells, listed) in listed:
                raise AssertionError(f"{tile} on {cells} is listed, and refused: {result}")
    assert accepted <= listed
    # And the other way round, without leaving anything out.
    for tile, cells in listed:
        assert isinstance(outcome(game, PlaceTile(game.turn, tile, cells)), Placed)


def as_listed(tile: Tile, cells: Cells, listed: set[tuple[Tile, Cells]]) -> tuple[Tile, Cells]:
    """The way a placement is written in the list, which knows each pair of cells one way round."""
    turned = (tile.flipped, (cells[1], cells[0]))
    return turned if turned in listed else (tile, cells)


@pytest.mark.parametrize("steps", [0, 20])
def test_cells_that_are_no_neighbours_are_never_accepted(steps: int) -> None:
    side = SideBySide(MODES[0], steps)
    play_on(side, random.Random(steps), steps=steps)
    while side.game.phase is not Phase.PLACE:
        side.refill()
    game = side.game
    tile = game.racks[game.turn][0]
    around = hexagon(game.board.zone.radius + 1)
    for one, other in itertools.product(around, around):
        if not are_adjacent(one, other):
            refusal = outcome(game, PlaceTile(game.turn, tile, (one, other)))
            assert refusal in (Refusal.CELLS_NOT_ADJACENT, Refusal.OUTSIDE_ZONE)


wild_cell = st.builds(Axial, st.integers(-9, 9), st.integers(-9, 9))
near_cells = wild_cell.flatmap(
    lambda cell: st.tuples(st.just(cell), st.sampled_from(neighbours(cell)))
)


@settings(max_examples=settings().max_examples // 2)
@given(
    rules=st.sampled_from(EVERY_RULES),
    steps=st.integers(0, 80),
    style=st.sampled_from(["random", "level"]),
    data=st.data(),
)
def test_wild_placements_are_judged_as_by_the_referee(
    rules: Rules, steps: int, style: str, data: st.DataObject
) -> None:
    side = positions(rules, steps, style)
    if side.game.is_over:
        return
    seat = data.draw(st.one_of(st.just(side.turn), st.integers(-1, 4)))
    tile = data.draw(st.sampled_from([*side.game.racks[side.turn], *EVERY_TILE]))
    free = [(axial_of(one), axial_of(other)) for one, other in side.game.board.free_pairs()]
    cells = data.draw(st.one_of(st.sampled_from(free), near_cells, st.tuples(wild_cell, wild_cell)))
    view = view_for(side.game, side.turn).refusal_for(tile, cells)
    refusal = side.attempt(PlaceTile(seat, tile, cells))
    if seat == side.turn:
        assert (view and view.refusal) is refusal


def positions(rules: Rules, steps: int, style: str) -> SideBySide:
    """A position that comes up in play."""
    side = SideBySide(rules, steps)
    play_on(side, random.Random(steps), style, steps)
    return side


@pytest.mark.parametrize("rules", MODES, ids=name_of)
@pytest.mark.parametrize("style", ["random", "level"])
def test_a_view_scores_placements_as_they_turn_out(rules: Rules, style: str) -> None:
    rng = random.Random(3)
    side = SideBySide(rules, 3)
    for _ in range(4):
        play_on(side, rng, style, steps=rng.randrange(12, 30))
        while side.game.phase is Phase.CLOSE:
            side.refill()
        game = side.game
        if game.is_over:
            break
        view = view_for(game, game.turn)
        scored = view.scored_placements()
        assert {(one.tile, one.cells) for one in scored} == set(game.legal_placements(game.turn))
        assert [one.total for one in scored] == sorted((one.total for one in scored), reverse=True)
        lines = game.board.line_values()
        for one in rng.sample(scored, min(60, len(scored))):
            placed = outcome(game, PlaceTile(game.turn, one.tile, one.cells))
            assert isinstance(placed, Placed)
            assert placed.points == one.points == view.points_of(one.tile, one.cells)
            assert one.total == sum(one.points)
            pair = game.board.points(one.tile, one.cells)
            assert pair == (
                lines[one.tile[0]][index_of(one.cells[0])],
                lines[one.tile[1]][index_of(one.cells[1])],
            )
            assert bool(game.board.scoring_cells(one.tile, one.cells)) == (sum(pair) > 0)
