"""Games of a host: who played, how it ended; the chosen one can be replayed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from genial.client.palette import Look
from genial.client.text import _
from genial.client.view.canvas import Canvas, cut
from genial.v1.game_pb2 import GAME_STATE_RUNNING
from genial.v1.game_service_pb2 import GameSummary

FIRST_ROW: Final = 4


def draw_history(
    canvas: Canvas, games: Sequence[GameSummary] | None, chosen: int, look: Look
) -> None:
    """All rows between the first and the last."""
    canvas.fill(0, 1, canvas.width, canvas.height - 2, "panel")
    ox = (canvas.width - 80) // 2
    canvas.put(ox + 4, 2, _("GAMES AT THIS HOST"), "muted", bold=True)
    if games is None:
        canvas.put(ox + 4, 4, _("Asking the host"), "text")
        return
    if not games:
        canvas.put(ox + 4, 4, _("No game has been played here yet."), "text")
        return
    start, room = _window(len(games), chosen, canvas.height)
    for number, game in enumerate(games[start : start + room]):
        y = FIRST_ROW + number
        if start + number == chosen:
            canvas.fill(ox + 3, y, 74, 1, "sel")
            canvas.put(ox + 4, y, ">" if look.ascii else "▸", "strong", bold=True)
        at = datetime.fromtimestamp(game.started_at.seconds, UTC).astimezone()
        canvas.put(ox + 6, y, at.strftime("%Y-%m-%d %H:%M"), "text")
        canvas.put(ox + 24, y, cut(", ".join(game.names), 30), "text")
        canvas.put(ox + 55, y, cut(result_text(game), 22), "text", bold=start + number == chosen)


def _window(games: int, chosen: int, height: int) -> tuple[int, int]:
    """The first game that is shown, and how many there is room for."""
    room = height - 6
    return max(0, min(chosen - room // 2, games - room)), room


def game_at(games: int, chosen: int, height: int, y: int) -> int | None:
    """Which of so many games lies on a row of the screen."""
    start, room = _window(games, chosen, height)
    number = y - FIRST_ROW
    return start + number if 0 <= number < min(room, games - start) else None


def result_text(game: GameSummary) -> str:
    """Who has won, or that it still runs."""
    if game.state == GAME_STATE_RUNNING:
        return _("running")
    if not game.ranking:
        return _("abandoned")
    winners = [game.names[seat] for seat in game.ranking[0].seats if seat < len(game.names)]
    return _("won by {names}").format(names=", ".join(winners))
