"""Every screen, as a name with the model that shows it: for golden tests and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from genial.client.model import Model, Overlay
from genial.client.palette import Look, Theme

from .game_scenes import (
    asked,
    board_screen,
    bonus,
    chatting,
    closing,
    end,
    first_tile,
    heat,
    history,
    illegal,
    lesson,
    over,
    partners,
    pause_asked,
    paused,
    players,
    put_away,
    reconnecting,
    replaying,
    review,
    solitaire,
    spectator,
    waiting,
)
from .lobby_scenes import (
    changed_door,
    door,
    lobby,
    lobby_empty,
    lobby_examined,
    new_table,
    put_away_room,
    room,
    table_door,
    typing_address,
    typing_password,
)
from .positions import mockup_model


@dataclass(frozen=True)
class Picture:
    """One screen: what it shows, at which size, in which look."""

    name: str
    title: str
    model: Model
    width: int = 80
    height: int = 24
    look: Look = field(default_factory=Look)


SMALL: tuple[tuple[str, str, Callable[[], Model]], ...] = (
    ("board", "Your turn", board_screen),
    ("waiting", "Somebody else's turn", waiting),
    ("two-players", "Two players", lambda: players(2)),
    ("three-players", "Three players", lambda: players(3)),
    ("first-tile", "The first tile: where it can go", first_tile),
    ("illegal", "An illegal spot says why", illegal),
    ("heat-map", "The heat map of the chosen tile", heat),
    ("exchange", "Refill or exchange", closing),
    ("exchange-question", "The exchange is asked about", asked),
    ("genial", "The call", bonus),
    ("reconnecting", "The line is lost", reconnecting),
    ("spectator", "Watching", spectator),
    ("put-away", "A table that is put away", put_away),
    ("put-away-room", "A table that is put away between games", put_away_room),
    ("pause-asked", "Others ask to pause the clocks", pause_asked),
    ("paused", "The clocks are paused", paused),
    ("partners", "Partners", partners),
    ("solitaire", "Solitaire", solitaire),
    ("chat", "Writing to the table", chatting),
    ("end", "The end", end),
    ("lobby", "Tables on the network", lobby),
    ("lobby-empty", "Nobody is there yet", lobby_empty),
    ("lobby-examined", "Nobody is there, and why", lobby_examined),
    ("address", "Typing an address", typing_address),
    ("password", "A host asks for its password", typing_password),
    ("password-new", "A new host: its fingerprint is compared first", lambda: door(fresh=True)),
    ("password-wrong", "A table's password was wrong", table_door),
    ("certificate", "A host shows another certificate than before", changed_door),
    ("room", "The table before the game", room),
    ("replay", "A replay", replaying),
    ("history", "Games at this host", history),
    ("lesson", "The tutorial", lesson),
    ("help", "Help", lambda: over(Overlay.HELP)),
    ("log", "The whole log", lambda: over(Overlay.LOG)),
    ("review", "A finished game looked at again", review),
    ("rules", "The rules", lambda: over(Overlay.RULES)),
    ("settings", "Settings", lambda: over(Overlay.SETTINGS)),
    ("new-table", "A new table", new_table),
)
LARGE: tuple[tuple[str, str, Callable[[], Model], int, int], ...] = (
    ("board-large", "Four players, large", mockup_model, 120, 40),
    ("three-players-large", "Three players, large", lambda: players(3), 108, 36),
    ("two-players-large", "Two players, large", lambda: players(2), 96, 32),
    ("first-tile-large", "The first tile, large", first_tile, 96, 32),
    ("heat-map-large", "The heat map, large", heat, 120, 40),
    ("exchange-large", "Refill or exchange, large", closing, 120, 40),
    ("spectator-large", "Watching, large", spectator, 120, 40),
    ("paused-large", "The clocks are paused, large", paused, 120, 40),
    ("lesson-large", "The tutorial, large", lesson, 96, 32),
    ("replay-large", "A replay, large", replaying, 120, 40),
    ("board-100x30", "More rows for the log", board_screen, 100, 30),
    ("board-160x50", "A large window", mockup_model, 160, 50),
)


def gallery() -> Iterator[Picture]:
    """Every screen in the dark theme, and the main ones in every other."""
    for name, title, make in SMALL:
        yield Picture(name, title, make())
    for name, title, make, width, height in LARGE:
        yield Picture(name, title, make(), width, height)
    for theme in (Theme.LIGHT, Theme.COLOUR_BLIND, Theme.MONO, Theme.ASCII):
        yield Picture(f"board-{theme}", f"Your turn, {theme}", board_screen(), look=Look(theme))
        yield Picture(
            f"board-large-{theme}",
            f"Four players, large, {theme}",
            mockup_model(),
            120,
            40,
            Look(theme),
        )
    for theme in (Theme.LIGHT, Theme.ASCII):
        for name, title, make in SMALL:
            if name in ("end", "lobby", "genial", "heat-map", "settings"):
                yield Picture(f"{name}-{theme}", f"{title}, {theme}", make(), look=Look(theme))
