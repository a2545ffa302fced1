"""The pictures of docs/rules.md, drawn by the renderer that draws recorded games.

    python -m docs.pictures.draw          writes them beside this file (make pictures)

Positions are written as tiles are placed: `GP G8 H8`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from genial.client.palette import Theme
from genial.client.picture.board import BoardScene, Frame, box, draw_board, draw_tile
from genial.client.picture.record import record_svg
from genial.client.picture.shapes import draw_symbol, paint
from genial.client.picture.svg import Node, document, render
from genial.client.record_files import OpenedRecord, open_record
from genial.client.replay import Replay
from genial.engine.board import BESIDE_START, Board, axial_of, parse_cell, zone_of_radius
from genial.engine.hexgrid import Axial, hexagon
from genial.engine.legality import claimed_by, open_pairs
from genial.engine.moves import Cells
from genial.engine.rules import STOP, Track, weakest_first
from genial.engine.tiles import SYMBOLS, Symbol, Tile

FOLDER: Final = Path(__file__).parent
RECORD: Final = FOLDER.parents[1] / "tests" / "vectors" / "good" / "free-3-genial-greedy-53.genial"
NAMES: Final = ("Ana", "Max", "Lena")

PAINT: Final = paint(Theme.LIGHT)
_WORDS: Final = {
    Symbol.R: ("R red", "12-pointed star"),
    Symbol.G: ("G green", "disc"),
    Symbol.B: ("B blue", "6-pointed star"),
    Symbol.O: ("O orange", "hexagon"),
    Symbol.Y: ("Y yellow", "24-pointed star"),
    Symbol.P: ("P purple", "ring"),
}


def _page(width: float, height: float, title: str) -> Node:
    picture = document(width, height, title)
    picture.rect(0, 0, width, height, rx=8, fill=PAINT.ground)
    return picture


def _placed(rings: int, *placements: str) -> tuple[Board, list[Cells]]:
    """A board with tiles on it, and the cells of each tile."""
    board = Board.start(zone_of_radius(rings))
    tiles = []
    for placement in placements:
        letters, one, other = placement.split()
        cells = (parse_cell(one), parse_cell(other))
        board = board.place(Tile.parse_oriented(letters), cells)
        tiles.append(cells)
    return board, tiles


def _named(**cells: str) -> dict[Axial, str]:
    return {parse_cell(name): text for name, text in cells.items()}


# --- material


def symbols() -> str:
    """The six symbols with their letters, colours and shapes."""
    picture = _page(760, 156, "The six symbols")
    for place, symbol in enumerate(SYMBOLS):
        x = 66 + place * 125.5
        frame = Frame(34, x, 58)
        # One half of a tile is enough here.
        draw_board(
            picture,
            frame,
            BoardScene(Board.start(zone_of_radius(5)), cells=(), names=False),
            PAINT,
        )
        picture.circle(x, 58, 38, fill=PAINT.tile)
        draw_symbol(picture, symbol, x, 58, 40, PAINT)
        word, shape = _WORDS[symbol]
        picture.text(x, 122, word, 15, fill=PAINT.text, font_weight="700", text_anchor="middle")
        picture.text(x, 141, shape, 13, fill=PAINT.muted, text_anchor="middle")
    return render(picture)


def zones() -> str:
    """The whole board, its three zones, the printed symbols."""
    radius = 20.0
    width, height = box(7, radius)
    picture = _page(width + 40, height + 74, "The board and its three zones")
    board = Board.start(zone_of_radius(7))
    draw_board(picture, Frame.around(7, radius, 20, 16), BoardScene(board), PAINT)
    x = 40.0
    for shade, words in zip(
        PAINT.cells, ("1 or 2 players", "and these with 3", "and these with 4"), strict=True
    ):
        picture.rect(x, height + 36, 18, 18, rx=3, fill=shade, stroke=PAINT.name)
        picture.text(x + 26, height + 50, words, 15, fill=PAINT.text)
        x += 190
    return render(picture)


# --- a turn


def first_placement() -> str:
    """Where the second player may begin after the first began at R."""
    board, tiles = _placed(5, "RY D8 D9")
    claimed = claimed_by(tiles[0])
    assert claimed is not None
    may_touch = {
        cell
        for pair in open_pairs(board, frozenset({claimed}), started=False)
        for index in pair
        if (symbol := BESIDE_START.get(index)) is not None and symbol != claimed
        for cell in (axial_of(index),)
    }
    radius = 21.0
    width, height = box(5, radius)
    picture = _page(width + 40, height + 32, "Where a first tile may lie")
    scene = BoardScene(board, tiles=tiles, last=tiles[0], shaded=frozenset(may_touch))
    draw_board(picture, Frame.around(5, radius, 20, 16), scene, PAINT)
    return render(picture)


_AROUND: Final = ("GG F9 E10", "GO G7 H6", "PP H9 H10", "PB H11 G12", "PY I7 J7", "PO F8 F7")
"""What lies about the tile of the picture about scoring."""


def scoring() -> str:
    """A tile whose halves look along five lines each."""
    board, tiles = _placed(5, *_AROUND, "GP G8 H8")
    one, other = tiles[-1]
    lines = [
        (one, parse_cell("E10")),
        (one, parse_cell("G7")),
        (other, parse_cell("H11")),
        (other, parse_cell("I7")),
    ]
    notes = _named(D11="+2", G6="+1", H12="+3", J6="+1")
    return _close_up(board, tiles, lines, notes, "GP at G8 H8 scores G 3 and P 4")


def double() -> str:
    """A double, each half on five lines of its own."""
    board, tiles = _placed(5, "OO H6 H5", "OR H9 I9", "OY G9 F9", "OG I7 J7", "OO H7 H8")
    one, other = tiles[-1]
    lines = [
        (one, parse_cell("H5")),
        (one, parse_cell("I7")),
        (other, parse_cell("H9")),
        (other, parse_cell("G9")),
    ]
    notes = _named(H4="+2", J6="+1", H10="+1", F10="+1")
    return _close_up(board, tiles, lines, notes, "OO at H7 H8 scores O 5")


def _close_up(
    board: Board,
    tiles: Sequence[Cells],
    lines: Sequence[tuple[Axial, Axial]],
    notes: dict[Axial, str],
    title: str,
) -> str:
    radius = 26.0
    width, height = box(4, radius)
    picture = _page(width, height + 30, title)
    scene = BoardScene(
        board, tiles=tiles, last=tiles[-1], lines=lines, notes=notes, cells=hexagon(4)
    )
    draw_board(picture, Frame(radius, width / 2, height / 2 + 15), scene, PAINT)
    return render(picture)


# --- tracks


def _chips(parent: Node, track: Track, x: float, y: float, marked: int | None = None) -> None:
    """A track's counters, weakest first; `marked` is the place that counts here."""
    parent.rect(x, y - 20, 6 * 66 + 12, 40, rx=6, fill=PAINT.panel)
    for place, (symbol, points) in enumerate(weakest_first(track)):
        left = x + 8 + place * 66
        if place == marked:
            parent.rect(
                left, y - 16, 62, 32, rx=5, fill="none", stroke=PAINT.panel_strong, stroke_width=2
            )
        draw_symbol(parent, symbol, left + 18, y, 17, PAINT)
        parent.text(left + 37, y + 6, str(points), 16, fill=PAINT.panel_strong, font_weight="700")


def _rack(parent: Node, tiles: Sequence[str], x: float, y: float) -> None:
    for place, letters in enumerate(tiles):
        frame = Frame(17, x + 18 + place * 72, y)
        draw_tile(
            parent, frame, Tile.parse(letters), (Axial(0, 0), Axial(1, 0)), PAINT, bright=False
        )


def exchange() -> str:
    """Three racks, and who may exchange them by which rule."""
    cases: list[tuple[Track, Sequence[str], str, str]] = [
        (
            (4, 7, 9, 6, 2, 8),
            ("RG", "GB", "OO", "BP", "RP"),
            "No tile shows Y, the lowest symbol:",
            "both presets allow the exchange.",
        ),
        (
            (4, 7, 9, 2, 2, 8),
            ("RG", "GB", "OO", "BP", "RP"),
            "O and Y are lowest alike, and a tile shows O:",
            "official refuses; genial looks at the board.",
        ),
        (
            (2, 7, 9, 6, 4, 8),
            ("RR", "RB", "BB"),
            "A tile shows R, but nowhere would R or B find its like:",
            "genial allows the exchange, official does not.",
        ),
    ]
    picture = _page(960, 3 * 118 + 20, "When a rack may be exchanged")
    for row, (track, rack, words, verdict) in enumerate(cases):
        y = 44 + row * 118
        _chips(picture, track, 24, y)
        _rack(picture, rack, 30, y + 48)
        picture.text(470, y + 12, words, 16, fill=PAINT.text)
        picture.text(470, y + 38, verdict, 16, fill=PAINT.strong, font_weight="700")
    return render(picture)


def double_track() -> str:
    """A double tile that carries a counter across 18 on a track of double length."""
    left, step, y = 50.0, 18.0, 96.0
    picture = _page(left * 2 + 36 * step, 176, "Half by half across 18 on the double track")
    picture.rect(left - 22, y - 26, 36 * step + 44, 52, rx=6, fill=PAINT.panel)
    for value in range(0, 37, 6):
        stop = value in (STOP, 2 * STOP)
        x = left + value * step
        picture.line(
            (x, y - 22),
            (x, y + 22),
            stroke=PAINT.panel_strong if stop else PAINT.panel_grid,
            stroke_width=2 if stop else 1,
        )
        picture.text(
            x,
            y + 44,
            str(value),
            14,
            fill=PAINT.strong if stop else PAINT.muted,
            font_weight="700" if stop else None,
            text_anchor="middle",
        )
    for start, end, words, height in (
        (14, 18, "first half: 6 points, 4 count", y - 36),
        (18, 23, "second half: 5 points", y - 36),
    ):
        picture.line(
            (left + start * step, y),
            (left + end * step, y),
            stroke=PAINT.fill[Symbol.Y],
            stroke_width=6,
        )
        middle = left + (start + end) / 2 * step
        anchor = "end" if end == STOP else "start"
        picture.text(
            middle + (20 if end == STOP else -20),
            height,
            words,
            14,
            fill=PAINT.text,
            text_anchor=anchor,
        )
    for value in (14, 18, 23):
        picture.circle(left + value * step, y, 13, fill=PAINT.panel)
        draw_symbol(picture, Symbol.Y, left + value * step, y, 17, PAINT)
    picture.text(
        left + STOP * step,
        y + 68,
        "a bonus is owed here",
        14,
        fill=PAINT.text,
        text_anchor="middle",
    )
    return render(picture)


def ranking() -> str:
    """Two tracks compared from the weakest counter up."""
    picture = _page(660, 160, "Who ranks higher")
    for row, (name, track) in enumerate(
        (("1   Ana", (14, 9, 18, 12, 16, 15)), ("2   Max", (18, 9, 18, 12, 13, 17)))
    ):
        y = 46 + row * 52
        picture.text(24, y + 6, name, 17, fill=PAINT.strong, font_weight="700")
        _chips(picture, track, 120, y, marked=2)
    picture.text(
        120,
        145,
        "9 = 9, 12 = 12, then 14 beats 13; the 17 and 18 of Max no longer matter",
        14,
        fill=PAINT.text,
    )
    return render(picture)


# --- a game


def _game() -> tuple[OpenedRecord, Replay]:
    opened = open_record(RECORD)
    header = opened.record.header
    seats = tuple(replace(seat, name=name) for seat, name in zip(header.seats, NAMES, strict=True))
    record = replace(
        opened.record, header=replace(header, seats=seats, game_id="an example of three bots")
    )
    return replace(opened, record=record), Replay.of(record)


def game() -> str:
    """A whole game as `genial record show --svg` draws it."""
    return record_svg(*_game(), theme=Theme.LIGHT)


PICTURES: Final[dict[str, Callable[[], str]]] = {
    "symbols": symbols,
    "zones": zones,
    "first-placement": first_placement,
    "scoring": scoring,
    "double": double,
    "exchange": exchange,
    "double-track": double_track,
    "ranking": ranking,
    "game": game,
}
"""File name without its ending: what draws it."""


def main() -> int:
    """Writes every picture beside this file."""
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw(), encoding="utf-8", newline="\n")
    print(f"Drew {len(PICTURES)} pictures in {FOLDER}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
