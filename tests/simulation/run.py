"""Many evenings, from one seed after the other, on all cores.

python -m tests.simulation.run --evenings 1000          the seeds 0 to 999
python -m tests.simulation.run --seed 42 --trace        one alone, with all that happened
python -m tests.simulation.run --evenings 100000 --go-on --niceness 19     a long run, see below

With `--go-on` every evening that is done is kept in build/soak, under the name of the code that it
was played with; a run that was stopped goes on where it was, and one with other code begins anew.
What comes out depends on the seeds alone, not on the machine, the cores or what was done before.
"""

from __future__ import annotations

import argparse
import gc
import logging
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Final

from genial.lab.workers import in_order, local_workers
from tests.simulation.evening import spend_evening
from tests.simulation.kept import KEPT, Done, Kept, code_digest

_AT_ONCE: Final = 25
"""Evenings that a process is given at a time."""

_TELL_EVERY: Final = 1000


class Tally:
    """Counts evenings, and tells of them as they come in."""

    def __init__(self, wanted: int, earlier: Iterable[Done]) -> None:
        """Begins with those that were done before, of so many that are wanted."""
        self.wrong = 0
        self._wanted = wanted
        self._evenings = self._games = self._deaths = self._commits = 0
        self._started = time.monotonic()
        for each in earlier:
            self._count(each)
        if self._evenings:
            print(f"before: {self}", flush=True)

    def __str__(self) -> str:
        """The figures so far."""
        return (
            f"{self._evenings} evenings with {self._games} games, {self._deaths} deaths of the"
            f" host, {self._commits} commits, {self.wrong} failed,"
            f" {time.monotonic() - self._started:.0f} s"
        )

    def take(self, each: Done) -> None:
        """One more; every thousand there is a line."""
        self._count(each)
        if self._evenings % _TELL_EVERY == 0 and self._evenings < self._wanted:
            print(self, flush=True)

    def _count(self, each: Done) -> None:
        self._evenings += 1
        self._games += each.games
        self._deaths += each.deaths
        self._commits += each.commits
        if each.problems:
            self.wrong += 1
            again = f"python -m tests.simulation.run --seed {each.seed} --trace"
            print(f"FAILED seed {each.seed} (again: {again})")
            for problem in each.problems:
                print(f"    {problem}", flush=True)


def _spend(seeds: list[int]) -> list[Done]:
    """Plays evenings in this process; for a worker."""
    logging.disable(logging.WARNING)
    # What is loaded stays: it need not be looked through for garbage after every evening.
    gc.freeze()
    found = []
    for seed in seeds:
        outcome = spend_evening(seed)
        found.append(Done(seed, outcome.problems, outcome.games, outcome.deaths, outcome.commits))
    return found


def _all(seeds: list[int], kept: Kept | None, jobs: int | None, niceness: int) -> Iterator[Done]:
    """Plays these evenings, and keeps each before it is told."""
    tasks = [seeds[start : start + _AT_ONCE] for start in range(0, len(seeds), _AT_ONCE)]
    with local_workers(jobs, niceness=niceness) as workers:
        for found in in_order(_spend, tasks, workers):
            if kept is not None:
                kept.add(found)
            yield from found


def _one(seed: int, *, traced: bool) -> int:
    """Plays one evening here; 1 if anything was wrong."""
    outcome = spend_evening(seed)
    if traced:
        print("\n".join(outcome.trace))
    tally = Tally(1, ())
    tally.take(Done(seed, outcome.problems, outcome.games, outcome.deaths, outcome.commits))
    print(tally)
    return 1 if tally.wrong else 0


def main() -> int:
    """Plays what the command line names; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description="Evenings in virtual time.")
    parser.add_argument("--evenings", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="this evening alone")
    parser.add_argument("--trace", action="store_true", help="of one evening, tell all of it")
    parser.add_argument("--go-on", action="store_true", help="keep what is done; go on from there")
    parser.add_argument("--jobs", type=int, help="processes (default: all cores)")
    parser.add_argument("--niceness", type=int, default=0, help="by how much priority is lowered")
    options = parser.parse_args()
    if options.seed is not None:
        return _one(options.seed, traced=options.trace)
    seeds = range(options.first, options.first + options.evenings)
    kept = None
    if options.go_on:
        spend_evening(0)  # So that everything is loaded that an evening needs.
        kept = Kept(KEPT, code_digest())
    done = kept.done if kept is not None else {}
    tally = Tally(len(seeds), [done[seed] for seed in seeds if seed in done])
    left = [seed for seed in seeds if seed not in done]
    for each in _all(left, kept, options.jobs, options.niceness):
        tally.take(each)
    print(tally)
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
