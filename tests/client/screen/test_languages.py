"""Languages: complete, consistent, chosen as asked; every screen in each of them."""

from __future__ import annotations

import ast
import asyncio
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wcwidth import wcwidth

from genial.client import text, view
from genial.client.languages import LANGUAGES, catalogue, chosen_language, from_environment
from genial.client.lessons import LESSONS
from genial.client.settings import Settings
from genial.client.text import _
from genial.client.view import canvas
from genial.client.view.canvas import wrap
from genial.client.view.draw import draw

from .fake import FakeTable
from .gallery import Picture, gallery
from .terminal import sitting

PICTURES = list(gallery())
ROOT = Path(__file__).parents[3]


@pytest.fixture(params=[language for language in LANGUAGES if language != "en"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    spoken = str(request.param)
    text.install(catalogue(spoken))
    yield spoken
    text.install(None)


def test_catalogues_are_complete() -> None:
    """No message is missing; plurals and placeholders agree; compiled and committed."""
    done = subprocess.run(
        [sys.executable, "tools/messages.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_whatever_is_marked_is_in_the_catalogues() -> None:
    """Babel does not look into f-strings, so that what is marked there would stay English."""
    translated = catalogue("de")._catalog  # type: ignore[attr-defined]
    known = {key[0] if isinstance(key, tuple) else key for key in translated}
    for path in (ROOT / "client" / "genial").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in ("_", "N_") and isinstance(node.args[0], ast.Constant):
                assert node.args[0].value in known, f"{path.name}: {node.args[0].value!r}"


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_every_screen_in_every_language(picture: Picture, language: str) -> None:
    english = catalogue("en")
    spoken = {}
    for width, height in ((80, 24), (100, 30), (160, 50)):
        drawn = draw(picture.model, width, height, picture.look)
        spoken[width] = drawn.text()
        for y in range(height):
            row = "".join(part for _ink, part in drawn.runs(y))
            assert sum(max(0, wcwidth(char)) for char in row) == width
    text.install(english)
    assert draw(picture.model, 80, 24, picture.look).text() != spoken[80]


@pytest.mark.parametrize("spoken", LANGUAGES)
def test_nothing_is_cut_off_but_names_and_paths(
    spoken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the window that each picture is for; what a person or a folder is called may be."""
    short = 6
    lost: set[tuple[str, str]] = set()
    place = [""]
    whole = canvas.cut
    put = canvas.Canvas.put

    def cut(text: str, columns: int) -> str:
        shown = whole(text, columns)
        if shown != text and len(text) > short and not text.startswith("/"):
            lost.add((place[0], text))
        return shown

    def noted_put(self: canvas.Canvas, x: int, y: int, text: str, *more: Any, **named: Any) -> int:
        if x + canvas.width_of(text.rstrip()) > self.width:
            lost.add((place[0], text))
        return put(self, x, y, text, *more, **named)

    for module in pkgutil.iter_modules(view.__path__):
        loaded = importlib.import_module(f"{view.__name__}.{module.name}")
        if hasattr(loaded, "cut"):
            monkeypatch.setattr(loaded, "cut", cut)
    monkeypatch.setattr(canvas.Canvas, "put", noted_put)
    text.install(catalogue(spoken))
    try:
        for picture in PICTURES:
            place[0] = picture.name
            draw(picture.model, picture.width, picture.height, picture.look)
    finally:
        text.install(None)
    assert not lost


def test_every_step_of_the_tutorial_fits(language: str) -> None:
    for lesson in LESSONS:
        assert len(wrap(_(lesson.text), 73)) <= 2, lesson.text


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "es_ES.UTF-8"}, "es"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_MESSAGES": "de_DE.UTF-8"}, "de"),
        ({"LANG": "es_ES", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "fr:es:en"}, "es"),
        ({"LANG": "C", "LANGUAGE": "es"}, "en"),
        ({"LANG": "es_ES.UTF-8", "GENIAL_LANGUAGE": "de"}, "de"),
    ],
)
def test_the_environment_chooses(environment: dict[str, str], language: str) -> None:
    assert from_environment(environment) == language


def test_the_setting_chooses_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "es_ES.UTF-8")
    monkeypatch.delenv("GENIAL_LANGUAGE", raising=False)
    assert chosen_language("") == "es"
    assert chosen_language("de") == "de"
    assert chosen_language("klingon") == "es"
    monkeypatch.setenv("GENIAL_LANGUAGE", "en")
    assert chosen_language("de") == "en"


async def test_two_languages_in_one_process(tmp_path: Path) -> None:
    one, other = FakeTable(), FakeTable()
    async with (
        sitting(one.as_session(), tmp_path, settings=Settings(name="Ana", language="es")) as ana,
        sitting(other.as_session(), tmp_path, settings=Settings(name="Eva", language="de")) as eva,
    ):
        await asyncio.gather(ana.press("\r", "TE TOCA"), eva.press("\r", "DU BIST DRAN"))
        await ana.press("?", "TECLAS DE ESTE MOMENTO")
        await eva.press("?", "TASTEN, DIE JETZT GELTEN")
        assert _("help") == "help"


async def test_the_language_changes_at_once(tmp_path: Path) -> None:
    table = FakeTable()
    settings = Settings(name="Ana", language="en")
    async with sitting(table.as_session(), tmp_path, settings=settings) as hands:
        await hands.press("\r", "YOUR TURN")
        hands.type("\x1bOR")
        await hands.sees("SETTINGS")
        hands.type("\x1b[B" * 3)
        await hands.press("\x1b[C", "AJUSTES")
        await hands.press("\x1b[C", "EINSTELLUNGEN")
