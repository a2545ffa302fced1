"""Games of a level against itself, and what can be learned from them. Pure; `genial.lab` fits.

A sample is a position at the end of a turn, seen by one seat, against one other team: its features
and how it went, as a number between 0 and 1 (solitaire: the lowest counter). How it went is partly
the game's own result, and partly what the evaluation says after a few more turns, averaged over
some continuations: that is far less noisy than one result.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import exp
from typing import NamedTuple

from genial.engine.board import Board
from genial.engine.rules import Rules
from genial.engine.tiles import FULL_SET
from genial.strategy.bitsets import kinds_of
from genial.strategy.evaluation import (
    NOBODY,
    Evaluation,
    Side,
    features,
    open_lines,
    shown_by,
    supply_for,
)
from genial.strategy.playout import Playout
from genial.strategy.policy import Choice, close_turn, owed_bonuses
from genial.strategy.shortlist import shortlist


class Sample(NamedTuple):
    """One thing to learn from.

    Attributes:
        mine_last: Whether the seat's team made the last turn.
        free: Free cells.
        features: See `evaluation.features`.
        result: How the game ended for the team: 1 above the other, 0 below, 0.5 level;
            in solitaire its lowest counter.
        ahead: The same as the evaluation expects it a few turns later.
    """

    mine_last: bool
    free: int
    features: list[float]
    result: float
    ahead: float


@dataclass(frozen=True, slots=True)
class Recipe:
    """How self-play is played.

    Attributes:
        rules: What is played.
        looked_at: Placements of the shortlist that are valued exactly.
        strays: The part of the choices that fall on any placement of the shortlist, so that
            positions come up that good play avoids.
        continuations: For each sampled position, how many.
        turns: Turns of each continuation.
    """

    rules: Rules
    looked_at: int = 24
    strays: float = 0.2
    continuations: int = 6
    turns: int = 4


def deal_out(rules: Rules, rng: random.Random) -> Playout:
    """A game about to begin, with shuffled tiles and a first seat by chance."""
    state = Playout(rules, Board.start(rules.zone), rng.randrange(rules.players))
    bag = kinds_of(FULL_SET)
    rng.shuffle(bag)
    for seat in range(rules.players):
        state.racks[seat] = [bag.pop() for _ in range(rules.rack_size)]
    state.bag = bag
    return state


def best_by_value(state: Playout, evaluation: Evaluation, looked_at: int) -> Choice:
    """The placement after which the mover stands best, the bonuses it owes played greedily."""
    me = state.turn
    best: Choice | None = None
    best_value = float("-inf")
    for choice in shortlist(state, evaluation, looked_at):
        state.place(*choice)
        if state.bonus_owed:
            trial = state.copy()
            owed_bonuses(trial)
            value = evaluation.glance(trial, me)
        else:
            value = evaluation.glance(state, me)
        state.undo()
        if value > best_value:
            best, best_value = choice, value
    if best is None:
        raise ValueError("there is nothing to place")
    return best


def play(recipe: Recipe, evaluation: Evaluation, rng: random.Random) -> list[Sample]:
    """One game; a sample for each turn, from one seat chosen at random, against each other team."""
    state = deal_out(recipe.rules, rng)
    seen: list[tuple[bool, int, list[float], int, int, float]] = []
    while not state.over:
        if state.must_place:
            if rng.random() < recipe.strays:
                choice = rng.choice(shortlist(state, evaluation, 4 * recipe.looked_at))
            else:
                choice = best_by_value(state, evaluation, recipe.looked_at)
            state.place(*choice)
            continue
        _look(state, recipe, evaluation, rng, seen)
        close_turn(state, rng)
    return [
        Sample(mine_last, free, found, result_of(state, team, other), ahead)
        for mine_last, free, found, team, other, ahead in seen
    ]


def result_of(state: Playout, team: int, other: int) -> float:
    """How tracks compare: 1 above, 0 below, 0.5 level; against nobody (-1) the lowest counter."""
    mine = sorted(state.tracks[team][1:])
    if other < 0:
        return float(mine[0])
    theirs = sorted(state.tracks[other][1:])
    return 0.5 if mine == theirs else float(mine > theirs)


def _look(
    state: Playout,
    recipe: Recipe,
    evaluation: Evaluation,
    rng: random.Random,
    seen: list[tuple[bool, int, list[float], int, int, float]],
) -> None:
    seats = range(state.players)
    # Both sides of the turn matter alike: the one who just moved, and those who wait.
    viewer = state.turn if rng.random() < 0.5 else rng.choice(seats)
    team = state.team_of[viewer]
    others = [other for other in range(len(state.tracks)) if other != team] or [-1]
    ahead = dict.fromkeys(others, 0.0)
    for _ in range(recipe.continuations):
        trial = state.copy()
        rng.shuffle(trial.bag)
        for _ in range(recipe.turns):
            close_turn(trial, rng)
            owed_bonuses(trial)
            if trial.over:
                break
        for other in others:
            ahead[other] += compare(trial, evaluation, viewer, other)
    mine_last = state.team_of[state.last_mover] == team
    free = state.free.bit_count()
    count = max(1, recipe.continuations)
    seen += [
        (mine_last, free, look(state, viewer, other), team, other, ahead[other] / count)
        for other in others
    ]


def look(state: Playout, viewer: int, other: int) -> list[float]:
    """The features for a seat against another team (-1: nobody)."""
    rack = state.racks[viewer]
    side = Side(shown_by(rack), supply_for(state, rack))
    theirs = state.tracks[other] if other >= 0 else NOBODY
    mine = state.tracks[state.team_of[viewer]]
    return features(mine, theirs, state.cap, open_lines(state), side)


def compare(state: Playout, evaluation: Evaluation, viewer: int, other: int) -> float:
    """The chance that a seat's team ends above another one (solitaire: the lowest counter)."""
    team = state.team_of[viewer]
    if state.over:
        return result_of(state, team, other)
    mine_last = state.team_of[state.last_mover] == team
    score = evaluation.score(look(state, viewer, other), mine_last, state.free.bit_count())
    if other < 0:
        return score
    return 1 / (1 + exp(-max(-40.0, min(40.0, score))))
