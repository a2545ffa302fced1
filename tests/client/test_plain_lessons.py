"""The tutorial by lines of text."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from genial.client.lines import LineReader
from genial.client.plain_lessons import LESSONS, PlainLessons, run_plain_lessons
from genial.client.plain_settings import PlainSettings


@pytest.fixture
def settings(tmp_path: Path) -> PlainSettings:
    return PlainSettings(path=tmp_path / "settings.toml")


async def test_all_ten_steps_by_doing_what_they_say(
    settings: PlainSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    lessons = PlainLessons(settings, "Eva")
    told: list[str] = []

    async def type_line(line: str) -> list[str]:
        await lessons._obey(line)
        lines = capsys.readouterr().out.splitlines()
        told.extend(lines)
        return lines

    async def best(of: str = "moves 1") -> str:
        return (await type_line(of))[0].partition("  #")[0]

    lessons._begin()
    told += capsys.readouterr().out.splitlines()
    await type_line("rack")
    await type_line("board")
    place = await best()
    await type_line(place)
    assert lessons._step == 4
    await type_line("refill")
    await type_line("scores")
    await type_line(await best())
    await type_line("exchange")
    earning = [line for line in await type_line("moves 99") if re.search(r"# .*P [1-9]", line)]
    await type_line(earning[0].partition("  #")[0])
    assert lessons._step == 8
    await type_line(await best())
    assert lessons._step == 9
    for number in range(1, len(LESSONS) + 1):
        assert sum(line.startswith(f"Step {number} of 10. ") for line in told) == 1


async def test_wrong_input_costs_nothing_and_the_end_of_input_ends_it(
    settings: PlainSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"\xff\xfe\nfly\nplace RB\nrematch\nscores 1 2\nagain\nhelp\nskip\nlog\n")
    os.close(writing)
    await run_plain_lessons(LineReader(reading), settings)
    os.close(reading)
    lines = capsys.readouterr().out.splitlines()
    assert (
        sum(line.endswith("is nothing for the lessons; help lists what is.") for line in lines) == 3
    )
    assert sum(line.startswith("Step 1 of 10.") for line in lines) == 3
    assert lines[-1].startswith(("Max: ", "The bag", "Step 2", "Nothing", "Your tiles", "Ana"))


async def test_skipping_leads_through_all_of_it_and_out(
    settings: PlainSettings, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"skip\n" * 20)
    os.close(writing)
    await run_plain_lessons(LineReader(reading), settings)
    os.close(reading)
    assert capsys.readouterr().out.count("Step ") == len(LESSONS)
