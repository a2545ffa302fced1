"""The application with a terminal in memory and a table without a host."""

from __future__ import annotations

from pathlib import Path

from genial.client.model import Screen

from .fake import FakeTable
from .terminal import sitting


async def test_whole_game_by_keys(tmp_path: Path) -> None:
    table = FakeTable(players=2)
    async with sitting(table.as_session(), tmp_path) as hands:
        await hands.sees("You have a seat. Enter says that you are ready.")
        await hands.press("\r", "YOUR TURN, ANA")
        await hands.sees("it earns")
        turns = 0
        while hands.player.model.screen is Screen.GAME:
            model = hands.player.model
            view = model.view
            assert view is not None
            before = view.revision
            if view.must_place:
                hands.type("*\r" if turns % 3 else "\t*\r")
                turns += 1
            elif view.may_exchange:
                hands.type("xy" if turns % 2 else "f")

            def changed(before: int = before) -> bool:
                after = hands.player.model.view
                return after is not None and (
                    (after.revision > before and after.is_my_turn and not hands.player.model.busy)
                    or after.is_over
                )

            await hands.until(changed, "nothing came of it")
        await hands.sees("RANKING")
        assert "decided" in hands.terminal.text() or "equal" in hands.terminal.text()
        assert turns > 10
        await hands.press("v", "back to the ranking")
        await hands.press("v", "RANKING")
        await hands.press("\r", "YOUR TURN, ANA")
        assert "rematch" in table.calls


async def test_chat_log_and_help(tmp_path: Path) -> None:
    table = FakeTable(players=3)
    async with sitting(table.as_session(), tmp_path) as hands:
        await hands.press("\r", "YOUR TURN, ANA")
        await hands.press("c", "say >")
        await hands.press("well played\r", 'Ana "well played"')
        await hands.press("l", "LOG AND CHAT")
        await hands.press("\x1b", "it earns")
        await hands.press("?", "KEYS THAT WORK NOW")
        await hands.press("q", "it earns")
        await hands.press("q", "y / n")
        await hands.press("n", "it earns")


async def test_illegal_spots_say_why(tmp_path: Path) -> None:
    table = FakeTable(players=2)
    async with sitting(table.as_session(), tmp_path) as hands:
        await hands.press("\r", "YOUR TURN, ANA")
        # From the spot nearest to the middle, up to a start symbol: the middle is between.
        hands.type("\x1b[A" * 3)
        await hands.sees("not here")
        await hands.sees("must touch a printed start symbol")
        await hands.press("\r", "must touch a printed start symbol")
        await hands.press(":place RB D8 D8\r", "neighbours")
        await hands.press(":place XX D8 D9\r", "XX is no tile")
        await hands.press(":frobnicate\r", "There is no command frobnicate")


async def test_too_small_and_back(tmp_path: Path) -> None:
    table = FakeTable(players=2)
    async with sitting(table.as_session(), tmp_path) as hands:
        await hands.press("\r", "YOUR TURN, ANA")
        app = hands.player._app
        assert app is not None
        for width, height in ((79, 24), (80, 23), (20, 5), (1, 1), (12, 40)):
            hands.terminal.resize(width, height)
            app._on_resize()
            await hands.until(lambda: "TRACKS" not in hands.terminal.text(), "still drawn")
        hands.terminal.resize(80, 24)
        app._on_resize()
        await hands.sees("YOUR TURN, ANA")
