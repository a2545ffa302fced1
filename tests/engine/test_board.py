"""Hexagons, cells, tiles, lines: the board beside the referee's."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genial.engine.board import (
    BESIDE_START,
    SIZE,
    START_SYMBOLS,
    Board,
    MalformedBoardError,
    MalformedCellError,
    axial_of,
    cell_name,
    index_of,
    parse_cell,
    zone_of_radius,
)
from genial.engine.hexgrid import (
    CENTRE,
    DIRECTIONS,
    Axial,
    are_adjacent,
    hexagon,
    neighbours,
    ray,
    ring,
)
from genial.engine.tiles import (
    FULL_SET,
    LETTERS,
    SYMBOLS,
    TILE_KINDS,
    MalformedTileError,
    Symbol,
    Tile,
    copies_of,
    rack_text,
)
from tests.referee import naive, shuffle

RADIUS_OF = {1: 5, 2: 5, 3: 6, 4: 7}
cells = st.sampled_from(hexagon(7))


def test_six_directions_clockwise_from_the_right() -> None:
    assert len(set(DIRECTIONS)) == 6
    for one, following in zip(DIRECTIONS, (*DIRECTIONS[1:], DIRECTIONS[0]), strict=True):
        # Turning by 60 degrees to the right: (q, r) becomes (-r, q + r).
        assert following == (-one.r, one.q + one.r)
    assert Axial(0, 0) + DIRECTIONS[0] == (1, 0)


@given(cells)
def test_rings_neighbours_and_rays(cell: Axial) -> None:
    assert ring(cell) == naive.ring(cell) == max(abs(cell.q), abs(cell.r), abs(cell.s))
    assert set(neighbours(cell)) == set(naive.neighbours(cell))
    assert all(are_adjacent(cell, other) for other in neighbours(cell))
    assert not are_adjacent(cell, cell)
    for direction in DIRECTIONS:
        line = ray(cell, direction)
        assert [next(line) for _ in range(3)] == [
            (cell.q + step * direction.q, cell.r + step * direction.r) for step in (1, 2, 3)
        ]


@pytest.mark.parametrize(
    ("players", "inside", "free", "pairs"),
    [(1, 91, 85, 222), (2, 91, 85, 222), (3, 127, 121, 306), (4, 169, 163, 426)],
)
def test_zones(players: int, inside: int, free: int, pairs: int) -> None:
    zone = zone_of_radius(RADIUS_OF[players])
    board = Board.start(zone)
    assert set(zone.cells) == naive.zone(players)
    assert list(zone.cells) == sorted(zone.cells, key=lambda cell: (cell.r, cell.q))
    assert len(zone.cells) == len(board.packed()) == inside
    assert sum(map(board.is_free, zone.cells)) == board.free.bit_count() == free
    assert len(board.free_pairs()) == pairs
    assert len({frozenset(pair) for pair in zone.pairs}) == len(zone.pairs)
    assert all(are_adjacent(axial_of(one), axial_of(other)) for one, other in zone.pairs)
    assert Axial(zone.radius, 0) in zone
    assert Axial(zone.radius + 1, 0) not in zone
    assert "H8" not in zone


def test_the_start_symbols_lie_in_the_corners_of_ring_five_for_every_zone() -> None:
    assert {tuple(cell): symbol.letter for cell, symbol in START_SYMBOLS.items()} == (
        naive.START_SYMBOLS
    )
    names = {symbol.letter: cell_name(cell) for cell, symbol in START_SYMBOLS.items()}
    assert names == {"R": "C8", "G": "C13", "B": "H13", "O": "M8", "Y": "M3", "P": "H3"}
    for radius in (5, 6, 7):
        board = Board.start(zone_of_radius(radius))
        assert {cell: board[cell] for cell in hexagon(radius) if board[cell]} == START_SYMBOLS
    # No cell, and no pair of cells, touches two of them.
    assert len(BESIDE_START) == 36
    for index, symbol in BESIDE_START.items():
        touched = {BESIDE_START.get(index_of(cell)) for cell in neighbours(axial_of(index))}
        assert touched <= {symbol, None}


def test_cell_names() -> None:
    assert cell_name(CENTRE) == "H8"
    names = {cell_name(cell) for cell in hexagon(7)}
    assert len(names) == 169
    for cell in hexagon(7):
        assert parse_cell(cell_name(cell)) == parse_cell(cell_name(cell).lower()) == cell
        assert axial_of(index_of(cell)) == cell
        assert 0 <= index_of(cell) < SIZE
    for row in "ABCDEFGHIJKLMNOP":
        for number in range(20):
            if f"{row}{number}" not in names:
                with pytest.raises(MalformedCellError):
                    parse_cell(f"{row}{number}")
    for text in ("", "H", "8", "HH8", "H8 ", " H8", "H-1", "H8\n", "H٨", "ä8", "H008", "H" * 999):
        with pytest.raises(MalformedCellError, match="no cell"):
            parse_cell(text)


def test_tiles() -> None:
    assert rack_text(FULL_SET) == shuffle.standard_tiles()
    assert len(TILE_KINDS) == 21
    assert sum(map(copies_of, TILE_KINDS)) == len(FULL_SET) == 120
    assert list(TILE_KINDS) == sorted(TILE_KINDS)
    assert "".join(symbol.letter for symbol in SYMBOLS) == LETTERS == shuffle.LETTERS
    for one in SYMBOLS:
        assert Symbol.from_letter(one.letter) is one
        for other in SYMBOLS:
            tile = Tile(one, other)
            assert Tile.parse_oriented(str(tile)) == tile
            assert tile.canonical == tile.flipped.canonical == Tile.parse(str(tile.flipped))
            assert str(tile.canonical) == naive.canonical(str(tile))
            assert tile.is_double == (one == other)
            assert one in tile
            assert eval(repr(tile), {"Tile": Tile}) == tile
    for text in ("", "R", "RBG", "rb", "RX", "R B", "Rb", "ЯB"):
        with pytest.raises(MalformedTileError, match="no tile"):
            Tile.parse(text)
        with pytest.raises(MalformedTileError):
            Tile.parse_oriented(text)
    for text in ("", "r", "X", "RB", "name"):
        with pytest.raises(MalformedTileError, match="no symbol"):
            Symbol.from_letter(text)


def scattered(players: int, seed: int, density: float) -> tuple[Board, dict[naive.Cell, str]]:
    """A board with anything anywhere, the engine's and the referee's."""
    rng = random.Random(seed)
    few = rng.choice(["RGBOYP", "RG", "R"])
    zone = zone_of_radius(RADIUS_OF[players])
    letters: dict[naive.Cell, str] = dict(naive.START_SYMBOLS)
    for cell in zone.cells:
        if cell not in letters and rng.random() < density:
            letters[cell] = rng.choice(few)
    packed = bytes(" RGBOYP".index(letters.get(cell, " ")) for cell in zone.cells)
    return Board.unpack(zone, packed), letters


boards = st.builds(
    scattered,
    st.sampled_from([2, 3, 4]),
    st.integers(0, 1000),
    st.sampled_from([0.02, 0.2, 0.5, 0.8, 0.95, 0.99, 1.0]),
)


@given(boards, st.sets(st.sampled_from(LETTERS), min_size=1))
def test_lines_and_room_are_the_referees(
    both: tuple[Board, dict[naive.Cell, str]], shown: set[str]
) -> None:
    board, letters = both
    zone = set(board.zone.cells)
    pairs = naive.free_pairs(letters, zone)
    assert {frozenset(map(axial_of, pair)) for pair in board.free_pairs()} == set(
        map(frozenset, pairs)
    )
    assert board.has_room() == bool(pairs)
    values = board.line_values()
    found = False
    for one, other in pairs:
        for letter in LETTERS:
            symbol = Symbol.from_letter(letter)
            points = naive.half_points(letters, letter, one, other)
            assert board.half_points(symbol, index_of(one), index_of(other)) == points
            assert values[symbol][index_of(one)] == points
            back = naive.half_points(letters, letter, other, one)
            assert board.points(Tile(symbol, symbol), (Axial(*one), Axial(*other))) == (
                points,
                back,
            )
            found = found or (letter in shown and points + back > 0)
    assert board.sees_any({int(Symbol.from_letter(letter)) for letter in shown}) == found


@given(boards)
def test_a_board_is_packed_and_unpacked(both: tuple[Board, dict[naive.Cell, str]]) -> None:
    board, letters = both
    again = Board.unpack(board.zone, board.packed())
    assert again == board
    for cell in hexagon(8):
        symbol = again[cell]
        assert (symbol.letter if symbol else None) == letters.get(cell)
        assert again.is_free(cell) == (cell in board.zone and cell not in letters)


@pytest.mark.parametrize("packed", [b"", bytes(90), bytes(92), bytes(127), b"\x07" + bytes(90)])
def test_bytes_that_are_no_board(packed: bytes) -> None:
    with pytest.raises(MalformedBoardError, match="packed board"):
        Board.unpack(zone_of_radius(5), packed)


@given(boards, st.data())
def test_placing_fills_two_cells_and_scoring_cells_are_those_in_line(
    both: tuple[Board, dict[naive.Cell, str]], data: st.DataObject
) -> None:
    board, letters = both
    pairs = board.free_pairs()
    if not pairs:
        return
    one, other = map(axial_of, data.draw(st.sampled_from(pairs)))
    tile = data.draw(st.sampled_from(TILE_KINDS))
    found = board.scoring_cells(tile, (one, other))
    assert list(found) == sorted(found, key=lambda cell: (cell.r, cell.q))
    assert {board[cell] for cell in found} <= set(tile)
    if not tile.is_double:
        # A cell can be in line with both halves of a double, and then counts for each.
        assert len(found) == sum(board.points(tile, (one, other)))
    after = board.place(tile, (one, other))
    assert after[one] == tile.first
    assert after[other] == tile.second
    expected = {**letters, one: tile.first.letter, other: tile.second.letter}
    assert after.packed() == bytes(" RGBOYP".index(expected.get(c, " ")) for c in board.zone.cells)
    assert after == Board.unpack(board.zone, after.packed())
    assert board[one] is None
