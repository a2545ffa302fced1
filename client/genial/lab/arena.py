"""Runs an arena: many games at once on this machine or a cluster, and what they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any, Final

from genial.engine.record_text import EXTENSION
from genial.engine.rules import Rules
from genial.lab.workers import Workers, in_order
from genial.strategy.arena import Pairing, Played, games_per_deal, pairings, play_pairing
from genial.strategy.statistics import Rating, always_valid, elo_ratings, mean, wilson

MOST_GAMES: Final = 20_000
"""Where an arena that is to go on until it is sure gives up."""


@dataclass(frozen=True)
class Task:
    """A game as it is sent to where it is played.

    Attributes:
        by_processor: Whether levels think so many seconds of the processor's time, however long
            they have to wait for it, rather than by the clock on the wall.
    """

    pairing: Pairing
    seconds: float | None
    keep_record: bool
    by_processor: bool = False


def play_task(task: Task) -> Played:
    """Play one game; runs in a process of its own, perhaps on another machine."""
    return play_pairing(
        task.pairing,
        seconds=task.seconds,
        keep_record=task.keep_record,
        clock=thread_time if task.by_processor else perf_counter,
    )


@dataclass
class Tally:
    """What the games say of one level."""

    level: str
    seats: int = 0
    games: int = 0
    wins: float = 0.0
    lowest: list[int] = field(default_factory=list)
    decisions: int = 0
    seconds: float = 0.0

    @property
    def win_share(self) -> float:
        """Wins by game."""
        return self.wins / self.games if self.games else 0.0

    def as_json(self) -> dict[str, Any]:
        """The keys that docs/strength.md tells."""
        low, high = wilson(self.win_share, self.games)
        return {
            "level": self.level,
            "seats": self.seats,
            "wins": round(self.wins, 3),
            "win_share": round(self.win_share, 4),
            "low": round(low, 4),
            "high": round(high, 4),
            "mean_lowest": round(mean(self.lowest), 3),
            "ms_per_move": round(1000 * self.seconds / max(1, self.decisions), 2),
        }


@dataclass
class Standing:
    """An arena so far.

    Attributes:
        levels: As they were named, each once.
        tallies: By level.
        points: By (level, other level) how often the first ended above the second.
        sure: Whether every level's share is known to differ from a fair one.
    """

    levels: tuple[str, ...]
    rules: Rules
    games: int = 0
    tallies: dict[str, Tally] = field(default_factory=dict)
    points: dict[tuple[str, str], float] = field(default_factory=dict)
    fair: dict[str, float] = field(default_factory=dict)

    def add(self, played: Played) -> None:
        """Count a game."""
        self.games += 1
        rules, by_seat = played.pairing.rules, played.pairing.levels
        rank = {seat: place for place, group in enumerate(played.ranking) for seat in group}
        one_each = [seats[0] for seats in rules.teams]
        for level in set(by_seat):
            held = [seat for seat in range(rules.players) if by_seat[seat] == level]
            tally = self.tallies.setdefault(level, Tally(level))
            tally.seats = max(tally.seats, len(held))
            tally.games += 1
            tally.wins += sum(played.shares[seat] for seat in one_each if seat in held)
            tally.lowest += [min(played.tracks[seat]) for seat in held]
            tally.decisions += sum(played.decisions[seat] for seat in held)
            tally.seconds += sum(played.seconds[seat] for seat in held)
            teams = sum(seat in held for seat in one_each)
            self.fair[level] = teams / len(one_each)
        for one in one_each:
            for other in one_each:
                key = (by_seat[one], by_seat[other])
                if one != other and key[0] != key[1]:
                    above = rank[one] < rank[other]
                    won = 1.0 if above else 0.5 if rank[one] == rank[other] else 0.0
                    self.points[key] = self.points.get(key, 0.0) + won

    @property
    def sure(self) -> bool:
        """Whether the interval of every level's share leaves the fair share out."""
        if len(self.tallies) < 2:
            return False
        for level, tally in self.tallies.items():
            low, high = always_valid(tally.win_share, tally.games)
            if low <= self.fair[level] <= high:
                return False
        return True

    def ratings(self) -> dict[str, Rating]:
        """Elo, where levels met."""
        return elo_ratings(self.points) if self.points else {}

    def as_json(self) -> dict[str, Any]:
        """The document of `genial arena --json`."""
        ratings = self.ratings()
        found = []
        for level in dict.fromkeys(self.levels):
            entry = self.tallies.get(level, Tally(level)).as_json()
            if level in ratings:
                entry["elo"] = round(ratings[level].elo, 1)
                entry["elo_error"] = round(ratings[level].error, 1)
            found.append(entry)
        return {
            "mode": self.rules.mode.value,
            "players": self.rules.players,
            "games": self.games,
            "results": found,
        }

    def as_text(self) -> str:
        """The same as a table."""
        lines = [
            f"{self.games} games, {self.rules.mode.value}, {self.rules.players} players",
            f"{'level':<20} {'wins':>8} {'share':>7}  {'95 %':<15} {'lowest':>6} {'ms/move':>8}"
            f" {'Elo':>12}",
        ]
        for entry in self.as_json()["results"]:
            interval = f"{100 * entry['low']:.1f} to {100 * entry['high']:.1f}"
            elo = f"{entry['elo']:+.0f} ± {entry['elo_error']:.0f}" if "elo" in entry else ""
            lines.append(
                f"{entry['level']:<20} {entry['wins']:>8g} {100 * entry['win_share']:>6.1f}%"
                f"  {interval:<15} {entry['mean_lowest']:>6.2f} {entry['ms_per_move']:>8.1f}"
                f" {elo:>12}"
            )
        return "\n".join(lines)


def run(
    levels: Sequence[str],
    rules: Rules,
    workers: AbstractContextManager[Workers],
    *,
    games: int | None,
    seed: int,
    seconds: float | None = None,
    records: Path | None = None,
    told: Callable[[Standing], None] = lambda standing: None,
) -> Standing:
    """Play an arena.

    Args:
        levels, rules: Who plays what (`strategy.arena.line_ups`).
        games: How many, rounded up to whole deals; None: until it is sure who is better.
        seed: Deals, seats and every level's random numbers follow from it.
        seconds: Thinking time a decision; None: each level's own.
        records: Folder for every game's record.
        told: Called after each game.

    Raises:
        ArenaError: The levels make no contest.
        OSError: A record cannot be written.
    """
    per_deal = games_per_deal(levels, rules)
    most = MOST_GAMES if games is None else -(-games // per_deal) * per_deal
    standing = Standing(tuple(levels), rules)
    if records is not None:
        records.mkdir(parents=True, exist_ok=True)
    tasks = (
        Task(pairing, seconds, records is not None)
        for pairing in islice(pairings(levels, rules, seed), most)
    )
    with workers as places:
        stream = in_order(play_task, tasks, places)
        for played in stream:
            standing.add(played)
            if records is not None and played.record is not None:
                path = records / f"{played.pairing.game_id}{EXTENSION}"
                path.write_text(played.record, encoding="utf-8")
            told(standing)
            if games is None and standing.games % per_deal == 0 and standing.sure:
                break
        stream.close()
    return standing
