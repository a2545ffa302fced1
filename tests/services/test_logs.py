"""Logs: one line each, harmless to look at, for people or for machines."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from genial.services.config import LogConfig, LogFormat, LogLevel
from genial.services.logs import set_up, visible

NASTY = "\x1b]0;owned\x07\x1b[2J\r\n2026-01-01 ERROR forged \u202eabc\u200b"


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in list(root.handlers):
        if handler not in handlers:
            root.removeHandler(handler)
            handler.close()
    for handler in handlers:
        if handler not in root.handlers:
            root.addHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(False)


def logged(tmp_path: Path, log_format: LogFormat, level: LogLevel = LogLevel.INFO) -> Path:
    path = tmp_path / "logs" / "host.log"
    set_up(LogConfig(log_format, level, path))
    return path


def test_a_line_for_people(tmp_path: Path) -> None:
    path = logged(tmp_path, LogFormat.TEXT)
    logging.getLogger("genial.services.host").info("%s has come", "Aña")
    line = path.read_text("utf-8")
    assert line.endswith("Z INFO    genial.services.host: Aña has come\n")


@pytest.mark.parametrize("log_format", list(LogFormat))
def test_nothing_in_a_log_commands_a_terminal(tmp_path: Path, log_format: LogFormat) -> None:
    path = logged(tmp_path, log_format)
    logging.getLogger("genial").warning("somebody is called %s", NASTY)
    text = path.read_text("utf-8")
    assert text.count("\n") == 1
    assert text.removesuffix("\n").isprintable()
    assert "owned" in text


@pytest.mark.parametrize("log_format", list(LogFormat))
def test_a_traceback_forges_no_line(tmp_path: Path, log_format: LogFormat) -> None:
    path = logged(tmp_path, log_format)
    try:
        raise ValueError(NASTY)
    except ValueError:
        logging.getLogger("genial").exception("broken")
    text = path.read_text("utf-8")
    assert "test_logs.py" in text
    assert "\x1b" not in text
    for line in text.splitlines()[1:]:
        assert line.startswith("    ")


def test_json_has_one_object_a_line(tmp_path: Path) -> None:
    path = logged(tmp_path, LogFormat.JSON)
    logging.getLogger("genial.x").info("first")
    try:
        raise ValueError("inside")
    except ValueError:
        logging.getLogger("genial.x").exception("second")
    first, second = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    assert first["message"] == "first"
    assert (first["level"], first["logger"]) == ("INFO", "genial.x")
    assert first["time"].endswith("Z")
    assert "ValueError: inside" in second["exc_info"]


def test_the_level_is_kept_and_libraries_do_not_chatter(tmp_path: Path) -> None:
    path = logged(tmp_path, LogFormat.TEXT, LogLevel.DEBUG)
    logging.getLogger("genial").debug("seen")
    logging.getLogger("zeroconf").debug("chatter")
    assert "seen" in path.read_text("utf-8")
    assert "chatter" not in path.read_text("utf-8")
    path.unlink()
    set_up(LogConfig(LogFormat.TEXT, LogLevel.ERROR, path))
    logging.getLogger("genial").warning("too little")
    assert path.read_text("utf-8") == ""


def test_a_rotated_file_is_opened_anew(tmp_path: Path) -> None:
    path = logged(tmp_path, LogFormat.TEXT)
    logging.getLogger("genial").info("before")
    path.rename(tmp_path / "old.log")
    logging.getLogger("genial").info("after")
    assert "after" in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain ñ ✶", "plain ñ ✶"), ("\x1b", "\\x1b"), ("a\nb", "a\\nb"), ("\u202e", "\\u202e")],
)
def test_what_does_not_print_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown
