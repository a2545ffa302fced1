"""A long run that was stopped goes on, and never on the strength of another code."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.simulation import run
from tests.simulation.kept import Done, Kept


def test_what_was_done_is_there_again_and_a_line_cut_short_is_not(tmp_path: Path) -> None:
    kept = Kept(tmp_path, "one")
    evenings = [Done(seed, [], 1, seed, 50) for seed in range(3)]
    kept.add(evenings[:2])
    whole = kept.path.read_text(encoding="utf-8")
    kept.path.write_text(whole[:-5], encoding="utf-8")
    again = Kept(tmp_path, "one")
    assert again.done == {0: evenings[0]}
    again.add(evenings[1:])
    assert Kept(tmp_path, "one").done == dict(enumerate(evenings))
    assert Kept(tmp_path, "another").done == {}


def test_a_run_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "KEPT", tmp_path)

    def told(evenings: int) -> tuple[int, list[str]]:
        command = ["run", "--evenings", str(evenings), "--go-on", "--jobs", "1"]
        monkeypatch.setattr(sys, "argv", command)
        code = run.main()
        return code, capsys.readouterr().out.splitlines()

    code, lines = told(2)
    assert (code, len(lines)) == (0, 1)
    (path,) = tmp_path.iterdir()
    kept = Kept(tmp_path, path.stem.removeprefix("evenings-"))
    assert set(kept.done) == {0, 1}
    # Whatever stands there counts, and is not played again.
    kept.add([Done(1, ["the disk was lost"], 0, 0, 0)])
    code, lines = told(3)
    assert code == 1
    assert lines[0].startswith("FAILED seed 1 ")
    assert lines[1].strip() == "the disk was lost"
    assert lines[2].startswith("before: 2 evenings with ")
    assert lines[3].startswith("3 evenings with ")
    assert "1 failed" in lines[3]
