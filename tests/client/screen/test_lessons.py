"""The tutorial from the first step to the last, by keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from genial.client.lesson_table import position, scripted
from genial.client.lessons import LESSONS
from genial.client.model import Screen
from genial.client.view.canvas import wrap
from genial.engine.moves import Phase
from genial.engine.view import view_for

from .terminal import sitting


def test_the_script_is_a_game() -> None:
    game = scripted(40)
    assert game.is_over
    assert game.ended is not None
    assert game.ended.ranking == ((0,), (1,))


def test_every_step_can_be_done() -> None:
    assert len(LESSONS) == 10
    scoring = position(5)
    assert scoring is not None
    assert view_for(scoring, 0).scored_placements()[0].total >= 4
    exchange = position(6)
    assert exchange is not None
    assert exchange.phase is Phase.CLOSE
    assert exchange.may_exchange(0)


def test_every_step_fits_below_the_smallest_board() -> None:
    for lesson in LESSONS:
        assert len(wrap(lesson.text, 73)) <= 2


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_all_ten_steps_by_keys(tmp_path: Path, size: tuple[int, int]) -> None:
    async with sitting(None, tmp_path, width=size[0], height=size[1]) as hands:
        await hands.sees("tutorial")
        await hands.press("t", "1/10")
        await hands.press("2", "2/10")
        await hands.press("\x1b[C", "3/10")
        await hands.press("r", "4/10")
        await hands.press("*\r", "5/10")
        await hands.press(" ", "6/10")
        await hands.press("*", "it earns")
        for slot in "123456":
            hands.type(f"{slot}*")
            await hands.sees("it earns")
            ghost = hands.player.model.ghost()
            await hands.until(lambda: not hands.player.model.busy)
            if ghost is not None and sum(ghost.points) >= 4:
                break
        await hands.press("\r", "7/10")
        await hands.press("x", "y / n")
        await hands.press("y", "8/10")
        await hands.until(lambda: hands.player.model.hand.tile is not None)
        for number, tile in enumerate(hands.player.model.hand.slots, 1):
            if str(tile) == "PP":
                hands.type(f"{number}*\r")
        await hands.sees("9/10")
        hands.type("*\r")
        await hands.sees("10/10")
        assert hands.player.model.screen is Screen.END
        await hands.press("q", "tables on this network")
