"""What may be placed where, and when a rack may be exchanged (rules, section 3).

The authority (`game.decide`), a player's view and the reader of records all ask here.
"""

from __future__ import annotations

from collections.abc import Iterable

from genial.engine.board import BESIDE_START, Board, axial_of, cell_name, index_of
from genial.engine.hexgrid import are_adjacent
from genial.engine.moves import Cells, Phase
from genial.engine.refusal import Refusal, Refused
from genial.engine.rules import Preset, Rules, Track, lowest_symbols
from genial.engine.tiles import Symbol, Tile


def open_pairs(
    board: Board, claimed: frozenset[Symbol] | set[Symbol], started: bool
) -> list[tuple[int, int]]:
    """The free pairs (mailbox indices) that a placement may use.

    A first placement needs a half beside an unclaimed start symbol, as long as any
    such pair is free (rules, section 3); `started` says that it was made.
    """
    pairs = board.free_pairs()
    if started:
        return pairs
    unclaimed = {index for index, symbol in BESIDE_START.items() if symbol not in claimed}
    beside = [pair for pair in pairs if pair[0] in unclaimed or pair[1] in unclaimed]
    return beside or pairs


def placements_on(
    pairs: Iterable[tuple[int, int]], rack: Iterable[Tile]
) -> list[tuple[Tile, Cells]]:
    """Each different tile of a rack on each pair, both ways round (doubles once)."""
    tiles = sorted(set(rack))
    placements: list[tuple[Tile, Cells]] = []
    for one, other in pairs:
        cells = (axial_of(one), axial_of(other))
        for tile in tiles:
            placements.append((tile, cells))
            if not tile.is_double:
                placements.append((tile.flipped, cells))
    return placements


def placement_refusal(
    board: Board,
    claimed: frozenset[Symbol],
    started: bool,
    cells: Cells,
) -> Refused | None:
    """Why a tile may not be placed on these cells, or None if it may."""
    zone = board.zone
    for cell in cells:
        if cell not in zone:
            name = (
                cell_name(cell)
                if max(abs(cell.q), abs(cell.r), abs(cell.s)) <= 7
                else (f"({cell.q}, {cell.r})")
            )
            return Refused(Refusal.OUTSIDE_ZONE, cell=name)
    one, other = cells
    if not are_adjacent(one, other):
        return Refused(Refusal.CELLS_NOT_ADJACENT, one=cell_name(one), other=cell_name(other))
    for cell in cells:
        if board.contents[index_of(cell)]:
            return Refused(Refusal.CELL_OCCUPIED, cell=cell_name(cell))
    if not started:
        touched = claimed_by(cells)
        if touched is None or touched in claimed:
            indices = {index_of(one), index_of(other)}
            if not any(indices == set(pair) for pair in open_pairs(board, claimed, False)):
                if touched is None:
                    return Refused(Refusal.START_SYMBOL_NEEDED)
                return Refused(Refusal.START_SYMBOL_TAKEN, symbol=touched.letter)
    return None


def claimed_by(cells: Cells) -> Symbol | None:
    """The printed start symbol that a placement on these cells touches."""
    return BESIDE_START.get(index_of(cells[0])) or BESIDE_START.get(index_of(cells[1]))


def exchange_refusal(
    rules: Rules,
    board: Board,
    turn: int,
    phase: Phase,
    owed: int,
    seat: int,
    track: Track,
    rack: tuple[Tile, ...],
) -> Refused | None:
    """Why a seat may not exchange its rack now, or None if it may (rules, section 3)."""
    if not rules.has_exchange:
        return Refused(Refusal.NO_EXCHANGE_IN_MODE)
    moment = closing_refusal(turn, phase, owed, seat)
    if moment is not None:
        return moment
    if not rack:
        return Refused(Refusal.EXCHANGE_NEEDS_TILES)
    shown = {symbol for tile in rack for symbol in tile}
    lowest = [symbol.letter for symbol in lowest_symbols(track) if symbol in shown]
    if not lowest:
        return None
    if rules.preset is Preset.GENIAL and not board.sees_any({int(symbol) for symbol in shown}):
        return None
    return Refused(Refusal.LOWEST_SYMBOL_ON_RACK, symbols=" ".join(lowest))


def closing_refusal(turn: int, phase: Phase, owed: int, seat: int) -> Refused | None:
    """Why this is not the moment for a seat to end its turn, or None if it is.

    `owed` is how many bonus placements are owed.
    """
    if phase is Phase.OVER:
        return Refused(Refusal.GAME_OVER)
    if phase is Phase.DEAL:
        return Refused(Refusal.NOT_DEALT)
    if turn != seat:
        return Refused(Refusal.NOT_YOUR_TURN)
    if phase is Phase.PLACE:
        return Refused(Refusal.NOT_PLACED_YET)
    if phase is Phase.BONUS:
        return Refused(Refusal.BONUS_OWED, owed=str(owed))
    return None
