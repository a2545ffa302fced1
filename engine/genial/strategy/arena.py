"""Levels against each other, without a host: the games, their order, and their records. Pure.

Every deal is played once for each rotation of the levels over the seats, so that seats and luck of
the draw fall on all alike. Deals follow from the arena's seed the same way as at a table (rules,
section 9), so each record can be verified down to the shuffle.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from time import perf_counter

from genial.engine.game import DealRacks, Event, Game, Seat, decide, evolve
from genial.engine.record_text import Record, RecordHeader, TimedEvent, render
from genial.engine.rules import FirstBy, Ranking, Rules, SeatKind, Track
from genial.engine.shuffle import commitment, deal_key, nonce_hash, open_bag
from genial.engine.view import project, view_for
from genial.strategy.budget import Budget
from genial.strategy.levels import Level, level_named
from genial.strategy.memory import Memory


class ArenaError(ValueError):
    """Levels and rules that make no contest; the message says why."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game to be played.

    Attributes:
        rules: What is played.
        levels: The level on each seat.
        seed: Of the arena.
        deal: Number of the deal; games of one deal have the same tiles in the same order.
        rotation: Which of the rotations of a deal this is.
    """

    rules: Rules
    levels: tuple[str, ...]
    seed: int
    deal: int
    rotation: int

    @property
    def game_id(self) -> str:
        """Names the game in its record."""
        return f"arena-{self.seed}-{self.deal}-{self.rotation}"


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played.

    Attributes:
        shares: By seat its part of the win: 1, 0 or the shared part. Partners share the
            pair's win: each of the two has the whole.
        tracks: By seat.
        decisions: By seat how many it made. seconds: By seat what they took.
        record: The game's record as text, if it was asked for.
    """

    pairing: Pairing
    ranking: Ranking
    shares: tuple[float, ...]
    tracks: tuple[Track, ...]
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    record: str | None


def line_ups(levels: Sequence[str], rules: Rules) -> list[tuple[str, ...]]:
    """Who sits down together, in order, before any rotation.

    As many levels as teams: those. Fewer: the last one takes the seats that are left. More:
    every choice of as many as there are teams.

    Raises:
        ArenaError: No level, or one that does not exist.
    """
    if not levels:
        raise ArenaError("name at least one level")
    for name in levels:
        level_named(name)
    teams = len(rules.teams)
    if len(levels) > teams:
        return list(combinations(levels, teams))
    return [(*levels, *[levels[-1]] * (teams - len(levels)))]


def pairings(levels: Sequence[str], rules: Rules, seed: int) -> Iterator[Pairing]:
    """All games of an arena, without end: deal by deal, every rotation of every line-up."""
    found = line_ups(levels, rules)
    teams = len(rules.teams)
    deal = 0
    while True:
        rotation = 0
        for line_up in found:
            for turn in range(teams):
                by_team = line_up[turn:] + line_up[:turn]
                by_seat = tuple(by_team[rules.team_of(seat)] for seat in range(rules.players))
                yield Pairing(rules, by_seat, seed, deal, rotation)
                rotation += 1
        deal += 1


def games_per_deal(levels: Sequence[str], rules: Rules) -> int:
    """How many games have the same tiles."""
    return len(line_ups(levels, rules)) * len(rules.teams)


def _secret(pairing: Pairing, what: str) -> bytes:
    return hashlib.sha256(f"genial-arena/{pairing.seed}/{pairing.deal}/{what}".encode()).digest()


def play_pairing(
    pairing: Pairing,
    *,
    seconds: float | None = None,
    keep_record: bool = False,
    clock: Callable[[], float] = perf_counter,
    levels: Sequence[Level] | None = None,
) -> Played:
    """Play one game.

    Args:
        pairing: Which.
        seconds: Thinking time for every decision; None: each level's own.
        keep_record: Whether to render the record.
        clock: Seconds, by which levels think and are measured.
        levels: The levels by seat, where they are not those of the names.
    """
    rules = pairing.rules
    seats = range(rules.players)
    deciders = levels if levels is not None else [level_named(name) for name in pairing.levels]
    seed = _secret(pairing, "seed")
    nonces = tuple(_secret(pairing, f"nonce/{seat}") for seat in seats)
    seated = tuple(
        Seat(f"{name} {seat}", SeatKind.BOT, name) for seat, name in enumerate(pairing.levels)
    )
    game = Game.new(rules, seated, 0, open_bag(deal_key(seed, nonces)))
    memories = [Memory() for _ in seats]
    chances = [
        random.Random(f"{pairing.seed}/{pairing.deal}/{pairing.rotation}/{seat}") for seat in seats
    ]
    decisions, spent = [0] * rules.players, [0.0] * rules.players
    happened: list[Event] = []

    def tell(events: Sequence[Event]) -> None:
        nonlocal game
        for event in events:
            game = evolve(game, event)
            happened.append(event)
            for seat in seats:
                memories[seat].observe(project(event, seat))

    tell(decide(game, DealRacks()))
    while not game.is_over:
        seat = game.turn
        level = deciders[seat]
        limits = level.budget if seconds is None else Budget(seconds=seconds)
        budget = replace(limits, clock=clock)
        started = clock()
        command = level.choose(view_for(game, seat), memories[seat], chances[seat], budget)
        spent[seat] += clock() - started
        decisions[seat] += 1
        tell(decide(game, command))
    ended = game.ended
    if ended is None:
        raise ArenaError("a game that is over has an end")
    record = None
    if keep_record:
        header = RecordHeader(
            game_id=pairing.game_id,
            started_at="2000-01-01T00:00:00.000Z",
            rules=rules,
            seats=seated,
            first_seat=0,
            first_by=FirstBy.NAMED,
            commitment=commitment(seed),
            nonce_hashes=tuple(nonce_hash(nonce) for nonce in nonces),
            nonces=nonces,
            software="genial arena",
            deal=1,
        )
        timed = tuple(TimedEvent(n, event) for n, event in enumerate(happened, 1))
        record = render(Record(header, timed, seed))
    return Played(
        pairing,
        ended.ranking,
        _shares(rules, ended.ranking),
        ended.tracks,
        tuple(decisions),
        tuple(spent),
        record,
    )


def _shares(rules: Rules, ranking: Ranking) -> tuple[float, ...]:
    first = ranking[0]
    share = 1.0 / len({rules.team_of(seat) for seat in first})
    return tuple(share if seat in first else 0.0 for seat in range(rules.players))
