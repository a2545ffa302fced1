"""What prompt_toolkit wants: the character grid as a control, keys and mouse as messages."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import Final, Protocol

from prompt_toolkit.application import get_app
from prompt_toolkit.data_structures import Point
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import UIContent, UIControl, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandler, MouseHandlers
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth

from genial.client import messages as m
from genial.client.palette import Depth, Look
from genial.client.view.canvas import Canvas

DEPTHS: Final = {
    Depth.TRUE: ColorDepth.DEPTH_24_BIT,
    Depth.XTERM: ColorDepth.DEPTH_8_BIT,
    Depth.ANSI: ColorDepth.DEPTH_4_BIT,
    Depth.NONE: ColorDepth.DEPTH_1_BIT,
}
# prompt_toolkit's names of the keys that the screen knows by a word.
_WORDS: Final = {
    Keys.Up: "up",
    Keys.Down: "down",
    Keys.Left: "left",
    Keys.Right: "right",
    Keys.Enter: "enter",
    Keys.ControlJ: "enter",
    Keys.Escape: "escape",
    Keys.Tab: "tab",
    Keys.BackTab: "s-tab",
    Keys.Backspace: "backspace",
    Keys.Delete: "delete",
    Keys.Home: "home",
    Keys.End: "end",
    Keys.PageUp: "pageup",
    Keys.PageDown: "pagedown",
    Keys.F1: "f1",
    Keys.F2: "f2",
    Keys.F3: "f3",
    Keys.ControlA: "c-a",
    Keys.ControlC: "c-c",
    Keys.ControlE: "c-e",
    Keys.ControlU: "c-u",
    Keys.ControlW: "c-w",
}
_BUTTONS: Final = {
    MouseEventType.MOUSE_DOWN: m.Button.DOWN,
    MouseEventType.MOUSE_MOVE: m.Button.MOVE,
    MouseEventType.SCROLL_UP: m.Button.WHEEL_UP,
    MouseEventType.SCROLL_DOWN: m.Button.WHEEL_DOWN,
}
ESCAPE_SECONDS: Final = 0.05
"""How long a lone Esc is waited for to become an arrow key."""


class Shown(Protocol):
    """What is on the screen, and takes what the player does."""

    @property
    def look(self) -> Look:
        """How to draw."""

    def canvas(self, width: int, height: int) -> Canvas:
        """The screen at this size."""

    def take(self, message: m.Message) -> None:
        """Take a message."""


class GridControl(UIControl):
    """What has the focus, so that keys come; `GridWindow` does the drawing."""

    def create_content(self, width: int, height: int) -> UIContent:
        """Nothing: see `GridWindow`."""
        return UIContent()

    def is_focusable(self) -> bool:
        """Keys come here."""
        return True


Row = defaultdict[int, Char]


def _blank_row() -> Row:
    return defaultdict(lambda: _BLANK)


_BLANK: Final = Char(" ", "")


@cache
def _char(char: str, style: str) -> Char:
    return Char(char, style)


class GridWindow(Window):
    """The character grid, put straight into prompt_toolkit's screen.

    A row that has not changed since the last rendering is blank in both of the screens that
    prompt_toolkit compares, so that it costs nothing; one that has is whole in both.
    """

    def __init__(self, player: Shown) -> None:
        super().__init__(GridControl())
        self._player = player
        self._canvas: Canvas | None = None
        self._look: Look | None = None
        self._rows: list[Row] = []
        self._handlers: defaultdict[int, defaultdict[int, MouseHandler]] = defaultdict(
            lambda: defaultdict(lambda: self._pointed)
        )

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        """Put the player's screen, as it is now, into the whole of `screen`."""
        width, height = write_position.width, write_position.height
        canvas = self._player.canvas(width, height)
        look = self._player.look
        before = self._canvas
        if before is None or look != self._look or (before.width, before.height) != (width, height):
            before = None
        last = get_app().renderer.last_rendered_screen
        rows: list[Row] = []
        for y in range(height):
            if before is not None and canvas.same_row(before, y):
                row = self._rows[y]
                if last is not None:
                    screen.data_buffer[y] = last.data_buffer[y] = _blank_row()
                else:
                    screen.data_buffer[y] = row
            else:
                row = _blank_row()
                for x, cell in enumerate(canvas.cells(y, look)):
                    row[x] = _char(*cell)
                screen.data_buffer[y] = row
                if last is not None and y < len(self._rows):
                    last.data_buffer[y] = self._rows[y]
            rows.append(row)
        self._canvas, self._look, self._rows = canvas, look, rows
        screen.width, screen.height = width, height
        if canvas.cursor is not None:
            screen.set_cursor_position(self, Point(*canvas.cursor))
            screen.show_cursor = True
        screen.visible_windows_to_write_positions[self] = write_position
        mouse_handlers.mouse_handlers = self._handlers

    def _pointed(self, mouse_event: MouseEvent) -> None:
        button = _BUTTONS.get(mouse_event.event_type)
        if button is not None:
            place = mouse_event.position
            self._player.take(m.Mouse(button, place.x, place.y))


def key_bindings(player: Shown) -> KeyBindings:
    """Every key as a message; only redrawing and suspending are prompt_toolkit's own."""
    bindings = KeyBindings()

    def word(key: Keys, name: str) -> None:
        @bindings.add(key)
        def _pressed(event: KeyPressEvent) -> None:
            player.take(m.Key(name))

    for key, name in _WORDS.items():
        word(key, name)

    @bindings.add(Keys.Any)
    def _typed(event: KeyPressEvent) -> None:
        if event.data.isprintable():
            for char in event.data:
                player.take(m.Key(char))

    @bindings.add(Keys.BracketedPaste)
    def _pasted(event: KeyPressEvent) -> None:
        player.take(m.Pasted(event.data))

    @bindings.add(Keys.ControlL)
    def _redraw(event: KeyPressEvent) -> None:
        event.app.renderer.clear()

    @bindings.add(Keys.ControlZ)
    def _suspend(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()

    return bindings
