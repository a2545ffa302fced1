"""Placements weighed for a person: hints during a game, and the heart of every review.

Everything here knows what the player in the seat may know, as a level does.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from genial.engine.board import axial_of, index_of
from genial.engine.hexgrid import Axial
from genial.engine.tiles import LETTERS, TILE_KINDS, Tile
from genial.engine.view import PlayerView
from genial.strategy.bitsets import FIRST, KIND_OF
from genial.strategy.evaluation import LEAD, RANKS, SYMBOLS, Evaluation
from genial.strategy.memory import Deals, Memory, known_state
from genial.strategy.playout import Playout
from genial.strategy.policy import Choice
from genial.strategy.racing import lead_over
from genial.strategy.search import Candidate, Depth, candidate_for, placements, play_on
from genial.strategy.thinking import Thinker

_DEPTH: Final = Depth(shortlisted=64, candidates=6, turns=4)

CLOSE: Final = 0.015
"""Chances of winning closer than this are as good as equal (solitaire: times `SOLO_SCALE`)."""

SOLO_SCALE: Final = 18.0
"""Points of solitaire's lowest counter that stand for a whole chance of winning."""

_ERRORS: Final = 1.5
"""A lead of fewer standard errors is put down to chance: the best of several is flattered."""


class Reason(StrEnum):
    """Why one placement is better than another: what differs most."""

    SAME = "same"
    POINTS = "points"
    OWN_LINES = "own_lines"
    THEIR_LINES = "their_lines"
    RACK = "rack"


@dataclass(frozen=True, slots=True)
class Weighed:
    """A placement and what it is worth.

    Attributes:
        tile: As it lies: its first symbol on the first cell.
        chance: Of winning after it, 0..1; in solitaire the expected lowest counter.
        points: What it earns by symbol, stops taken into account.
    """

    tile: Tile
    cells: tuple[Axial, Axial]
    chance: float
    points: tuple[int, ...]

    @property
    def total(self) -> int:
        """All points together."""
        return sum(self.points)


@dataclass(frozen=True, slots=True)
class Why:
    """Why the better placement is better than the other one.

    Attributes:
        reason: What differs most.
        symbol: The symbol it is about (letter), empty where it is about none.
        points: For POINTS: how many more of that symbol.
        seats: For lines: how many other players could use that symbol.
    """

    reason: Reason
    symbol: str = ""
    points: int = 0
    seats: int = 0


@dataclass(frozen=True, slots=True)
class Advice:
    """What a seat may do now, weighed.

    Attributes:
        best: The best placements, best first.
        played: The one asked about, if any, with what it is worth.
        why: Why the best is better than that.
        noise: Differences up to this say nothing.
    """

    best: tuple[Weighed, ...]
    played: Weighed | None
    why: Why
    noise: float = CLOSE

    @property
    def gave_away(self) -> float:
        """How much less than the best the one asked about is worth; 0 where that is noise."""
        if self.played is None:
            return 0.0
        lost = self.best[0].chance - self.played.chance
        return lost if lost > self.noise else 0.0

    @property
    def better(self) -> tuple[Weighed, ...]:
        """Those of the best that are better than what was played, beyond noise."""
        if self.played is None:
            return ()
        bar = self.played.chance + self.noise
        return tuple(one for one in self.best if one.chance > bar)


def advise(
    view: PlayerView,
    memory: Memory,
    level: Thinker,
    *,
    rollouts: int,
    rng: random.Random,
    played: tuple[Tile, tuple[Axial, Axial]] | None = None,
    count: int = 3,
) -> Advice:
    """Weigh the placements of the viewer.

    Args:
        view, memory: What the seat knows; it has to place.
        level: Whose evaluation is used.
        rollouts: For each placement that is looked at closely.
        played: A legal placement to be compared with the best.
        count: How many of the best are told.

    Raises:
        ValueError: The viewer has nothing to place.
    """
    state = known_state(view)
    if not state.must_place:
        raise ValueError("hints are for a player who has to place a tile")
    evaluation = level.evaluation(view.rules)
    me = state.turn
    found = placements(state, evaluation, _DEPTH)[: _DEPTH.candidates]
    asked: Candidate | None = None
    if played is not None:
        choice = _as_choice(*played)
        asked = next((one for one in found if _same(one.choice, choice)), None)
        if asked is None:
            asked = candidate_for(state, choice, evaluation)
            found.append(asked)
    deals = Deals(view, memory, rng)
    ends: dict[int, list[Playout]] = {id(candidate): [] for candidate in found}
    for _ in range(rollouts):
        deal = deals.next()
        for candidate in found:
            end = play_on(candidate, deal, _DEPTH, evaluation, rng)
            ends[id(candidate)].append(end)
            candidate.tries.append(evaluation.value(end, me))
    found.sort(key=lambda one: -one.value)
    told = tuple(_weighed(candidate, view) for candidate in found[:count])
    if asked is None:
        return Advice(told, None, Why(Reason.SAME))
    scale = SOLO_SCALE if evaluation.solo else 1.0
    lead, error = lead_over(asked, found[0], scale)
    noise = max(CLOSE * scale, _ERRORS * error)
    why = Why(Reason.SAME)
    if lead > noise:
        soon = (_mean_tracks(ends[id(found[0])]), _mean_tracks(ends[id(asked)]))
        why = _why(found[0], asked, soon, me, evaluation)
    return Advice(told, _weighed(asked, view), why, noise)


def _as_choice(tile: Tile, cells: tuple[Axial, Axial]) -> Choice:
    u, v = index_of(cells[0]), index_of(cells[1])
    return KIND_OF[tile], int(tile.first), int(tile.second), u, v


def _same(one: Choice | None, other: Choice) -> bool:
    if one is None or one[0] != other[0]:
        return False
    return {one[3]: one[1], one[4]: one[2]} == {other[3]: other[1], other[4]: other[2]}


def _weighed(candidate: Candidate, view: PlayerView) -> Weighed:
    if candidate.choice is None:
        raise ValueError("ending the turn is no placement")
    kind, a, _, u, v = candidate.choice
    tile = TILE_KINDS[kind]
    oriented = tile if a == FIRST[kind] else tile.flipped
    cells = (axial_of(u), axial_of(v))
    return Weighed(oriented, cells, candidate.value, view.points_of(oriented, cells))


Counters = list[list[float]]
"""By team and symbol (place 0 unused), a few turns after a candidate: means over the deals."""


def _mean_tracks(states: list[Playout]) -> Counters:
    teams = range(len(states[0].tracks))
    return [
        [sum(state.tracks[team][k] for state in states) / len(states) for k in range(7)]
        for team in teams
    ]


def _why(
    better: Candidate,
    worse: Candidate,
    soon: tuple[Counters, Counters],
    me: int,
    evaluation: Evaluation,
) -> Why:
    """What speaks for one candidate against another: what a few turns make of the counters.

    Args:
        better, worse: The two.
        soon: The counters after each of them and a few turns, under the same deals.
        me: Who chooses.
        evaluation: Says how much a point of which counter counts.
    """
    now, then = better.after, worse.after
    team = now.team_of[me]
    weights = evaluation.weights(True, then.free.bit_count())[LEAD : LEAD + RANKS]
    kept, left = soon
    by_reason: dict[tuple[Reason, int], float] = {}
    for other, track in enumerate(left):
        for rank, k in enumerate(sorted(SYMBOLS, key=track.__getitem__)):
            difference = kept[other][k] - track[k]
            if other == team:
                at_once = now.tracks[team][k] - then.tracks[team][k]
                reason = Reason.POINTS if at_once >= difference / 2 else Reason.OWN_LINES
                by_reason[reason, k] = weights[rank] * difference
            else:
                found = by_reason.get((Reason.THEIR_LINES, k), 0.0)
                by_reason[Reason.THEIR_LINES, k] = found - weights[rank] * difference
    reason, k = max(by_reason, key=lambda one: by_reason[one])
    if by_reason[reason, k] <= 0:
        return Why(Reason.RACK)
    if reason is Reason.POINTS:
        more = now.tracks[team][k] - then.tracks[team][k]
        # The weight of a counter that is far ahead may be below zero.
        return Why(Reason.POINTS, LETTERS[k - 1], more) if more > 0 else Why(Reason.POINTS)
    sides = [team] if reason is Reason.OWN_LINES else set(range(len(left))) - {team}
    players = sum(
        then.cap > then.tracks[then.team_of[seat]][k]
        for seat in range(then.players)
        if then.team_of[seat] in sides
    )
    return Why(reason, LETTERS[k - 1], seats=players)
