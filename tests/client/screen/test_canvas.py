"""The character grid: widths, cutting, and text that tries to do something."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcwidth

from genial.client.view.canvas import Canvas, clean, cut, fit, width_of, wrap
from genial.client.view.end import shorten_path


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred", "?[31mred"),
        ("two\nlines\ttab", "two lines tab"),
        ("\u202eevil", "evil"),
        ("zero\u200bwidth\u200d", "zerowidth"),
        ("bell\x07", "bell?"),
        ("\ud800", "?"),
        ("日本", "日本"),
        ("❤\ufe0f", "❤"),
    ],
)
def test_clean(text: str, shown: str) -> None:
    assert clean(text) == shown


@given(st.text(), st.integers(0, 30))
def test_cut_and_fit_keep_their_columns(text: str, columns: int) -> None:
    assert width_of(cut(text, columns)) <= columns
    assert width_of(fit(text, columns)) == columns


@given(st.text(), st.integers(2, 30))
def test_wrap_loses_nothing_but_blanks(text: str, columns: int) -> None:
    lines = wrap(text, columns)
    assert lines
    assert all(width_of(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(clean(text).split())


@given(st.text(max_size=40), st.integers(-5, 25), st.integers(-2, 4))
def test_writing_never_breaks_the_grid(text: str, x: int, y: int) -> None:
    canvas = Canvas(20, 3)
    canvas.put(x, y, text)
    canvas.put(x + 1, y, "日")
    for row in range(3):
        runs = canvas.runs(row)
        written = "".join(run for _ink, run in runs)
        assert sum(max(0, wcwidth(char)) for char in written) == 20


def test_wide_characters_take_two_places() -> None:
    canvas = Canvas(6, 1)
    assert canvas.put(1, 0, "日a") == 4
    assert [canvas.char(x, 0) for x in range(6)] == [" ", "日", "", "a", " ", " "]
    assert canvas.text() == " 日a\n"


def test_overwriting_half_of_a_wide_character_leaves_no_half() -> None:
    canvas = Canvas(6, 1)
    canvas.put(1, 0, "日")
    canvas.put(2, 0, "x")
    assert canvas.text() == "  x\n"
    canvas.put(1, 0, "日")
    canvas.put(1, 0, "y")
    assert canvas.text() == " y\n"


def test_combining_marks_stay_with_their_letter() -> None:
    canvas = Canvas(4, 1)
    canvas.put(0, 0, "e\u0301x")
    assert canvas.char(0, 0) == "e\u0301"
    assert canvas.char(1, 0) == "x"


def test_a_long_path_keeps_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ana"))
    records = "/home/ana/.local/share/genial/records"
    assert shorten_path(f"{records}/7f.genial", 40) == "~/.local/share/genial/records/7f.genial"
    long = f"{records}/3214f5da-5161-4782-b701-f42924bac92e.genial"
    assert shorten_path(long, 40) == "~/.local/share/genial/records/3214f5d..."
    assert shorten_path(long, 20) == "..." + long[-17:]
