"""Speed, as ratios: two things measured side by side in one run, so that the machine cancels out.

    python -m tests.benchmarks.run              every bench
    python -m tests.benchmarks.run playout      those whose name contains a word
    python -m tests.benchmarks.run --list       their names

A bench is a `Bench` in the list `BENCHES` of a module `bench_*.py` beside this file. Each is
measured five times; the median is printed with its goal. Exit code 1: a goal was missed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

ROUNDS = 5


@dataclass(frozen=True)
class Bench:
    """One ratio and its goal.

    Attributes:
        name: Short, for the command line.
        what: What is divided by what.
        goal: The ratio to reach.
        at_least: Whether more is better (else less is).
        measure: Takes both figures once, side by side, and returns their ratio.
    """

    name: str
    what: str
    goal: float
    at_least: bool
    measure: Callable[[], float]

    def meets(self, ratio: float) -> bool:
        """Whether a ratio is good enough."""
        return ratio >= self.goal if self.at_least else ratio <= self.goal


def rate(work: Callable[[], int], seconds: float) -> float:
    """Units a second of `work`, which returns how many it did, repeated for about `seconds`."""
    done = 0
    started = perf_counter()
    while True:
        done += work()
        spent = perf_counter() - started
        if spent >= seconds:
            return done / spent


def benches() -> Iterator[Bench]:
    """Every bench there is, by module name."""
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        yield from importlib.import_module(f"tests.benchmarks.{path.stem}").BENCHES


def main() -> int:
    """Run what the command line names; returns the exit code."""
    parser = argparse.ArgumentParser(description="Ratios, median of five, with their goals.")
    parser.add_argument("words", nargs="*", help="only benches whose name contains one of these")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    options = parser.parse_args()
    missed = 0
    # Hosts that end say so to each of their clients, and gRPC would print that among the ratios.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    chosen = [
        bench
        for bench in benches()
        if not options.words or any(word in bench.name for word in options.words)
    ]
    if not chosen:
        print("no bench has such a name; see --list", file=sys.stderr)
        return 2
    for bench in chosen:
        if options.list:
            print(f"{bench.name}: {bench.what}")
            continue
        ratios = [bench.measure() for _ in range(ROUNDS)]
        ratio = statistics.median(ratios)
        good = bench.meets(ratio)
        missed += not good
        print(
            f"{'ok    ' if good else 'MISSED'} {bench.name}: {bench.what}: {ratio:.2f}"
            f" (goal {'at least' if bench.at_least else 'at most'} {bench.goal:g};"
            f" five runs {min(ratios):.2f} to {max(ratios):.2f})",
            flush=True,
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
