from __future__ import annotations

import re

import pytest

from docs.pictures.draw import FOLDER, PICTURES


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_rules_is_what_the_renderer_draws(name: str) -> None:
    drawn = PICTURES[name]()
    kept = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert kept == drawn, "draw them again: make pictures"


def test_the_rules_show_every_picture_and_no_other() -> None:
    text = (FOLDER.parent / "rules.md").read_text(encoding="utf-8")
    shown = re.findall(r"\]\(pictures/([a-z-]+)\.svg\)", text)
    assert sorted(shown) == sorted(PICTURES)
    assert sorted(path.stem for path in FOLDER.glob("*.svg")) == sorted(PICTURES)
