"""Two people with the real client at the real host, whatever that host is up to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from genial.client.session import (
    DealProgress,
    DealStep,
    DealVerdict,
    DiskStore,
    GameChanged,
    HostLink,
    Session,
    SessionEnded,
    StaleRevisionError,
    Update,
    connect,
    join,
)
from genial.client.trust import Access
from genial.engine.rules import Rules
from genial.services.host import Host
from genial.services.lobby.table import Times
from genial.services.settings import HostSettings
from genial.v1.table_pb2 import TableOptions
from genial.wire.values import rules_to_message

DEADLINE = 40.0


@dataclass
class Person:
    """Somebody at a table, and everything that the client told them."""

    session: Session
    heard: list[Update] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def listen(self) -> None:
        async for update in self.session.updates():
            self.heard.append(update)
            self.news.set()
            if isinstance(update, SessionEnded):
                return

    async def until(self, met: Callable[[Update], bool]) -> Update:
        """The first update that meets a condition, heard already or yet to come."""
        async with asyncio.timeout(DEADLINE):
            while True:
                self.news.clear()
                for update in self.heard:
                    if met(update):
                        return update
                await self.news.wait()

    async def verdict(self) -> DealVerdict:
        update = await self.until(lambda update: isinstance(update, DealVerdict))
        assert isinstance(update, DealVerdict)
        return update

    def distrust(self) -> list[str]:
        """What was told while the deal was made."""
        return [
            update.problem
            for update in self.heard
            if isinstance(update, DealProgress) and update.step is DealStep.DISTRUSTED
        ]

    async def distrusts(self) -> str:
        update = await self.until(
            lambda update: isinstance(update, DealProgress) and update.step is DealStep.DISTRUSTED
        )
        assert isinstance(update, DealProgress)
        return update.problem

    async def play(self, turns: int) -> None:
        """Takes so many turns, each tile where it earns most, or plays to the end."""
        async with asyncio.timeout(DEADLINE):
            while True:
                self.news.clear()
                game = self.session.game
                if game is not None and (game.view.is_over or not turns):
                    return
                if game is None or not game.view.is_my_turn:
                    await self.news.wait()
                    continue
                try:
                    if game.view.must_place:
                        best = game.view.scored_placements()[0]
                        await self.session.place_tile(best.tile, best.cells)
                    else:
                        await self.session.refill()
                        turns -= 1
                except StaleRevisionError:
                    await self.news.wait()


@dataclass
class Evening:
    """A host, a table of two, and the two who sit there: Ana on seat 0, Max on seat 1."""

    host: Host
    links: list[HostLink]
    ana: Person
    max: Person

    @property
    def people(self) -> tuple[Person, Person]:
        return self.ana, self.max

    async def begin(self) -> None:
        """Both are ready, and both have seen the deal."""
        await asyncio.gather(*(person.session.set_ready() for person in self.people))
        for person in self.people:
            await person.until(lambda update: isinstance(update, GameChanged))

    async def play(self, turns: int = 100) -> bytes:
        """Both take so many turns, then Ana resigns if the game is not over; its record."""
        await asyncio.gather(*(person.play(turns) for person in self.people))
        game = await self._resigned()
        for person in self.people:
            await person.until(
                lambda update: isinstance(update, GameChanged) and update.view.is_over
            )
        return await self.links[0].get_record(game.game_id)

    async def _resigned(self) -> GameChanged:
        """The game as Ana sees it, given up by her unless it is over."""
        async with asyncio.timeout(DEADLINE):
            while True:
                self.ana.news.clear()
                game = self.ana.session.game
                assert game is not None
                if game.view.is_over:
                    return game
                try:
                    return await self.ana.session.resign()
                except StaleRevisionError:
                    # Max's last turn has not come to her yet.
                    await self.ana.news.wait()


@asynccontextmanager
async def an_evening(folder: Path, times: Times | None = None) -> AsyncIterator[Evening]:
    """From a host's start to its end."""
    host = Host(
        HostSettings(
            data=folder / "host",
            port=0,
            bind="127.0.0.1",
            announce=False,
            plaintext=True,
            times=times or Times(),
        )
    )
    ready = await host.start()
    links: list[HostLink] = []
    people: list[Person] = []
    listening: list[asyncio.Task[None]] = []
    try:
        for name in ("Ana", "Max"):
            store = DiskStore(folder / name / "state", folder / name / "data")
            link = await connect(ready.address, store=store, access=Access(plaintext=True))
            links.append(link)
        options = TableOptions(rules=rules_to_message(Rules(players=2)))
        table = await links[0].create_table(options)
        for link, name in zip(links, ("Ana", "Max"), strict=True):
            person = Person(await join(link, table.table_id, name=name))
            people.append(person)
            listening.append(asyncio.create_task(person.listen()))
        yield Evening(host, links, people[0], people[1])
    finally:
        for person in people:
            await person.session.close()
        await asyncio.gather(*listening, return_exceptions=True)
        for link in links:
            await link.close()
        await host.close()
