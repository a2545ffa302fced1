"""The events of one game as this client saw them, in memory and in the seat's file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC

from genial.client.store import SeatMemory
from genial.client.text import _
from genial.client.updates import GameChanged, NumberedEvent
from genial.engine.view import (
    HiddenDraw,
    SeenDealt,
    SeenEvent,
    SeenExchanged,
    SeenRefilled,
    SeenSkipped,
)
from genial.v1.game_pb2 import GameEvent, GameView
from genial.wire.events import event_from_message
from genial.wire.views import view_from_message


def concealed(event: SeenEvent) -> SeenEvent:
    """The event as it is told to those who may not see what was drawn."""
    match event:
        case SeenDealt() | SeenRefilled() | SeenExchanged() | SeenSkipped():
            draw = event.draw
            return (
                event
                if isinstance(draw, HiddenDraw)
                else replace(event, draw=HiddenDraw(len(draw)))
            )
        case _:
            return event


class SeenGame:
    """Takes what the host shows of a game and keeps what was seen.

    Attributes:
        game_id: Which game.
        seat: The seat that it is seen from, None for spectators.
        from_start: Whether the client came while the game still ran, so that it has
            something to compare the record with.
    """

    def __init__(self, game_id: str, memory: SeatMemory | None, seat: int | None) -> None:
        """Begins with what the seat's file holds of this game."""
        self.game_id = game_id
        self.seat = seat
        self._memory = memory
        self._events: dict[int, SeenEvent] = {}
        self._told: list[SeenEvent] = []
        self._unkept: list[tuple[int, bytes]] = []
        kept = memory.load_seen(game_id) if memory else []
        self.from_start = bool(kept)
        for n, content in kept:
            self._events[n] = event_from_message(GameEvent.FromString(content))

    @property
    def events(self) -> list[tuple[int, SeenEvent]]:
        """Everything seen, by number."""
        return sorted(self._events.items(), key=lambda item: item[0])

    def hear(self, told: Iterable[GameEvent]) -> list[str]:
        """Takes events in as the host tells them, whether or not they are new.

        Returns:
            A sentence for each that was told differently before.

        Raises:
            GenialError: MALFORMED, for an event that is none.
        """
        problems = []
        self._told = []
        for message in told:
            event = event_from_message(message)
            self._told.append(event)
            before = self._events.get(message.n)
            if before is None:
                self._events[message.n] = event
                self._unkept.append((message.n, message.SerializeToString(deterministic=True)))
            elif before in (event, concealed(event)):
                if before != event:
                    # Told to all at first, and now to us: whoever played our seat is gone.
                    self._events[message.n] = event
                    self._unkept.append((message.n, message.SerializeToString(deterministic=True)))
            elif concealed(before) != event:
                problems.append(_("event {n} was told differently before").format(n=message.n))
        return problems

    def update(
        self,
        known: GameChanged | None,
        revision: int,
        message: GameView,
        told: Iterable[GameEvent],
        gap: bool,
    ) -> GameChanged:
        """The update that a message of the host makes.

        Args:
            known: The update before, None for the first of this game.
            revision: Of the message.
            message: The view.
            told: What has happened since, as the host tells it: what was heard last.
            gap: Whether the host says that events are missing.

        Raises:
            GenialError: MALFORMED, where the host shows no state of any game.
        """
        view = view_from_message(message, (known.view, known.message) if known else None)
        if known is None and not view.is_over:
            self.from_start = True
        reached = known.revision if known else 0
        fresh = [
            NumberedEvent(
                each.n,
                event,
                each.at.ToDatetime(tzinfo=UTC) if each.HasField("at") else None,
            )
            for each, event in zip(told, self._told, strict=True)
            if reached < each.n <= revision
        ]
        complete = [event.n for event in fresh] == list(range(reached + 1, revision + 1))
        return GameChanged(
            game_id=self.game_id,
            revision=revision,
            view=view,
            events=tuple(fresh),
            gap=gap or not complete,
            message=message,
        )

    def keep(self) -> None:
        """Writes down what came since the last time.

        Raises:
            StorageError: The file cannot be written.
        """
        if self._memory is not None and self._unkept:
            self._memory.append_seen(self.game_id, self._unkept)
        self._unkept = []
