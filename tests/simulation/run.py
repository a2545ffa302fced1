"""Many evenings, from one seed after the other, on all cores.

python -m tests.simulation.run --evenings 1000          the seeds 0 to 999
python -m tests.simulation.run --seed 42 --trace        one alone, with all that happened
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.simulation.evening import Outcome, spend_evening

_AT_ONCE = 25


def _evenings(first: int, count: int) -> list[Outcome]:
    logging.disable(logging.CRITICAL)
    outcomes = [spend_evening(seed) for seed in range(first, first + count)]
    for outcome in outcomes:
        outcome.trace.clear()
    return outcomes


def _all(first: int, count: int) -> Iterator[Outcome]:
    # Spawned: a fork would take gRPC's threads for alive.
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        starts = range(first, first + count, _AT_ONCE)
        counts = [min(_AT_ONCE, first + count - start) for start in starts]
        for outcomes in pool.map(_evenings, starts, counts):
            yield from outcomes


def main() -> int:
    """Plays what the command line names; 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description="Evenings in virtual time.")
    parser.add_argument("--evenings", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="this evening alone")
    parser.add_argument("--trace", action="store_true", help="tell all that happened")
    options = parser.parse_args()
    first, count = options.first, options.evenings
    if options.seed is not None:
        first, count = options.seed, 1
    started = time.monotonic()
    wrong = games = deaths = commits = 0
    outcomes = [spend_evening(first)] if count == 1 else _all(first, count)
    for outcome in outcomes:
        games += outcome.games
        deaths += outcome.deaths
        commits += outcome.commits
        if options.trace:
            print("\n".join(outcome.trace))
        if outcome.problems:
            wrong += 1
            again = f"python -m tests.simulation.run --seed {outcome.seed} --trace"
            print(f"FAILED seed {outcome.seed} (again: {again})")
            for problem in outcome.problems:
                print(f"    {problem}", flush=True)
    print(
        f"{count} evenings with {games} games, {deaths} deaths of the host, {commits} commits,"
        f" {wrong} failed, {time.monotonic() - started:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
