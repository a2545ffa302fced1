"""The application with a terminal in memory and a table without a host."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path

import pytest
from prompt_toolkit.application import Application
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from genial.client.app import Player
from genial.client.model import Screen
from genial.client.sentences import placement_command
from genial.client.settings import Settings
from genial.client.table_actions import BREATH_SECONDS
from genial.client.updates import GameChanged
from genial.client.view.geometry import board_grid
from genial.engine.hexgrid import Axial

from .fake import FakeTable
from .terminal import Hands, Terminal, sitting


def test_prompt_toolkit_still_keeps_its_own_keys_where_we_leave_them_out() -> None:
    """The attribute is private; a key would be looked for among five hundred bindings again."""
    assert "_default_bindings" in vars(Application(output=DummyOutput()))


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
        rested = hands.player.model.heard + BREATH_SECONDS
        await hands.until(lambda: time.monotonic() > rested, "time stands still")
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


async def test_a_fault_of_our_own_restores_the_terminal(tmp_path: Path) -> None:
    class Broken(FakeTable):
        async def refill(self) -> GameChanged:
            raise ZeroDivisionError("a bug")

    table = Broken(players=2)
    terminal = Terminal(80, 24)
    with create_pipe_input() as pipe:
        output = Vt100_Output(terminal, lambda: terminal.size, term="xterm-256color")
        player = Player(
            settings=Settings(name="Ana"),
            settings_file=tmp_path / "settings.toml",
            input=pipe,
            output=output,
        )
        running = asyncio.ensure_future(player.run(table.as_session()))
        hands = Hands(player, terminal, pipe)
        await hands.press("\r", "YOUR TURN, ANA")
        hands.type("*\r")
        with pytest.raises(ZeroDivisionError):
            await running
    raw = "".join(terminal.raw)
    assert raw.rindex("\x1b[?1049l") > raw.rindex("\x1b[?1049h")
    assert raw.rindex("\x1b[?1000l") > raw.rindex("\x1b[?1000h")
    assert raw.rindex("\x1b[?25h") > raw.rindex("\x1b[?25l")


async def test_two_players_in_one_process(tmp_path: Path) -> None:
    one, other = FakeTable(players=2, seed=3), FakeTable(players=4, seed=5)
    async with (
        sitting(one.as_session(), tmp_path) as ana,
        sitting(other.as_session(), tmp_path, width=120, height=40) as eva,
    ):
        await ana.press("\r", "YOUR TURN, ANA")
        await eva.press("\r", "YOUR TURN, ANA")
        await asyncio.gather(ana.press("*\r", "move 2"), eva.press("c", "say >"))
        assert "say >" not in ana.terminal.text()
        await eva.press("hello\r", "hello")
        assert "hello" not in ana.terminal.text()


async def test_mouse_and_its_key(tmp_path: Path) -> None:
    table = FakeTable(players=2)
    async with sitting(table.as_session(), tmp_path) as hands:
        await hands.press("\r", "YOUR TURN, ANA")
        # A click on the second tile of the rack; columns and rows of the protocol start at 1.
        hands.type("\x1b[<0;64;18M\x1b[<0;64;18m")
        await hands.until(lambda: hands.player.model.hand.chosen == 1)
        hands.type("m")
        await hands.sees("The mouse is off")
        await hands.until(lambda: "\x1b[?1003l" in "".join(hands.terminal.raw))
        hands.type("m")
        await hands.sees("The mouse plays again")


async def test_whole_game_by_mouse(tmp_path: Path) -> None:
    table = FakeTable(players=2, seed=9)
    async with sitting(table.as_session(), tmp_path) as hands:
        await hands.press("\r", "YOUR TURN, ANA")

        def click(x: int, y: int) -> None:
            hands.type(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")

        def chosen(slot: int) -> bool:
            return hands.player.model.hand.chosen == slot

        def lies(cell: Axial) -> bool:
            return hands.player.model.hand.anchor == cell

        def turned(before: int) -> bool:
            return hands.player.model.hand.direction != before

        grid = board_grid(5, 80, 24)
        assert grid is not None
        while hands.player.model.screen is Screen.GAME:
            model = hands.player.model
            view = model.view
            assert view is not None
            if view.must_place:
                best = view.scored_placements()[0]
                slot = model.hand.slots.index(best.tile.canonical)
                cells = best.cells if best.tile == best.tile.canonical else best.cells[::-1]
                place = ((52, 62, 71)[slot % 3], 17 + 2 * (slot // 3))
                if slot != model.hand.chosen:
                    click(*place)
                    await hands.until(partial(chosen, slot))
                x, y = grid.origin(cells[0])
                hands.type(f"\x1b[<35;{x + 2};{y + 1}M")
                await hands.until(partial(lies, cells[0]))
                for _turn in range(6):
                    if hands.player.model.hand.cells == cells:
                        break
                    before = hands.player.model.hand.direction
                    hands.type(f"\x1b[<65;{x + 2};{y + 1}M")
                    await hands.until(partial(turned, before))
                click(x + 1, y)
            else:
                hands.type("\x1b[<0;16;24M" if view.may_exchange else "f")
            revision = view.revision

            def changed(revision: int = revision) -> bool:
                after = hands.player.model
                return after.view is not None and (
                    after.view.is_over
                    or (after.view.revision > revision and after.view.is_my_turn and not after.busy)
                )

            await hands.until(changed, "the click did nothing")
        await hands.sees("RANKING")


async def test_whole_game_by_commands(tmp_path: Path) -> None:
    table = FakeTable(players=3, seed=4)
    async with sitting(table.as_session(), tmp_path) as hands:
        await hands.press("\r", "YOUR TURN, ANA")
        while hands.player.model.screen is Screen.GAME:
            view = hands.player.model.view
            assert view is not None
            if view.must_place:
                best = view.scored_placements()[0]
                hands.type(f":{placement_command(best.tile, best.cells)}\r")
            else:
                hands.type(":refill\r")
            revision = view.revision

            def changed(revision: int = revision) -> bool:
                after = hands.player.model
                return after.view is not None and (
                    after.view.is_over
                    or (after.view.revision > revision and after.view.is_my_turn and not after.busy)
                )

            await hands.until(changed, "the command did nothing")
        await hands.sees("RANKING")


async def test_stopping_before_it_runs_is_no_hang(tmp_path: Path) -> None:
    async with sitting(FakeTable().as_session(), tmp_path):
        pass
