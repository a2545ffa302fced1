"""The JSON lines of a bot process."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from genial.bot.protocol import (
    MalformedLineError,
    ReleaseCommand,
    SeatCommand,
    done_report,
    parse_command,
    ready_report,
    seated_report,
)

SEAT = {
    "address": "127.0.0.1:1",
    "table_id": "t",
    "seat": 1,
    "token": "abc",
    "name": "Max",
    "level": "medium",
}


def test_commands() -> None:
    assert parse_command(json.dumps({"seat": {**SEAT, "new": 1}})) == SeatCommand(
        "127.0.0.1:1", "t", 1, "abc", "Max", "medium"
    )
    release = {"release": {"table_id": "t", "seat": 0}}
    assert parse_command(json.dumps(release)) == ReleaseCommand("t", 0)
    assert parse_command('{"dance": {}}') is None


@pytest.mark.parametrize(
    "line",
    [
        "",
        "rubbish",
        "[]",
        "{}",
        '{"seat": {}, "release": {}}',
        '{"seat": 4}',
        json.dumps({"seat": {**SEAT, "seat": "1"}}),
        json.dumps({"seat": {**SEAT, "seat": True}}),
        json.dumps({"seat": {**SEAT, "token": None}}),
        "[" * 100_000,
    ],
)
def test_what_is_no_command_is_said_without_a_token(line: str) -> None:
    with pytest.raises(MalformedLineError) as caught:
        parse_command(line)
    assert "abc" not in str(caught.value)


def test_reports_are_one_line_each() -> None:
    assert json.loads(ready_report()) == {"ready": {"protocol": 1}}
    assert json.loads(seated_report("t", 1)) == {"seated": {"table_id": "t", "seat": 1}}
    report = done_report("t", 1, "failed", "two\nlines")
    assert report.count("\n") == 1
    assert json.loads(report)["done"]["message"] == "two\nlines"


def test_the_process_is_ready_and_ends_with_its_input_whatever_it_is_told() -> None:
    lines = [
        "rubbish",
        '{"dance": {}}',
        json.dumps({"seat": {**SEAT, "level": "grandmaster"}}),
        json.dumps({"release": {"table_id": "elsewhere", "seat": 0}}),
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "genial.bot", "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert json.loads(process.stdout.readline()) == {"ready": {"protocol": 1}}
        for line in lines:
            process.stdin.write(line + "\n")
        process.stdin.flush()
        done = json.loads(process.stdout.readline())["done"]
        assert done["reason"] == "failed"
        assert "grandmaster" in done["message"]
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert out == ""
    assert "abc" not in err


def test_levels_are_listed() -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "genial.bot", "--levels"], capture_output=True, check=True
    )
    levels = json.loads(listed.stdout)
    assert "medium" in [level["level"] for level in levels]
    assert all(level["description"] for level in levels)
