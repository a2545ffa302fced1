"""What a position is worth to a seat: the chance of winning, learned from self-play.

For one team against another the chance that it ends above is sigmoid(network(features)); against
several, the product. In solitaire the same, with nobody on the other side and without the sigmoid,
gives the expected lowest counter. The network has one hidden layer of tanh units and a straight way
past it. Beside it there is a linear model of the same features, whose weights depend on how full
the board is (linear between `KNOTS`) and on whether the team made the last turn: it says what half
a tile changes to first order, which is what `shortlist` needs.

Features, all by rank of the owner's own counters, weakest first (ties R G B O Y P). S[k] is
`Playout.lines[k]`, a usable cell is free and has a free neighbour, room is what a counter still
lacks to the end of its track, need is room / track length:

- lead: (mine - theirs) / 6; level: mine / track length
- best line, mine and theirs: min(best S[k] on a usable cell, room) / 4; mine times 0.4 if no tile
  of my rack shows the colour
- rack: min(tiles of my rack that show the colour, 3) / 2
- mean line, mine and theirs: sum of S[k] over usable cells / (their number + 4) * need
- good cells, mine and theirs: min(usable cells with S[k] >= 3, 8) / 8 * need
- supply, mine: halves of the colour that are neither on the board nor on my rack / 40 * need
- bias: 1

The network's inputs are these, then s (the part of the cells that is free), s * s, whether the team
made the last turn, and leads and levels once more times max(0, 1 - s / 0.3): near the end they are
all that counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from operator import mul
from typing import Final, NamedTuple

from genial.engine.rules import Mode, Rules
from genial.strategy.bitsets import FIRST, SECOND, spread
from genial.strategy.models import free_2, free_3, free_4, partners_4, solo_1
from genial.strategy.network import Lanes, Network
from genial.strategy.outcome import share_of
from genial.strategy.playout import Playout

SYMBOLS: Final = (1, 2, 3, 4, 5, 6)
RANKS: Final = 6

GROUPS: Final = (
    "lead",
    "level",
    "best_mine",
    "best_theirs",
    "rack",
    "mean_mine",
    "mean_theirs",
    "good_mine",
    "good_theirs",
    "supply",
)
"""The groups of six features, in order; a bias follows."""

FEATURES: Final = len(GROUPS) * RANKS + 1
LEAD, LEVEL = 0, 6
MEAN_MINE, MEAN_THEIRS = GROUPS.index("mean_mine") * RANKS, GROUPS.index("mean_theirs") * RANKS

_GOOD: Final = 3
_HALVES: Final = 40
"""Half tiles of each symbol in the box: five mixed kinds of six, two on each of five doubles."""

KNOTS: Final = (0.0, 0.08, 0.2, 0.4, 0.65, 1.0)
"""Stages (parts of the cells that are free) at which the linear model has weights of its own."""

LATE: Final = 0.3
"""From this stage down leads and levels count once more in the network."""

INPUTS: Final = FEATURES + 3 + 2 * RANKS

Curve = tuple[tuple[float, ...], ...]
"""Weights of the linear model, a row for each of `KNOTS`."""


class Lines(NamedTuple):
    """What is open on the board, by symbol (place 0 unused)."""

    usable: int
    best: list[int]
    total: list[int]
    good: list[int]


def open_lines(state: Playout) -> Lines:
    """Count the lines on the usable cells. A few microseconds."""
    free = state.free
    usable = free & spread(free)
    best, total, good = [0] * 7, [0] * 7, [0] * 7
    for k in SYMBOLS:
        rows = state.levels[k]
        level = 1
        found = 0
        while cells := rows[level] & usable:
            count = cells.bit_count()
            found += count
            if level == _GOOD:
                good[k] = count
            level += 1
        best[k] = level - 1
        total[k] = found
    return Lines(usable.bit_count(), best, total, good)


def shown_by(rack: Sequence[int]) -> list[int]:
    """By symbol, how many tiles of a rack show it."""
    shown = [0] * 7
    for kind in rack:
        a, b = FIRST[kind], SECOND[kind]
        shown[a] += 1
        if a != b:
            shown[b] += 1
    return shown


def supply_for(state: Playout, rack: Sequence[int]) -> list[int]:
    """By symbol, the halves that are neither on the board (start symbols apart) nor on a rack."""
    left = [_HALVES + 1] * 7
    cells = state.cells
    for index in state.zone.indices:
        left[cells[index]] -= 1
    for kind in rack:
        left[FIRST[kind]] -= 1
        left[SECOND[kind]] -= 1
    return left


class Side(NamedTuple):
    """What one seat brings to every comparison with another: its rack's part of the features."""

    shown: list[int]
    supply: list[int]


def features(
    mine: Sequence[int],
    theirs: Sequence[int],
    cap: int,
    lines: Lines,
    side: Side,
) -> list[float]:
    """The features of one team against another, in the order of `GROUPS`.

    Args:
        mine: Counters by symbol, place 0 unused.
        theirs: The others' counters.
        cap: Length of the tracks.
        lines: Of the board.
        side: Of the seat that looks.
    """
    usable, best, total, good = lines
    shown, supply = side
    my_order = sorted(SYMBOLS, key=mine.__getitem__)
    their_order = sorted(SYMBOLS, key=theirs.__getitem__)
    spacing = usable + 4
    lead, level, best_mine, best_theirs, rack = [], [], [], [], []
    mean_mine, mean_theirs, good_mine, good_theirs, stock = [], [], [], [], []
    for k, o in zip(my_order, their_order, strict=True):
        counter, other = mine[k], theirs[o]
        lead.append((counter - other) / 6)
        level.append(counter / cap)
        room = cap - counter
        need = room / cap
        has = shown[k]
        line = (best[k] if best[k] < room else room) / 4
        best_mine.append(line if has else 0.4 * line)
        rack.append((has if has < 3 else 3) / 2)
        mean_mine.append(total[k] / spacing * need)
        good_mine.append((good[k] if good[k] < 8 else 8) / 8 * need)
        stock.append(supply[k] / _HALVES * need)
        room = cap - other
        need = room / cap
        best_theirs.append((best[o] if best[o] < room else room) / 4)
        mean_theirs.append(total[o] / spacing * need)
        good_theirs.append((good[o] if good[o] < 8 else 8) / 8 * need)
    return [
        *lead,
        *level,
        *best_mine,
        *best_theirs,
        *rack,
        *mean_mine,
        *mean_theirs,
        *good_mine,
        *good_theirs,
        *stock,
        1.0,
    ]


Terms = list[list[tuple[float, float, float, float]]]
"""By symbol and rank, what a counter, the best line, the room left and the rest count."""


def own_terms(weights: Sequence[float], cap: int, lines: Lines, side: Side) -> Terms:
    """The part of `features` times weights that one's own counters change; for `own_score`."""
    shown, supply = side
    total, good = lines.total, lines.good
    spacing = lines.usable + 4
    groups = [weights[at : at + RANKS] for at in range(0, FEATURES - 1, RANKS)]
    lead, level, best_mine, _, rack, mean_mine, _, good_mine, _, stock = groups
    found: Terms = [[]]
    for k in SYMBOLS:
        has = shown[k]
        reach, held = (0.25 if has else 0.1), (has if has < 3 else 3) / 2
        means, goods, left = total[k] / spacing, (good[k] if good[k] < 8 else 8) / 8, supply[k]
        found.append(
            [
                (
                    lead[rank] / 6 + level[rank] / cap,
                    best_mine[rank] * reach,
                    (
                        mean_mine[rank] * means
                        + good_mine[rank] * goods
                        + stock[rank] * left / _HALVES
                    )
                    / cap,
                    rack[rank] * held,
                )
                for rank in range(RANKS)
            ]
        )
    return found


def own_score(terms: Terms, mine: Sequence[int], cap: int, best: Sequence[int]) -> float:
    """What one's own counters come to in the linear model; differences are what it is for."""
    score = 0.0
    for rank, k in enumerate(sorted(SYMBOLS, key=mine.__getitem__)):
        by_counter, by_best, by_room, rest = terms[k][rank]
        counter, line = mine[k], best[k]
        room = cap - counter
        score += by_counter * counter + by_room * room + rest
        score += by_best * (line if line < room else room)
    return score


@dataclass(frozen=True, slots=True)
class Model:
    """The weights for one kind of game.

    Attributes:
        mine_last: Linear weights of a team that made the last turn.
        theirs_last: Of the others.
        network: None: the linear model alone values positions.
    """

    mine_last: Curve
    theirs_last: Curve
    network: Network | None = None


def network_inputs(found: list[float], stage: float, mine_last: bool) -> list[float]:
    """Features as the network takes them."""
    late = max(0.0, 1.0 - stage / LATE)
    counters = [late * feature for feature in found[: 2 * RANKS]] if late else [0.0] * 12
    return [*found, stage, stage * stage, 1.0 if mine_last else 0.0, *counters]


def model_key(rules: Rules) -> str:
    """The name of the model for these rules: mode and number of players."""
    return f"{rules.mode.value}-{rules.players}"


@cache
def shipped_model(key: str) -> Model:
    """The trained model of a kind of game.

    Raises:
        KeyError: There is none of this name.
    """
    shipped = {
        "free-2": free_2,
        "free-3": free_3,
        "free-4": free_4,
        "partners-4": partners_4,
        "solo-1": solo_1,
    }[key]
    network = None if shipped.NETWORK is None else Network(*shipped.NETWORK)
    return Model(shipped.MINE_LAST, shipped.THEIRS_LAST, network)


class Evaluation:
    """Values positions of one kind of game."""

    __slots__ = ("_at_start", "_lanes", "_model", "_tables", "solo")

    def __init__(self, rules: Rules, model: Model | None = None) -> None:
        """Uses the shipped model unless another one is given."""
        self._model = model if model is not None else shipped_model(model_key(rules))
        self._at_start = len(rules.zone.indices) - 6
        self._tables: dict[tuple[bool, int], tuple[float, ...]] = {}
        self.solo = rules.mode is Mode.SOLO
        net = self._model.network
        self._lanes = None if net is None else Lanes(net)

    def weights(self, mine_last: bool, free: int) -> tuple[float, ...]:
        """The linear model's weights when so many cells are free."""
        found = self._tables.get((mine_last, free))
        if found is None:
            curve = self._model.mine_last if mine_last else self._model.theirs_last
            stage = min(1.0, free / self._at_start)
            above = next(n for n, knot in enumerate(KNOTS) if knot >= stage and n)
            low, high = KNOTS[above - 1], KNOTS[above]
            part = (stage - low) / (high - low)
            found = tuple(
                a + part * (b - a) for a, b in zip(curve[above - 1], curve[above], strict=True)
            )
            self._tables[mine_last, free] = found
        return found

    def score(
        self, found: list[float], mine_last: bool, free: int, *, glance: bool = False
    ) -> float:
        """What features come to: a logit, in solitaire a number of points."""
        lanes = self._lanes
        if lanes is None or glance:
            return float(sum(map(mul, self.weights(mine_last, free), found)))
        return lanes.output(network_inputs(found, free / self._at_start, mine_last))

    def glance(self, state: Playout, me: int) -> float:
        """As `value`, by the linear model alone.

        It tells placements of one position apart better than the network, which is better at
        telling how positions stand that nobody chose for their value.
        """
        return self.value(state, me, glance=True)

    def value(self, state: Playout, me: int, *, glance: bool = False) -> float:
        """The chance that seat `me` wins (solitaire: the expected lowest counter).

        A game that is over is worth its result.
        """
        if state.over:
            if self.solo:
                return float(min(state.tracks[0][1:]))
            return share_of(state, me)
        team = state.team_of[me]
        mine = state.tracks[team]
        last = state.last_mover
        mine_last = last >= 0 and state.team_of[last] == team
        free = state.free.bit_count()
        lines = open_lines(state)
        rack = state.racks[me]
        side = Side(shown_by(rack), supply_for(state, rack))
        if self.solo:
            found = features(mine, NOBODY, state.cap, lines, side)
            return self.score(found, mine_last, free, glance=glance)
        product = 1.0
        gone = {state.team_of[seat] for seat in state.resigned}
        for other, theirs in enumerate(state.tracks):
            if other != team and other not in gone:
                found = features(mine, theirs, state.cap, lines, side)
                logit = self.score(found, mine_last, free, glance=glance)
                product *= 1 / (1 + exp(-logit)) if logit > -40 else 0.0
        return product


NOBODY: Final = [0] * 7
"""The counters of the other side in solitaire."""
