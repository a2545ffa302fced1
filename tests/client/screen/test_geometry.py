"""The grid arithmetic of both sizes, for every cell of every zone."""

from __future__ import annotations

import pytest

from genial.client.palette import Look
from genial.client.view.board import BoardPicture, draw_board
from genial.client.view.canvas import Canvas
from genial.client.view.geometry import (
    Grid,
    LargeGrid,
    Size,
    SmallGrid,
    board_grid,
    size_for,
)
from genial.client.view.large import log_box
from genial.client.view.rack import slot_at_large, slot_at_small
from genial.engine.board import Board, zone_of_radius

RADII = (5, 6, 7)
PLAYERS = {5: 2, 6: 3, 7: 4}


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("offset", [(0, 0), (11, 1), (3, 7)])
def test_small_cells_are_found_under_every_character(radius: int, offset: tuple[int, int]) -> None:
    grid = SmallGrid(radius, *offset)
    owners = {}
    for cell in zone_of_radius(radius).cells:
        x, y = grid.origin(cell)
        for dx in range(4):
            assert (x + dx, y) not in owners
            owners[x + dx, y] = cell
    for x in range(-3, grid.ox + grid.width + 8):
        for y in range(-3, grid.oy + grid.height + 4):
            assert grid.cell_at(x, y) == owners.get((x, y))
    assert min(x for x, _ in owners) == grid.ox
    assert max(x for x, _ in owners) == grid.ox + grid.width  # the last gap
    assert {y for _, y in owners} == set(range(grid.oy, grid.oy + grid.height))


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("offset", [(0, 0), (1, 1), (4, 6)])
def test_large_cells_are_found_under_every_character(radius: int, offset: tuple[int, int]) -> None:
    grid = LargeGrid(radius, *offset)
    owners = {}
    shape = [(0, 1), (0, 2), (0, 3), *((1, dx) for dx in range(5)), (2, 1), (2, 2), (2, 3)]
    for cell in zone_of_radius(radius).cells:
        x, y = grid.origin(cell)
        for dy, dx in shape:
            assert (x + dx, y + dy) not in owners, "two cells share a character"
            owners[x + dx, y + dy] = cell
    for place, cell in owners.items():
        assert grid.cell_at(*place) == cell
    # What no cell draws belongs to none, but for the gaps of the middle rows.
    for x in range(grid.ox - 8, grid.ox + grid.width + 8):
        for y in range(grid.oy - 4, grid.oy + grid.height + 4):
            if (x, y) in owners:
                continue
            if (y - grid.oy) % 2:
                assert grid.cell_at(x, y) == owners.get((x - 1, y))
    assert min(x for x, _ in owners) == grid.ox
    assert max(x for x, _ in owners) == grid.ox + grid.width - 1
    assert max(y for _, y in owners) == grid.oy + grid.height - 1


@pytest.mark.parametrize(
    ("radius", "width", "height", "size"),
    [
        (5, 96, 32, Size.L),
        (5, 95, 32, Size.S),
        (5, 96, 31, Size.S),
        (6, 108, 36, Size.L),
        (6, 107, 36, Size.S),
        (7, 120, 40, Size.L),
        (7, 119, 40, Size.S),
        (7, 120, 39, Size.S),
        (7, 80, 24, Size.S),
        (7, 79, 24, None),
        (5, 80, 23, None),
        (5, 0, 0, None),
    ],
)
def test_choice_of_size(radius: int, width: int, height: int, size: Size | None) -> None:
    assert size_for(radius, width, height) is size


def test_boxes_are_those_of_the_design() -> None:
    assert [(SmallGrid(r, 0, 0).width, SmallGrid(r, 0, 0).height) for r in RADII] == [
        (43, 11),
        (51, 13),
        (59, 15),
    ]
    assert [(LargeGrid(r, 0, 0).width, LargeGrid(r, 0, 0).height) for r in RADII] == [
        (65, 23),
        (77, 27),
        (89, 31),
    ]
    assert board_grid(7, 80, 24) == SmallGrid(7, 11, 1)
    assert board_grid(7, 120, 40) == LargeGrid(7, 1, 1)


def windows() -> list[tuple[int, int]]:
    return [
        (w, h) for w in (80, 96, 100, 108, 120, 131, 160, 203) for h in (24, 30, 32, 40, 50, 71)
    ]


def drawn(grid: Grid, radius: int, width: int, height: int) -> set[tuple[int, int]]:
    """Every place that the board itself writes to."""
    canvas = Canvas(width, height, "nothing")
    board = Board.start(zone_of_radius(radius))
    draw_board(canvas, grid, BoardPicture(board), Look())
    return {
        (x, y)
        for y in range(height)
        for x in range(width)
        if canvas.ink(x, y).bg != "nothing" or canvas.char(x, y) != " "
    }


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("window", windows())
def test_board_fits_and_covers_nothing(radius: int, window: tuple[int, int]) -> None:
    width, height = window
    grid = board_grid(radius, width, height)
    assert grid is not None
    places = drawn(grid, radius, width, height)
    assert min(x for x, _ in places) >= 0
    assert max(x for x, _ in places) < width
    for y in {y for _, y in places}:
        assert max(x for x, row in places if row == y) < grid.right_edge(y) <= width + 4
    if isinstance(grid, SmallGrid):
        assert {y for _, y in places} <= set(range(1, 16)), "tracks begin in row 16"
        return
    assert {y for _, y in places} <= set(range(1, height - 8)), "the rack begins there"
    tracks = {(x, y) for x in range(width - 28, width) for y in range(1, 1 + 7 * PLAYERS[radius])}
    assert not places & tracks
    x, y, columns, rows = log_box(width, height, grid, 2 + 7 * PLAYERS[radius])
    box = {(x + dx, y + dy) for dx in range(columns) for dy in range(rows)}
    assert not places & box
    assert not tracks & box
    assert rows >= 5
    assert columns >= 30
    assert x + columns == width


def test_slots_of_the_rack() -> None:
    small = [slot_at_small(52, 16, x, y) for y in (17, 19) for x in (52, 60, 62, 69, 71, 79)]
    assert small == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert slot_at_small(52, 16, 51, 17) is None
    assert slot_at_small(52, 16, 52, 18) is None
    assert [slot_at_large(0, 32, 1 + 12 * n, 35) for n in range(7)] == [0, 1, 2, 3, 4, 5, None]
    assert slot_at_large(0, 32, 1, 32) is None
