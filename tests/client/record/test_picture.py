from __future__ import annotations

import itertools
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from genial.client.palette import Theme
from genial.client.picture.race import _spread
from genial.client.picture.record import THEMES, record_svg
from genial.client.picture.svg import document, number, render, xml_text
from genial.client.record_files import OpenedRecord, open_bytes, open_record
from genial.client.replay import Replay
from genial.engine.tiles import LETTERS
from tests.client.record.vectors import FREE_2, FREE_4, GOOD, PARTNERS, SOLO, renamed

SVG = "{http://www.w3.org/2000/svg}"


def read(path: Path) -> tuple[OpenedRecord, Replay]:
    opened = open_record(path)
    return opened, Replay.of(opened.record)


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
@pytest.mark.parametrize("theme", THEMES)
def test_a_picture_shows_every_symbol_of_the_board_and_of_the_tracks_by_letter(
    path: Path, theme: Theme
) -> None:
    opened, replay = read(path)
    game = replay.positions[replay.end].game
    shown = Counter(text for text in texts(record_svg(opened, replay, theme=theme)))
    on_board = Counter(LETTERS[content - 1] for content in game.board.packed() if content)
    for letter in LETTERS:
        stops = sum(
            (old[LETTERS.index(letter)] < stop <= new[LETTERS.index(letter)])
            for steps in replay.race()
            for (_m, old), (_n, new) in itertools.pairwise(steps)
            for stop in {18, game.rules.cap}
        )
        # Each panel has every symbol in its heading and at the end of its line.
        assert shown[letter] == on_board[letter] + 2 * len(game.rules.teams) + stops


def test_each_symbol_has_a_shape_of_its_own() -> None:
    opened, replay = read(FREE_4)
    root = ET.fromstring(record_svg(opened, replay))
    corners: dict[str, set[tuple[str, int]]] = {}
    shapes = [
        node for node in root.iter() if node.tag in (f"{SVG}polygon", f"{SVG}circle", f"{SVG}text")
    ]
    for shape, following in itertools.pairwise(shapes):
        if following.tag == f"{SVG}text" and following.text in tuple(LETTERS):
            kind = shape.tag.removeprefix(SVG)
            hollow = shape.get("fill") == "none"
            points = len(shape.get("points", "").split())
            corners.setdefault(following.text or "", set()).add((f"{kind}{hollow}", points))
    assert corners == {
        "R": {("polygonFalse", 24)},
        "G": {("circleFalse", 0)},
        "B": {("polygonFalse", 12)},
        "O": {("polygonFalse", 6)},
        "Y": {("polygonFalse", 48)},
        "P": {("circleTrue", 0)},
    }


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_everything_lies_within_the_picture(path: Path) -> None:
    opened, replay = read(path)
    root = ET.fromstring(record_svg(opened, replay))
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    for node in root.iter():
        for key in ("x", "cx", "x1", "x2"):
            assert 0 <= float(node.get(key, "0")) <= width
        for key in ("y", "cy", "y1", "y2"):
            assert 0 <= float(node.get(key, "0")) <= height
        for pair in node.get("points", "").split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= width
            assert 0 <= y <= height


def test_the_same_record_gives_the_same_picture() -> None:
    assert record_svg(*read(FREE_4)) == record_svg(*read(FREE_4))


def test_a_picture_of_a_position_shows_what_lay_there() -> None:
    opened, replay = read(FREE_2)
    at = replay.place_of(30)
    svg = record_svg(opened, replay, at)
    assert f"After {replay.positions[at].move} tiles" in texts(svg)
    shown = Counter(texts(svg))
    board = replay.positions[at].game.board
    letters = Counter(LETTERS[content - 1] for content in board.packed() if content)
    assert all(shown[letter] >= letters[letter] + 4 for letter in LETTERS)
    for place in (replay.start, replay.dealt, replay.next_move(replay.start)):
        ET.fromstring(record_svg(opened, replay, place))


def test_headlines_say_who_won() -> None:
    assert "P1 wins" in texts(record_svg(*read(FREE_2)))
    assert "P1 and P3 win" in texts(record_svg(*read(PARTNERS)))
    assert "P0 reaches 16" in texts(record_svg(*read(SOLO)))


def test_names_are_text_and_nothing_else() -> None:
    hostile = ['<script>alert("1")</script> & "x', "\x00\ufffe\x1b]0;title\x07"]
    opened = open_bytes("hostile", renamed(FREE_2, hostile))
    svg = record_svg(opened, Replay.of(opened.record))
    root = ET.fromstring(svg)
    assert not list(root.iter(f"{SVG}script"))
    assert any('<script>alert("1")' in text for text in texts(svg))
    assert not re.search("[\x00-\x08\x0b-\x1f\ufffe\uffff]", svg)


def test_text_that_xml_cannot_hold_is_replaced() -> None:
    assert xml_text("a\x00b\nc\ufffed") == "a?b c?d"
    picture = document(10, 10, "a < b & c", "d")
    picture.text(1, 2, "\ud800", 3)
    assert ET.fromstring(render(picture)).find(f"{SVG}title") is not None


def test_coordinates_are_short() -> None:
    assert [number(value) for value in (1.0, 0.125, -0.0, 1e-9, 100.5, -3.999)] == [
        "1",
        "0.12",
        "0",
        "0",
        "100.5",
        "-4",
    ]


def test_labels_keep_their_distance_and_their_order() -> None:
    class Plot:
        y = 0.0

    for heights in ([100.0] * 6, [100, 90, 80, 70, 60, 50], [3.0, 2.0, 2.0, 1.0, 0.0, 0.0]):
        spread = _spread(heights, 12.0, Plot())  # type: ignore[arg-type]
        assert all(a - b > 11.99 for a, b in itertools.pairwise(spread))
        assert spread[-1] >= -10
