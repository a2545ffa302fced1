"""The game screen: board in the middle, everything else where the eye looks for it."""

from __future__ import annotations

from collections.abc import Mapping

from genial.client.model import Ghost, Model
from genial.client.palette import Look
from genial.client.sentences import table_name
from genial.client.text import _
from genial.client.view.bars import connection_text, draw_title
from genial.client.view.board import BoardPicture, draw_board
from genial.client.view.canvas import Canvas
from genial.client.view.geometry import SmallGrid, block_left, board_grid
from genial.client.view.large import draw_large_parts
from genial.client.view.small import draw_small_parts
from genial.engine.board import axial_of
from genial.engine.hexgrid import Axial
from genial.engine.rules import EMPTY_TRACK, score
from genial.engine.tiles import Tile
from genial.engine.view import PlayerView


def draw_game(canvas: Canvas, model: Model, look: Look) -> None:
    """The running (or finished) game in the size that the window allows: all but the last row."""
    view = model.view
    if view is None:
        return
    grid = board_grid(view.rules.zone.radius, canvas.width, canvas.height)
    if grid is None:
        return
    draw_table_title(canvas, model, look)
    ghost = model.ghost()
    draw_board(canvas, grid, board_picture(model, view, ghost), look)
    if isinstance(grid, SmallGrid):
        draw_small_parts(canvas, block_left(canvas.width), model, view, ghost, look)
    else:
        draw_large_parts(canvas, grid, model, view, ghost, look)


def draw_table_title(canvas: Canvas, model: Model, look: Look) -> None:
    """Row 0 of everything that belongs to a table."""
    title = table_name(model.table.name) if model.table is not None else _("a table")
    message = model.game.message if model.game is not None else None
    if message is not None and message.match_games > 1:
        title = _("{table}, game {number} of {games}").format(
            table=title, number=message.match_game, games=message.match_games
        )
    elif message is not None and message.match_game > 1:
        title = _("{table}, game {number}").format(table=title, number=message.match_game)
    invite = ""
    if model.invite:
        wide = canvas.width >= 96
        template = _("a friend joins with: {command}") if wide else _("join: {command}")
        invite = template.format(command=f"genial join {model.invite}")
    right, alarm = connection_text(model, look)
    draw_title(canvas, title, invite, right, look, alarm=alarm)


def board_picture(model: Model, view: PlayerView, ghost: Ghost | None) -> BoardPicture:
    """What the board shows of the model."""
    latest = None if view.last_mover is None else view.seats[view.last_mover].latest
    first = ghost is not None and view.viewer is not None and view.viewer not in view.started
    heat = heat_of(view, ghost.tile) if ghost is not None and model.heat else None
    return BoardPicture(
        board=view.board,
        ghost=() if ghost is None else tuple(zip(ghost.cells, ghost.tile, strict=True)),
        legal=ghost is None or ghost.refusal is None,
        last=frozenset(latest.cells) if latest is not None else frozenset(),
        scoring=ghost.scoring if ghost is not None else frozenset(),
        reach=view.cells_in_reach() if first else None,
        flash=frozenset(model.flash.cells) if model.flash is not None else frozenset(),
        heat=heat,
    )


def heat_of(view: PlayerView, tile: Tile) -> Mapping[Axial, int]:
    """The most that `tile` could earn with a half on each cell, by cell; after the stops."""
    values = view.board.line_values()
    track = view.my_track or EMPTY_TRACK
    have = sum(track)
    best: dict[Axial, int] = {}
    first, second = tile
    for pair in view.reachable_pairs():
        for one, other in (pair, pair[::-1]):
            halves = ((first, values[first][one]), (second, values[second][other]))
            after, _reached = score(track, halves, view.rules.cap)
            gain = sum(after) - have
            for index in pair:
                cell = axial_of(index)
                if gain > best.get(cell, -1):
                    best[cell] = gain
    return best
