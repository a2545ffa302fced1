"""One evening at a simulated host, drawn from a seed, and judged when it is over."""

from __future__ import annotations

import asyncio
import gc
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from unittest import mock

from genial.client.errors import GenialError
from genial.engine import record
from genial.engine.rules import Leaving, Mode, Preset, Rules
from genial.services.bots.supervisor import SeatJob
from genial.services.lobby.table import Times
from genial.v1 import table_pb2
from genial.wire.values import Clock, clock_to_message, rules_to_message
from tests.simulation.chance import Chance, repeatable
from tests.simulation.clock import run
from tests.simulation.disk import Disk, Fate
from tests.simulation.host import SimulatedHost
from tests.simulation.network import Faults, Journal, Line, Network
from tests.simulation.people import Bot, Ending, Habits, Person, Spectator
from tests.simulation.verdict import judge_evening

_LONGEST: Final = 6 * 3600.0
"""Seconds of virtual time after which an evening that is not over has hung."""

_NAMES: Final = ("Ana", "Max", "Eva", "Leo")
_OVER: Final = (table_pb2.TABLE_STATE_FINISHED, table_pb2.TABLE_STATE_ABANDONED)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is special about an evening.

    Attributes:
        people: How many of the seats are people's; the others are bots'.
        habits: Of each person.
        faults: Of each person's line.
        troubles: How many things go wrong, one after the other.
        fates: By number of the commit, what becomes of it, beside the troubles.
    """

    rules: Rules
    people: int
    habits: tuple[Habits, ...]
    faults: Faults
    troubles: int
    games: int = 1
    clock: Clock | None = None
    spectator: bool = False
    stays_away: bool = False
    fates: dict[int, Fate] = field(default_factory=dict)


def plan_of(source: random.Random) -> Plan:
    """An evening like many others."""
    mode = source.choices([Mode.FREE, Mode.PARTNERS, Mode.SOLO], [8, 1, 1])[0]
    players = {Mode.PARTNERS: 4, Mode.SOLO: 1}.get(mode, source.choice([2, 2, 2, 3, 4]))
    leaving = Leaving.BOT if mode is Mode.SOLO else source.choice(list(Leaving))
    rules = Rules(source.choice(list(Preset)), mode, players, leaving)
    people = max(1, players - source.choices([0, 1, 2], [6, 2, 1])[0])
    whole = source.random() < 0.04 and players <= 2
    until = 10**9 if whole else players + source.randrange(2, 16)
    ending = source.choice([Ending.RESIGN, Ending.AGREE])
    stormy = source.random() < 0.6
    faults = Faults(
        delay=source.choice([0.001, 0.01, 0.1]),
        lost_request=0.08 if stormy else 0.0,
        lost_answer=0.08 if stormy else 0.0,
        doubled=0.15 if stormy else 0.0,
        late=0.03 if stormy else 0.0,
    )
    return Plan(
        rules=rules,
        people=people,
        habits=tuple(
            Habits(until + source.randrange(4), ending, source.choice([0.02, 0.2, 2.0]))
            for _ in range(people)
        ),
        faults=faults,
        troubles=source.choice([1, 2, 3, 4, 6]),
        games=source.choices([1, 2], [4, 1])[0],
        clock=Clock(20_000, 1_000) if source.random() < 0.15 else None,
        spectator=source.random() < 0.4,
        stays_away=source.random() < 0.06,
    )


@dataclass(slots=True)
class Outcome:
    """What came of an evening.

    Attributes:
        problems: What must not be, in sentences; empty: all is well.
        trace: What happened, a line each.
        games: Games that were played to an end.
        deaths: How often the host died.
        commits: Transactions that the disk saw.
    """

    seed: int
    problems: list[str]
    trace: list[str]
    games: int
    deaths: int
    commits: int


class Evening:
    """A host, a table, and who is there."""

    def __init__(self, plan: Plan, chance: Chance) -> None:
        self.plan = plan
        self.journal = Journal()
        self.network = Network(self.journal)
        self.disk = Disk(chance.source("disk"))
        self.disk.fates.update(plan.fates)
        self.host = SimulatedHost(
            self.disk, self.network, chance.source("host"), self._play_bot, Times()
        )
        self.table_id = ""
        self._chance = chance
        self._source = chance.source("troubles")
        self._bots = 0
        self.host.downtime = lambda: self._source.choice((0.05, 1.0, 5.0, 40.0))
        self.people = [
            self._person(name, habits) for name, habits in zip(_NAMES, plan.habits, strict=False)
        ]
        self.spectator: Spectator | None = None
        if plan.spectator:
            line = self._line("spectator", plan.faults)
            habits = Habits(0, Ending.PLAY_ON)
            source = chance.source("spectator")
            durable = self.disk.durable_revision
            self.spectator = Spectator("Kim", line, source, habits, durable)

    def _line(self, name: str, faults: Faults) -> Line:
        return Line(self.network, name, faults, self._chance.source(f"line of {name}"))

    def _person(self, name: str, habits: Habits) -> Person:
        line = self._line(name, self.plan.faults)
        source = self._chance.source(name)
        return Person(name, line, source, habits, self.disk.durable_revision)

    async def _play_bot(self, job: SeatJob) -> None:
        self._bots += 1
        name = f"bot {self._bots} of seat {job.seat}"
        line = self._line(name, Faults(0.0005))
        source = self._chance.source(name)
        try:
            await Bot(job, line, source, self.disk.durable_revision).play()
        finally:
            self.network.lines.remove(line)

    # --- the course of it ---

    async def run(self) -> None:
        """From the first start of the host until the table is closed and all have gone."""
        keeping = asyncio.create_task(self.host.keep_up())
        try:
            async with asyncio.timeout(_LONGEST):
                await self._open_table()
                for person in self.everybody:
                    person.come(self.table_id)
                troubles = asyncio.create_task(self._troubles())
                await self._until_over()
                troubles.cancel()
                await asyncio.gather(troubles, return_exceptions=True)
                await self._once_more()
            await judge_evening(self)
        except TimeoutError:
            self.journal.broken.append("it was never over")
            self.journal.note(self._state())
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            for person in self.everybody:
                await person.gone()
            await self.host.gone()

    @property
    def everybody(self) -> list[Person]:
        """Players, and who looks on."""
        return [*self.people, *([self.spectator] if self.spectator else [])]

    async def _open_table(self) -> None:
        plan = self.plan
        options = table_pb2.TableOptions(
            rules=rules_to_message(plan.rules),
            games=plan.games,
            first=table_pb2.FirstSeat(named=0),
            clock=None if plan.clock is None else clock_to_message(plan.clock),
        )
        bots = ["medium"] * (plan.rules.players - plan.people)
        opener = self.people[0]
        link = await opener.link()
        while True:
            try:
                table = await link.create_table(options, name="Evening", bot_levels=bots)
            except GenialError as error:
                self.journal.note(f"no table: {error.reason}")
                await asyncio.sleep(1)
            else:
                self.table_id = table.table_id
                return

    async def _until_over(self) -> None:
        while not self._is_over():  # noqa: ASYNC110
            await asyncio.sleep(1)

    def _is_over(self) -> bool:
        lobby = self.host.lobby
        if not self.host.running.is_set() or lobby is None:
            return False
        table = lobby.table(self.table_id).table
        if table.running_game_id or (table.humans and not table.is_closed):
            return False
        return all(each.is_done(closed=table.is_closed) for each in self.everybody)

    def _state(self) -> str:
        """Where everybody stands, for whoever looks for the reason."""
        lines = [f"host running: {self.host.running.is_set()}"]
        if self.host.lobby is not None:
            lines += [f"{each.table} {each.progress}" for each in self.host.lobby.tables]
        for person in self.everybody:
            turns = {key[:4]: f"{v.revision} turn {v.view.turn}" for key, v in person.shown.items()}
            lines.append(f"{person.name}: there {person.is_there}, ended {person.ended}, {turns}")
        return "\n".join(lines)

    async def _once_more(self) -> None:
        """What counts is what the next host finds on the disk."""
        self.disk.full = False
        self.disk.fates.clear()
        await self.host.running.wait()
        self.host.die()
        await self.host.running.wait()

    # --- what goes wrong ---

    async def _troubles(self) -> None:
        source = self._source
        if self.plan.stays_away:
            await self.disk.until_commit(self.disk.commits + source.randrange(5, 40), 100)
            self.people[-1].crash()
        for _ in range(self.plan.troubles):
            wait = self.disk.commits + source.randrange(1, 25)
            await self.disk.until_commit(wait, 30)
            await self._trouble()
        await asyncio.sleep(60)
        # From now on all is well, so that it comes to an end.
        for person in self.everybody:
            person.line.faults = person.line.faults.none
        self.disk.full = False

    async def _trouble(self) -> None:
        source, disk = self._source, self.disk
        person = source.choice(self.everybody)
        kind = source.choices(
            ["write", "now", "order", "cut", "break", "crash", "full", "said"],
            [8, 1, 1, 2, 2, 2, 1, 1],
        )[0]
        self.journal.note(f"trouble: {kind} ({person.name})")
        match kind:
            case "write":
                fate = source.choice([Fate.DIES_BEFORE, Fate.DIES_AFTER])
                disk.fates[disk.commits + source.randrange(1, 6)] = fate
            case "said":
                disk.fates[disk.commits + source.randrange(1, 6)] = Fate.SAID_TO_FAIL
            case "now":
                self.host.die()
            case "order":
                await self.host.end_in_order()
            case "cut":
                person.line.cut()
                await asyncio.sleep(source.choice((0.1, 2.0, 15.0, 60.0)))
                person.line.heal()
            case "break":
                person.line.broken(gently=source.random() < 0.5)
            case "crash":
                if person.is_there:
                    person.crash()
                    await asyncio.sleep(source.choice((0.05, 1.0, 10.0, 200.0)))
                    person.come(self.table_id)
            case "full":
                disk.full = True
                await asyncio.sleep(source.choice((0.5, 3.0, 20.0)))
                disk.full = False


def spend_evening(seed: int, plan: Plan | None = None) -> Outcome:
    """Plays one evening; the same seed gives the same one, to the last message."""
    chance = Chance(seed)
    plan = plan or plan_of(chance.source("plan"))
    # The same bytes are judged once in an evening, whoever asks for it.
    once = mock.patch.object(record, "judge", lru_cache(maxsize=8)(record.judge))
    faults = _LoggedFaults()
    with repeatable(chance), once, _no_cleaning(), faults.heard():
        outcome = run(_spend(seed, plan, chance))
    outcome.problems.extend(faults.found)
    return outcome


@contextmanager
def _no_cleaning() -> Iterator[None]:
    """Cycles are collected between evenings: when that is must not depend on what ran before."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class _LoggedFaults(logging.Handler):
    """Work that came to grief with nobody waiting for it is only heard of in the log."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            self.found.append(f"{record.getMessage()}: {record.exc_info[1]!r}")
        elif record.name == "asyncio":
            self.found.append(record.getMessage())

    @contextmanager
    def heard(self) -> Iterator[None]:
        """While entered, nothing escapes; no logger may be disabled for errors."""
        logging.getLogger().addHandler(self)
        try:
            yield
            # A task whose fault nobody has looked at says so when it is forgotten.
            gc.collect(0)
        finally:
            logging.getLogger().removeHandler(self)


async def _spend(seed: int, plan: Plan, chance: Chance) -> Outcome:
    evening = Evening(plan, chance)
    journal = evening.journal
    journal.note(f"{plan}")
    try:
        await evening.run()
    except Exception as fault:
        journal.broken.append(f"{type(fault).__name__}: {fault}")
        logging.getLogger(__name__).debug("evening %d", seed, exc_info=fault)
    ((games,),) = evening.disk.rows("SELECT count(*) FROM game_setups WHERE ended_at IS NOT NULL")
    evening.disk.close()
    return Outcome(
        seed, journal.broken, journal.trace, games, evening.host.deaths, evening.disk.commits
    )
