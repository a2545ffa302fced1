"""Strength, measured: one contest after the other on all cores. `make strength` runs it.

    python -m tests.strength.run                 every contest, going on where it was stopped
    python -m tests.strength.run expert          those whose name contains a word
    python -m tests.strength.run --fresh 2       anew, with fresh seeds (say so when reporting)
    python -m tests.strength.run --games 40      fewer games, for a first look

A second of thinking is a second of the processor's time, so a busy machine takes longer and changes
nothing. Every game that is finished is kept in build/strength, so a run that was interrupted goes
on. Point estimates are printed with 95 % intervals; a goal is met when the point estimate reaches
it. Exit code 1: a goal was missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from genial.engine.rules import Mode, Rules
from genial.lab.arena import Task, play_task
from genial.lab.workers import Workers, in_order, local_workers
from genial.strategy.arena import games_per_deal, pairings
from genial.strategy.statistics import mean, wilson

KEPT = Path("build/strength")
_TWO, _THREE, _FOUR = Rules(players=2), Rules(players=3), Rules(players=4)
_PARTNERS, _ALONE = Rules(mode=Mode.PARTNERS, players=4), Rules(mode=Mode.SOLO, players=1)


@dataclass(frozen=True)
class Contest:
    """Levels, what they play, and what the first of them should reach.

    Attributes:
        levels: As `genial arena` takes them.
        games: How many.
        goal: Win share of the first level, None: the figure is only reported.
        seconds: Thinking time for every decision, None: each level's own.
    """

    name: str
    levels: tuple[str, ...]
    rules: Rules
    games: int
    goal: float | None
    seconds: float | None = None


CONTESTS = (
    Contest("hard-maxmin", ("hard", "maxmin"), _TWO, 400, 0.90),
    Contest("hard-medium", ("hard", "medium"), _TWO, 400, 0.68),
    Contest("medium-easy", ("medium", "easy"), _TWO, 400, 0.68),
    Contest("expert-maxmin", ("expert", "maxmin"), _TWO, 400, 0.98),
    Contest("expert-hard", ("expert", "hard"), _TWO, 400, 0.70),
    Contest("expert-two-maxmin", ("expert", "maxmin"), _THREE, 400, 0.88),
    Contest("expert-three-maxmin", ("expert", "maxmin"), _FOUR, 400, 0.88),
    Contest("expert-reference", ("expert", "reference-1000"), _TWO, 800, 0.55),
    Contest("partners", ("expert", "maxmin"), _PARTNERS, 400, None),
    Contest("solitaire", ("expert", "greedy"), _ALONE, 400, None),
    Contest("hard-builder", ("hard", "hard/builder"), _TWO, 400, None),
    Contest("hard-blocker", ("hard", "hard/blocker"), _TWO, 400, None),
    Contest("hard-gambler", ("hard", "hard/gambler"), _TWO, 400, None),
)


def played_before(path: Path) -> list[dict[str, Any]]:
    """The games that are kept; a line cut short by an interruption is dropped."""
    if not path.exists():
        return []
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            break
    return found


def run(
    contest: Contest,
    games: int,
    seed: int,
    workers: AbstractContextManager[Workers],
    seconds: float | None,
) -> bool:
    """Play what is missing of a contest and print what it says; whether the goal is met."""
    per_deal = games_per_deal(contest.levels, contest.rules)
    wanted = -(-games // per_deal) * per_deal
    think = seconds if seconds is not None else contest.seconds
    suffix = "" if think is None else f"-{think:g}s"
    path = KEPT / f"{contest.name}{suffix}-{seed}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = played_before(path)
    path.write_text("".join(json.dumps(game) + "\n" for game in kept), encoding="utf-8")
    schedule = islice(pairings(contest.levels, contest.rules, seed), len(kept), wanted)
    tasks: Iterator[Task] = (Task(pairing, think, False, by_processor=True) for pairing in schedule)
    if len(kept) < wanted:
        with workers as places, path.open("a", encoding="utf-8") as file:
            for played in in_order(play_task, tasks, places):
                game = {
                    "levels": played.pairing.levels,
                    "shares": played.shares,
                    "lowest": [min(track) for track in played.tracks],
                    "seconds": played.seconds,
                    "decisions": played.decisions,
                }
                kept.append(game)
                file.write(json.dumps(game) + "\n")
                file.flush()
                if sys.stderr.isatty():
                    print(f"\r{contest.name}: {len(kept)}/{wanted}", end="", file=sys.stderr)
    return report(contest, kept[:wanted], suffix)


def report(contest: Contest, games: list[dict[str, Any]], suffix: str) -> bool:
    """Print a contest's figures; whether its goal is met."""
    first = contest.levels[0]
    teams = [seats[0] for seats in contest.rules.teams]
    share = 0.0
    lowest: dict[str, list[int]] = {}
    spent: dict[str, list[float]] = {}
    held = 0
    for game in games:
        levels, shares, counters = game["levels"], game["shares"], game["lowest"]
        seconds, decisions = game["seconds"], game["decisions"]
        held += first in levels
        share += sum(shares[seat] for seat in teams if levels[seat] == first)
        for seat, level in enumerate(levels):
            lowest.setdefault(level, []).append(counters[seat])
            spent.setdefault(level, []).append(seconds[seat] / max(1, decisions[seat]))
    times = ", ".join(f"{level} {1000 * mean(found):.0f} ms" for level, found in spent.items())
    name = f"{contest.name}{suffix}"
    if contest.rules.mode is Mode.SOLO:
        told = ", ".join(f"{level} {mean(found):.2f}" for level, found in lowest.items())
        print(f"       {name}: mean lowest counter {told}; {held} deals; {times} a decision")
        return True
    share /= max(1, held)
    low, high = wilson(share, held)
    good = contest.goal is None or share >= contest.goal
    goal = "reported" if contest.goal is None else f"goal {100 * contest.goal:.0f} %"
    print(
        f"{'      ' if contest.goal is None else 'ok    ' if good else 'MISSED'} {name}:"
        f" {100 * share:.1f} % ({100 * low:.1f} to {100 * high:.1f}; {goal}),"
        f" {held} games; {times} a decision",
        flush=True,
    )
    return good


def main() -> int:
    """Run what the command line names; returns the exit code."""
    parser = argparse.ArgumentParser(description="Strength of the levels, with 95 % intervals.")
    parser.add_argument("words", nargs="*", help="only contests whose name contains one")
    parser.add_argument("--games", type=int, help="for each contest, in place of its own number")
    parser.add_argument("--fresh", type=int, default=1, metavar="SEED", help="another seed")
    parser.add_argument("--jobs", type=int, help="processes (default: all cores)")
    parser.add_argument("--niceness", type=int, default=10, help="by how much priority is lowered")
    parser.add_argument("--think", type=float, help="seconds for every decision")
    options = parser.parse_args()
    missed = 0
    for contest in CONTESTS:
        if options.words and not any(word in contest.name for word in options.words):
            continue
        games = options.games or contest.games
        workers = local_workers(options.jobs, niceness=options.niceness)
        missed += not run(contest, games, options.fresh, workers, options.think)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
