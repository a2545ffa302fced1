"""What our own screen adds to prompt_toolkit's: key to screen, and the first screen."""

from __future__ import annotations

import asyncio
import io
import statistics
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter

from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from genial.client.app import Player
from genial.client.settings import Settings
from tests.benchmarks.run import Bench
from tests.client.screen.positions import mockup_model

_KEYS = 150
_RIGHT, _LEFT = "\x1b[C", "\x1b[D"


class Sink(io.StringIO):
    """A terminal that only notices when something was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.wrote = asyncio.Event()
        self._pending = False

    def write(self, text: str) -> int:
        self._pending = self._pending or bool(text)
        return len(text)

    def flush(self) -> None:
        if self._pending:
            self._pending = False
            self.wrote.set()

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise io.UnsupportedOperation("a terminal in memory")


def _output(sink: Sink, width: int, height: int) -> Vt100_Output:
    return Vt100_Output(sink, lambda: Size(rows=height, columns=width), term="xterm-256color")


@asynccontextmanager
async def ours(width: int, height: int) -> AsyncIterator[tuple[PipeInput, Sink]]:
    """The game screen, with the four-player position of the mock-ups."""
    sink = Sink()
    with create_pipe_input() as pipe, tempfile.TemporaryDirectory() as folder:
        player = Player(
            settings=Settings(name="Ana", colours="256"),
            settings_file=Path(folder) / "settings.toml",
            input=pipe,
            output=_output(sink, width, height),
        )
        model = mockup_model()
        assert model.game is not None
        model.game.message.ClearField("clock")
        running = asyncio.ensure_future(player._run(lambda: setattr(player, "model", model)))
        await sink.wrote.wait()
        try:
            yield pipe, sink
        finally:
            player.stop()
            await running


@asynccontextmanager
async def bare(width: int, height: int) -> AsyncIterator[tuple[PipeInput, Sink]]:
    """An application of the same size that moves one character through a page of text."""
    sink = Sink()
    place = [0]
    bindings = KeyBindings()
    # As many styled pieces as any coloured screen of text has: a few in each line.
    page = [
        [
            ("fg:#d9dee7 bg:#0b0d12", "x" * (width // 4)),
            ("fg:#a9b4c3 bg:#161b23", "y" * (width // 4)),
        ]
        * 2
        for _row in range(height)
    ]

    @bindings.add(Keys.Right)
    @bindings.add(Keys.Left)
    def _move(event: KeyPressEvent) -> None:
        place[0] = 1 - place[0]
        event.app.invalidate()

    def text() -> StyleAndTextTuples:
        fragments: StyleAndTextTuples = []
        for number, row in enumerate(page):
            fragments += row
            if number == height // 2:
                fragments.append(("bold", "[G]" if place[0] else "[P]"))
            fragments.append(("", "\n"))
        return fragments

    with (
        create_pipe_input() as pipe,
        create_app_session(input=pipe, output=_output(sink, width, height)),
    ):
        app: Application[None] = Application(
            layout=Layout(Window(FormattedTextControl(text))),
            key_bindings=bindings,
            full_screen=True,
            color_depth=ColorDepth.DEPTH_8_BIT,
        )
        running = asyncio.ensure_future(app.run_async())
        await sink.wrote.wait()
        try:
            yield pipe, sink
        finally:
            app.exit()
            await running


async def _key_to_screen(
    opened: Callable[[int, int], object], width: int, height: int
) -> list[float]:
    """Seconds from each key to what it wrote."""
    spent: list[float] = []
    async with opened(width, height) as (pipe, sink):  # type: ignore[attr-defined]
        for number in range(_KEYS):
            sink.wrote.clear()
            started = perf_counter()
            pipe.send_text(_RIGHT if number % 2 else _LEFT)
            await sink.wrote.wait()
            spent.append(perf_counter() - started)
            await asyncio.sleep(0)
    return spent[10:]


def key_to_screen(width: int, height: int) -> float:
    """Our median over that of a bare application."""

    async def both() -> float:
        bare_times = await _key_to_screen(bare, width, height)
        our_times = await _key_to_screen(ours, width, height)
        return statistics.median(our_times) / statistics.median(bare_times)

    return asyncio.run(both())


def slowest_keys() -> float:
    """The 99th percentile of key to screen over a frame of 16 ms, in the large size."""
    times = sorted(asyncio.run(_key_to_screen(ours, 120, 40)))
    return times[int(0.99 * len(times))] / 0.016


BENCHES = [
    Bench(
        "screen-key-small",
        "key to screen at 80x24, our game over a bare prompt_toolkit application",
        1.5,
        False,
        lambda: key_to_screen(80, 24),
    ),
    Bench(
        "screen-key-large",
        "key to screen at 120x40, our game over a bare prompt_toolkit application",
        1.5,
        False,
        lambda: key_to_screen(120, 40),
    ),
    Bench(
        "screen-key-slowest",
        "the slowest hundredth of keys at 120x40 over a frame of 16 ms",
        1,
        False,
        slowest_keys,
    ),
]
