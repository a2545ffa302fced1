"""A session without a host: an engine game behind the same few methods."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from genial.client.session import (
    GameChanged,
    NumberedEvent,
    RefusedError,
    SessionEnded,
    Update,
)
from genial.engine.game import Command, ExchangeRack, PlaceTile, RefillRack
from genial.engine.hexgrid import Axial
from genial.engine.refusal import Refused
from genial.engine.rules import Rules
from genial.engine.tiles import Tile
from genial.engine.view import project, view_for
from genial.v1.game_pb2 import GameView
from tests.strategy.games import Table


class FakeHost:
    """A game and the sessions that are told of it."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.table = Table(rules, seed)
        self.sessions: list[FakeSession] = []
        self.commands: list[Command] = []

    def sit(self, seat: int) -> FakeSession:
        session = FakeSession(self, seat)
        self.sessions.append(session)
        session.show(0)
        return session

    def carry_out(self, command: Command) -> None:
        known = len(self.table.events)
        self.table.give(command)
        self.commands.append(command)
        for session in self.sessions:
            session.show(known)
        if self.table.game.is_over:
            for session in self.sessions:
                session.queue.put_nowait(SessionEnded(None))


class FakeSession:
    """What a player uses of a `Session`."""

    def __init__(self, host: FakeHost, seat: int) -> None:
        self.host = host
        self.seat = seat
        self.queue: asyncio.Queue[Update] = asyncio.Queue()
        self.refusals = 0
        self.refusal = "NOT_PLACED_YET"
        self.closed = False

    def show(self, known: int) -> None:
        """Tell of the game, with the events after the first `known`."""
        table = self.host.table
        events = tuple(
            NumberedEvent(n, project(event, self.seat), None)
            for n, event in enumerate(table.events[known:], known + 1)
        )
        view = view_for(table.game, self.seat)
        self.queue.put_nowait(GameChanged("game", view.revision, view, events, False, GameView()))

    async def updates(self) -> AsyncIterator[Update]:
        while True:
            update = await self.queue.get()
            yield update
            if isinstance(update, SessionEnded):
                return

    async def place_tile(self, tile: Tile, cells: tuple[Axial, Axial]) -> None:
        await self._give(PlaceTile(self.seat, tile, cells))

    async def exchange(self) -> None:
        await self._give(ExchangeRack(self.seat))

    async def refill(self) -> None:
        await self._give(RefillRack(self.seat))

    async def close(self) -> None:
        self.closed = True

    async def _give(self, command: Command) -> None:
        if self.refusals:
            self.refusals -= 1
            raise RefusedError(self.refusal)
        try:
            self.host.carry_out(command)
        except Refused as error:
            raise RefusedError(error.refusal.value) from error
