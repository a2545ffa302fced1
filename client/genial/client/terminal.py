"""What prompt_toolkit wants: the character grid as a control, keys and mouse as messages."""

from __future__ import annotations

from typing import Final, Protocol

from prompt_toolkit.data_structures import Point
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import UIContent, UIControl
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

    def dispatch(self, message: m.Message) -> None:
        """Take a message."""


class GridControl(UIControl):
    """The character grid as prompt_toolkit's content, pulled by its renderer."""

    def __init__(self, player: Shown) -> None:
        self._player = player

    def create_content(self, width: int, height: int) -> UIContent:
        """The lines of the screen at this size."""
        canvas = self._player.canvas(width, height)
        look = self._player.look
        cursor = canvas.cursor
        return UIContent(
            get_line=lambda row: canvas.fragments(row, look),  # type: ignore[arg-type, return-value]
            line_count=canvas.height,
            cursor_position=None if cursor is None else Point(*cursor),
            show_cursor=cursor is not None,
        )

    def is_focusable(self) -> bool:
        """Keys come here."""
        return True

    def mouse_handler(self, mouse_event: MouseEvent) -> None:
        """A mouse event at a place of the grid."""
        button = _BUTTONS.get(mouse_event.event_type)
        if button is not None:
            place = mouse_event.position
            self._player.dispatch(m.Mouse(button, place.x, place.y))


def key_bindings(player: Shown) -> KeyBindings:
    """Every key as a message; only redrawing and suspending are prompt_toolkit's own."""
    bindings = KeyBindings()

    def word(key: Keys, name: str) -> None:
        @bindings.add(key)
        def _pressed(event: KeyPressEvent) -> None:
            player.dispatch(m.Key(name))

    for key, name in _WORDS.items():
        word(key, name)

    @bindings.add(Keys.Any)
    def _typed(event: KeyPressEvent) -> None:
        if event.data.isprintable():
            for char in event.data:
                player.dispatch(m.Key(char))

    @bindings.add(Keys.BracketedPaste)
    def _pasted(event: KeyPressEvent) -> None:
        player.dispatch(m.Pasted(event.data))

    @bindings.add(Keys.ControlL)
    def _redraw(event: KeyPressEvent) -> None:
        event.app.renderer.clear()

    @bindings.add(Keys.ControlZ)
    def _suspend(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()

    return bindings
