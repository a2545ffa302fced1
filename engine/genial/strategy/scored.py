"""All placements of a rack at once, as columns of bytes."""

from __future__ import annotations

from genial.engine.rules import STOP
from genial.strategy.bitsets import FIRST, OFFSET, SECOND
from genial.strategy.playout import Playout


class ScoredPlacements:
    """All placements of a rack, each with its points, as flat columns.

    Attributes:
        pairs: The pairs of cells (u, v) that the mover may use, once each.
        totals: By kind of tile on the rack, `(straight, turned)`: two byte strings as long as
            `pairs`. `straight[i]` is what the tile earns with its first symbol on u and its
            second on v of `pairs[i]`, `turned[i]` the other way round. Points are what the lines
            give, or what the mover's counters can still use (see `scored_placements`). A double has
            one way round: its `turned` is empty.
        first: By symbol on the rack, what a half earns on u of each pair.
        second: The same for v.
    """

    __slots__ = ("first", "pairs", "second", "totals")

    def __init__(
        self,
        pairs: list[tuple[int, int]],
        totals: dict[int, tuple[bytes, bytes]],
        first: dict[int, bytes],
        second: dict[int, bytes],
    ) -> None:
        self.pairs = pairs
        self.totals = totals
        self.first = first
        self.second = second

    def __len__(self) -> int:
        """How many placements there are."""
        return sum(len(straight) + len(turned) for straight, turned in self.totals.values())


def room(state: Playout, seat: int) -> list[int]:
    """By symbol, the points that one half tile can still earn the seat (place 0 unused)."""
    cap = state.cap
    return [
        (STOP - counter) if counter < STOP else cap - counter
        for counter in state.tracks[state.team_of[seat]]
    ]


def scored_placements(state: Playout, *, counted: bool = False) -> ScoredPlacements:
    """All placements that the mover's rack allows, as flat columns.

    Args:
        counted: Points as the mover's counters can use them (stops taken into account, one
            half at a time; a double on one counter that crosses a stop may count less or
            more than the sum says) instead of what the lines give.
    """
    pairs, us, vs = state.open_pairs()
    kinds = set(state.racks[state.turn])
    symbols = {FIRST[kind] for kind in kinds} | {SECOND[kind] for kind in kinds}
    # `translate` looks every byte up in a table of 256: here, points by cell.
    tables = {k: state.lines[k][OFFSET : OFFSET + 256] for k in symbols}
    first = {k: us.translate(table) for k, table in tables.items()}
    second = {k: vs.translate(table) for k, table in tables.items()}
    totals: dict[int, tuple[bytes, bytes]] = {}
    count = len(pairs)
    if counted:
        left = room(state, state.turn)
        for k in symbols:
            stops = bytes(min(points, left[k]) for points in range(256))
            first[k] = first[k].translate(stops)
            second[k] = second[k].translate(stops)
    # A column is one long integer in base 256, so adding two columns is one addition: no
    # place overflows, since a half finds at most 30 like symbols.
    low = {k: int.from_bytes(column, "little") for k, column in first.items()}
    high = {k: int.from_bytes(column, "little") for k, column in second.items()}
    for kind in kinds:
        a, b = FIRST[kind], SECOND[kind]
        straight = (low[a] + high[b]).to_bytes(count, "little")
        turned = b"" if a == b else (low[b] + high[a]).to_bytes(count, "little")
        totals[kind] = (straight, turned)
    return ScoredPlacements(pairs, totals, first, second)
