"""Every screen against its golden file, and what must hold for all of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wcwidth import wcwidth

from genial.client.messages import Key
from genial.client.model import Celebration
from genial.client.palette import ROLES, Depth, Look, Theme
from genial.client.update import update
from genial.client.view.draw import draw
from genial.engine.tiles import Symbol

from .gallery import Picture, gallery
from .game_scenes import closing, first_tile, players
from .golden import FOLDER, rendered

PICTURES = list(gallery())
WINDOWS = [(80, 24), (81, 25), (100, 30), (120, 40), (160, 50), (240, 24), (80, 90)]
# East Asian ambiguous characters that boards and tables are tempted to use.
AMBIGUOUS = set("─│┌┐└┘├┤┬┴┼█▀▄▌▐●○◆◇★☆←↑→↓·…×¡¿▲△■□")


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_golden(picture: Picture) -> None:
    path = FOLDER / f"{picture.name}.txt"
    assert rendered(picture) == path.read_text(encoding="utf-8")


def test_no_golden_is_left_over() -> None:
    names = {f"{picture.name}.txt" for picture in PICTURES}
    assert {path.name for path in FOLDER.glob("*.txt")} == names


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_every_window_holds_every_screen(picture: Picture) -> None:
    for width, height in WINDOWS:
        canvas = draw(picture.model, width, height, picture.look)
        for y in range(height):
            text = "".join(text for _ink, text in canvas.runs(y))
            assert sum(max(0, wcwidth(char)) for char in text) == width
            assert not AMBIGUOUS & set(text)
            for ink, _text in canvas.runs(y):
                assert ink.fg in ROLES[Theme.DARK]
                assert ink.bg in ROLES[Theme.DARK]
        assert canvas.text().strip()


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_ascii_is_ascii(picture: Picture) -> None:
    canvas = draw(picture.model, picture.width, picture.height, Look(Theme.ASCII))
    assert canvas.text().isascii()


@pytest.mark.parametrize("size", [(0, 0), (1, 1), (79, 24), (80, 23), (5, 100), (300, 1)])
def test_too_small_a_window_says_so_and_no_more(size: tuple[int, int]) -> None:
    for picture in PICTURES[:3]:
        canvas = draw(picture.model, *size, picture.look)
        lines = [line for line in canvas.text().split("\n") if line.strip()]
        assert len(lines) == (1 if min(size) else 0)
        if size[0] > 60:
            assert "larger" in lines[0]
            assert "q" in lines[0]


def test_too_small_a_window_says_how_large_it_has_to_be() -> None:
    picture = PICTURES[0]
    text = " ".join(draw(picture.model, 60, 20, picture.look).text().split())
    assert "at least 80 by 24, now 60 by 20. q leaves." in text


def test_the_reason_of_an_illegal_spot_is_read_to_its_end() -> None:
    model = first_tile()
    for key in ("down", "left") * 8:
        rows = draw(model, 80, 24, Look()).text().split("\n")
        if any("not here" in row for row in rows):
            break
        model, _effects = update(model, Key(key))
    assert rows[21].rstrip().endswith("that nobody has started at.")


def test_games_won_are_told_in_large_windows_too() -> None:
    model = players(3)
    assert model.table is not None
    model.table.standings.add(name="Max", won_twelfths=18)
    for width, height in ((80, 24), (120, 40)):
        text = draw(model, width, height, Look()).text()
        assert "games won: Max 1.5" in text, (width, height)


def test_the_call_gives_way_to_the_choice_that_ends_the_turn() -> None:
    celebration = Celebration("Ana", True, (Symbol.P,), 5.0)
    row = draw(replace(closing(), celebration=celebration), 80, 24, Look()).text().split("\n")[22]
    assert "exchange" in row
    assert "another tile" not in row


def test_a_long_notice_takes_a_second_row() -> None:
    notice = "The host says that " + "this is so and " * 5 + "that is that."
    rows = draw(replace(first_tile(), notice=notice), 80, 24, Look()).text().split("\n")
    assert " ".join(f"{rows[21]} {rows[22]}".split()) == notice


def test_colours_change_no_character() -> None:
    for picture in PICTURES:
        if picture.look.ascii:
            continue
        texts = {
            draw(
                picture.model, picture.width, picture.height, replace(picture.look, theme=theme)
            ).text()
            for theme in Theme
            if theme is not Theme.ASCII
        }
        assert len(texts) == 1


def test_without_colours_marks_and_reverse_video_remain() -> None:
    picture = PICTURES[0]
    look = Look(depth=Depth.NONE)
    canvas = draw(picture.model, picture.width, picture.height, look)
    styles = {style for y in range(24) for style, _text in canvas.fragments(y, look)}
    assert styles <= {
        "",
        "bold",
        "reverse",
        "reverse bold",
        "reverse underline",
        "reverse bold underline",
    }
    assert "reverse bold underline" in styles
