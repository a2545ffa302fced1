"""An arena played by real processes, on this machine and on a cluster that loses a worker."""

from __future__ import annotations

import json
import os
import signal
from importlib import import_module
from pathlib import Path
from typing import Any

import click.testing
import pytest

from genial.cli.arena import arena
from genial.engine.record import Verdict, judge
from genial.engine.rules import Rules
from genial.lab import workers
from genial.lab.arena import Standing, run
from genial.lab.workers import ClusterError, cluster_workers, in_order, local_workers

TWO = Rules(players=2)
LEVELS = ("maxmin", "random")


def figures(standing: Standing) -> list[tuple[str, float, list[int]]]:
    return [(t.level, t.wins, t.lowest) for t in standing.tallies.values()]


def test_games_and_records_are_the_same_whatever_the_number_of_jobs(tmp_path: Path) -> None:
    found = [
        run(
            LEVELS,
            TWO,
            local_workers(jobs, niceness=0),
            games=7,
            seed=3,
            records=tmp_path / str(jobs),
        )
        for jobs in (1, 2)
    ]
    assert [standing.games for standing in found] == [8, 8]  # whole deals
    assert figures(found[0]) == figures(found[1])
    for path in sorted((tmp_path / "1").iterdir()):
        content = path.read_bytes()
        assert content == (tmp_path / "2" / path.name).read_bytes()
        assert judge(content).verdict is Verdict.VERIFIED


def test_until_sure_stops_when_it_is_sure() -> None:
    standing = run(LEVELS, TWO, local_workers(2, niceness=0), games=None, seed=4)
    assert standing.sure
    assert standing.games < 100
    assert standing.tallies["maxmin"].win_share > 0.9


@pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning:dask")
def test_a_cluster_that_loses_a_worker_in_the_middle_plays_the_same_games() -> None:
    distributed: Any = import_module("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    try:
        killed = []

        def told(standing: Standing) -> None:
            if standing.games == 3:
                # The nanny of a worker is asked for the process that plays.
                worker = next(iter(cluster.workers.values()))
                killed.append(worker.process.pid)
                os.kill(worker.process.pid, signal.SIGKILL)

        address = cluster.scheduler_address
        there = run(LEVELS, TWO, cluster_workers(address), games=24, seed=5, told=told)
        assert killed
    finally:
        cluster.close()
    here = run(LEVELS, TWO, local_workers(1, niceness=0), games=24, seed=5)
    assert figures(there) == figures(here)


def test_no_cluster_is_told_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_CONNECT_SECONDS", 1)
    with pytest.raises(ClusterError, match="no Dask scheduler"), cluster_workers("tcp://[::1]:9"):
        pass


def test_results_come_in_order_and_the_rest_is_forgotten() -> None:
    with local_workers(2, niceness=0) as places:
        stream = in_order(abs, range(-50, 0), places)
        assert [next(stream) for _ in range(5)] == [50, 49, 48, 47, 46]
        stream.close()


def test_the_command_prints_the_documented_keys(tmp_path: Path) -> None:
    runner = click.testing.CliRunner()
    arguments = ["maxmin", "random", "--games", "4", "--jobs", "1", "--json"]
    done = runner.invoke(arena, [*arguments, "--records", str(tmp_path)])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert set(document) == {"mode", "players", "games", "results"}
    for entry in document["results"]:
        assert {
            "level",
            "seats",
            "wins",
            "win_share",
            "low",
            "high",
            "mean_lowest",
            "ms_per_move",
            "elo",
            "elo_error",
        } == set(entry)
    assert len(list(tmp_path.glob("*.genial"))) == 4
    table = runner.invoke(arena, ["greedy", "--games", "2", "--jobs", "1", "--mode", "solo"])
    assert table.exit_code == 0
    assert "greedy" in table.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["grandmaster"],
        ["maxmin", "--mode", "partners", "--players", "3"],
        ["maxmin", "--games", "3", "--until-sure"],
        ["maxmin", "--games", "0"],
        ["maxmin", "--think", "0"],
        [],
    ],
    ids=str,
)
def test_wrong_usage_is_told(arguments: list[str]) -> None:
    done = click.testing.CliRunner().invoke(arena, arguments)
    assert done.exit_code == 2
    assert "Error: " in done.stderr
