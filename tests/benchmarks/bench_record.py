"""`genial record check` against merely parsing the same lines as JSON."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

from genial.client.record_files import check_files
from genial.engine.record import Verdict
from tests.benchmarks.run import Bench, rate
from tests.referee import generate

RECORDS = 200
GAMES = 25
"""So many different games, each written under several names."""


@cache
def games() -> list[bytes]:
    """Records of four-player games, exchanges and all."""
    return [
        generate.record(generate.Plan(seed=seed, players=4, look=10, exchange=0.3))
        for seed in range(GAMES)
    ]


def write_records(folder: Path) -> list[str]:
    """The paths of all records, written into a folder."""
    paths = []
    for number in range(RECORDS):
        path = folder / f"{number:03}.genial"
        path.write_bytes(games()[number % GAMES])
        paths.append(str(path))
    return paths


def check_ratio() -> float:
    """Time to check all records in one call, over the time to parse their lines."""
    with tempfile.TemporaryDirectory() as folder:
        paths = write_records(Path(folder))
        lines = [line for path in paths for line in Path(path).read_bytes().splitlines()]

        def check() -> int:
            verdicts = {judgement.verdict for judgement in check_files(paths)}
            assert verdicts == {Verdict.VERIFIED}
            return 1

        def parse() -> int:
            for line in lines:
                json.loads(line)
            return 1

        return rate(parse, 0.5) / rate(check, 1.0)


BENCHES = [
    Bench(
        "record-check",
        "`record check` of 200 four-player records, over parsing the same lines with json",
        12,
        False,
        check_ratio,
    ),
]
