"""A recorded game as one picture: the board at a place, and the race of the tracks."""

from __future__ import annotations

from typing import Final

from genial.client.palette import Theme
from genial.client.picture.board import BoardScene, Frame, box, draw_board
from genial.client.picture.race import RacePanel, draw_panel
from genial.client.picture.shapes import Paint, paint
from genial.client.picture.svg import Node, document, render
from genial.client.record_files import OpenedRecord
from genial.client.record_show import rules_sentence, team_names, verdict_sentence
from genial.client.replay import Replay
from genial.client.sentences import end_sentences, listed
from genial.client.text import _, ngettext
from genial.client.view.canvas import cut
from genial.engine.game import Game
from genial.engine.rules import Mode

THEMES: Final = (Theme.DARK, Theme.LIGHT, Theme.COLOUR_BLIND)
"""The themes that a picture can be drawn in."""

_RADIUS: Final = 22.0
_MARGIN: Final = 28.0
_HEAD: Final = 78.0
_FOOT: Final = 40.0
_PANELS: Final = 430.0
_GAP: Final = 12.0
_TALLEST: Final = 290.0


def record_svg(
    opened: OpenedRecord, replay: Replay, at: int | None = None, theme: Theme = Theme.DARK
) -> str:
    """A picture of a recorded game, as an SVG document.

    Args:
        opened: The record, for what it proves.
        replay: The same, with its positions.
        at: The place to show; None: the end. The race runs up to it.
        theme: One of `THEMES`.
    """
    place = replay.end if at is None else at
    position = replay.positions[place]
    game = position.game
    colours = paint(theme)
    rings = game.rules.zone.radius
    board_width, board_height = box(rings, _RADIUS)
    width = board_width + _PANELS + 3 * _MARGIN
    height = board_height + _HEAD + _FOOT + 2 * _GAP
    headline = _headline(replay, place)
    picture = document(width, height, headline, _description(replay, place))
    picture.rect(0, 0, width, height, fill=colours.ground)
    _draw_words(picture, opened, replay, place, width, height, colours)
    placements = replay.placements(place)
    scene = BoardScene(
        game.board,
        tiles=[placed.cells for placed in placements],
        last=placements[-1].cells if placements else None,
    )
    draw_board(picture, Frame.around(rings, _RADIUS, _MARGIN, _HEAD + _GAP), scene, colours)
    _draw_panels(
        picture, replay, place, board_width + 2 * _MARGIN, _HEAD + _GAP, board_height, colours
    )
    return render(picture)


def _headline(replay: Replay, place: int) -> str:
    position = replay.positions[place]
    game = position.game
    ended = game.ended
    if ended is None:
        return ngettext("After {count} tile", "After {count} tiles", position.move).format(
            count=position.move
        )
    winners = ended.ranking[0]
    if game.rules.mode is Mode.SOLO:
        return _("{name} reaches {points}").format(
            name=game.seats[0].name, points=min(ended.tracks[0])
        )
    names = listed([game.seats[seat].name for seat in winners])
    if len(ended.ranking) == 1:
        return _("A tie: {names}").format(names=names)
    return ngettext("{names} wins", "{names} win", len(winners)).format(names=names)


def _description(replay: Replay, place: int) -> str:
    """What the picture shows, for those who cannot see it."""
    game = replay.positions[place].game
    said = [
        f"{name}: "
        + ", ".join(f"{letter} {points}" for letter, points in zip("RGBOYP", track, strict=True))
        for name, track in zip(team_names(game), game.tracks, strict=True)
    ]
    return "; ".join(said)


def _draw_words(
    picture: Node,
    opened: OpenedRecord,
    replay: Replay,
    place: int,
    width: float,
    height: float,
    colours: Paint,
) -> None:
    game = replay.positions[place].game
    header = replay.record.header
    picture.text(_MARGIN, 44, _headline(replay, place), 26, fill=colours.strong, font_weight="700")
    rules = rules_sentence(header)
    about = rules[0].upper() + rules[1:]
    if game.ended is not None:
        why = end_sentences(game.ended, replay.view(place))[0]
        about = f"{why} {about}."
    picture.text(_MARGIN, 68, about, 14, fill=colours.muted)
    foot = height - 18
    picture.text(_MARGIN, foot, verdict_sentence(opened), 12, fill=colours.muted)
    origin = f"{cut(header.started_at[:10], 10)}  {cut(header.game_id, 44)}"
    picture.text(width - _MARGIN, foot, origin, 12, fill=colours.muted, text_anchor="end")


def _draw_panels(
    picture: Node, replay: Replay, place: int, x: float, y: float, height: float, colours: Paint
) -> None:
    position = replay.positions[place]
    game = position.game
    names, race = team_names(game), replay.race(place)
    order = _team_order(game)
    each = min(_TALLEST, (height - _GAP * (len(order) - 1)) / len(order))
    for row, (rank, team) in enumerate(order):
        panel = RacePanel(
            rank=rank,
            name=cut(names[team], 20),
            steps=race[team],
            cap=game.rules.cap,
            moves=position.move,
        )
        draw_panel(picture, panel, x, y + row * (each + _GAP), _PANELS, each, colours)


def _team_order(game: Game) -> list[tuple[str, int]]:
    """Teams with their ranks, best first; in seat order and without ranks before the end."""
    if game.ended is None or game.rules.mode is Mode.SOLO:
        return [("", team) for team in range(len(game.rules.teams))]
    order: list[tuple[str, int]] = []
    for group in game.ended.ranking:
        teams = sorted({game.rules.team_of(seat) for seat in group})
        rank = str(len(order) + 1)
        order += [(rank, team) for team in teams]
    return order
