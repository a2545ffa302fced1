"""A board in sentences, for listening; `record_show` draws it for looking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from genial.client.text import _
from genial.engine.board import START_SYMBOLS, Board, cell_name
from genial.engine.hexgrid import Axial


def board_sentences(board: Board) -> list[str]:
    """The board row by row: what lies where, then what is free, runs of cells shortened.

    `Row C: C8 R, C13 G. Free: C9 to C12.`
    """
    said = []
    for row in _rows(board):
        letter = cell_name(row[0])[0]
        taken = [cell for cell in row if board[cell] is not None]
        parts = []
        if taken:
            parts.append(", ".join(_contents(board, cell) for cell in taken) + ".")
        free = [cell for cell in row if board[cell] is None]
        if free:
            parts.append(_("Free: {cells}.").format(cells=", ".join(_runs(free))))
        said.append(_("Row {letter}: {contents}").format(letter=letter, contents=" ".join(parts)))
    return said


def _rows(board: Board) -> Iterator[Sequence[Axial]]:
    for _r, cells in groupby(board.zone.cells, key=lambda cell: cell.r):
        yield tuple(cells)


def _contents(board: Board, cell: Axial) -> str:
    symbol = board[cell]
    if symbol is None:
        raise AssertionError("only taken cells have contents")
    if cell in START_SYMBOLS:
        return _("{cell} {symbol} printed").format(cell=cell_name(cell), symbol=symbol.letter)
    return f"{cell_name(cell)} {symbol.letter}"


def _runs(cells: Sequence[Axial]) -> Iterator[str]:
    """Cells of one row, neighbours in a run joined: `D5`, `D8 to D12`."""
    start = 0
    for at in range(1, len(cells) + 1):
        if at < len(cells) and cells[at].q == cells[at - 1].q + 1:
            continue
        first, last = cell_name(cells[start]), cell_name(cells[at - 1])
        if at - start == 1:
            yield first
        else:
            yield _("{first} to {last}").format(first=first, last=last)
        start = at
