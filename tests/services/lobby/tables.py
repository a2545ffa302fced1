"""Tables to test with: people by name, a clock that stands still, chance that repeats."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from genial.engine.refusal import Refusal
from genial.engine.rules import EndReason, Leaving, Mode, Rules
from genial.engine.shuffle import nonce_hash
from genial.services.lobby import commands, seating, wording
from genial.services.lobby.match import begin_game, finish_game, without_order
from genial.services.lobby.passing import connect, elapse
from genial.services.lobby.table import (
    Options,
    OrderKind,
    Progress,
    Result,
    Seat,
    Table,
    TableState,
    Times,
)
from genial.wire.errors import GenialError, Reason

START = 1_000_000_000_000
TIMES = Times()


def token(name: str) -> bytes:
    """The hash of somebody's token."""
    return hashlib.sha256(name.encode()).digest()


def nonce(name: str, deal: int) -> bytes:
    """Somebody's nonce for a deal."""
    return hashlib.sha256(f"{name} {deal}".encode()).digest()


def refused(reason: Reason | Refusal) -> pytest.RaisesExc[GenialError]:
    """Expects a refusal for this reason."""
    return pytest.raises(GenialError, check=lambda error: error.reason == reason)


@dataclass
class Chance:
    """Never the same twice, always the same in the next run."""

    drawn: int = 0
    bot_names: Sequence[str] = wording.BOT_NAMES

    def secret(self) -> bytes:
        self.drawn += 1
        return hashlib.sha256(str(self.drawn).encode()).digest()

    def new_id(self) -> str:
        self.drawn += 1
        return str(uuid.UUID(int=self.drawn))


@dataclass
class Evening:
    """A table and the time, played by method calls; every step is settled as a host would."""

    table: Table
    now: int = START
    chance: Chance = field(default_factory=Chance)
    progress: Progress = field(default_factory=Progress)
    times: Times = TIMES

    def is_in(self, state: TableState) -> bool:
        """Whether the table is in a state; a call, so that no checker thinks it stays there."""
        return self.table.state is state

    def settle(self, table: Table) -> Table:
        self.table = elapse(table, self.now, self.progress, self.chance, self.times)
        return self.table

    def wait(self, ms: int) -> Table:
        self.now += ms
        return self.settle(self.table)

    def sit(self, *names: str, level: str = "", connected: bool = True) -> Table:
        for name in names:
            table, _ = seating.join(
                self.table,
                token(name),
                name=name,
                number=None,
                bot_level=level,
                now=self.now,
                chance=self.chance,
            )
            if connected:
                table = connect(table, token(name), self.now)
            self.settle(table)
        return self.table

    def come_back(self, name: str) -> Table:
        table, _ = seating.join(
            self.table,
            token(name),
            name=name,
            number=None,
            bot_level="",
            now=self.now,
            chance=self.chance,
        )
        return self.settle(connect(table, token(name), self.now))

    def bots_come(self) -> Table:
        """The bots service plays every seat that wants it."""
        for seat in self.table.seats:
            if seat.wants_hosted_bot:
                bot = token(f"bot {seat.number}")
                table, _ = seating.claim_for_bot(
                    self.table,
                    bot,
                    number=seat.number,
                    level="medium",
                    now=self.now,
                    chance=self.chance,
                )
                self.settle(connect(table, bot, self.now))
        return self.table

    def ready(self, *names: str) -> Table:
        for name in names:
            self.settle(commands.set_ready(self.table, token(name), True))
        return self.table

    def player(self, seat: Seat) -> str:
        """The name that nonces are made with, for who plays a seat now."""
        return (seat.player_hash or b"").hex()

    def answer_deal(self) -> Table:
        """Every seat sends its hash, then its nonce."""
        self.commit_all()
        deal = self.table.deal
        assert deal is not None
        for seat in self.table.seats:
            self.settle(
                commands.reveal_nonce(
                    self.table,
                    seat.player_hash,
                    game_number=deal.game_number,
                    deal=deal.number,
                    nonce=nonce(self.player(seat), deal.number),
                )
            )
        return self.table

    def commit_all(self) -> Table:
        deal = self.table.deal
        assert deal is not None
        for seat in self.table.seats:
            self.settle(
                commands.commit_nonce(
                    self.table,
                    seat.player_hash,
                    game_number=deal.game_number,
                    deal=deal.number,
                    nonce_hash=nonce_hash(nonce(self.player(seat), deal.number)),
                    next_deadline=self.now + self.times.deal_step,
                )
            )
        return self.table

    def open_room(self, first_seat: int = 0) -> Table:
        assert self.table.pending_room is not None
        return self.settle(begin_game(self.table, first_seat))

    def start(self, first_seat: int = 0) -> Table:
        """From a dealing table to a running game."""
        self.answer_deal()
        return self.open_room(first_seat)

    def carry_out(self) -> list[OrderKind]:
        """The room does what is asked; returns what that was."""
        done = [order.kind for order in self.table.orders]
        for order in self.table.orders:
            self.settle(without_order(self.table, order))
        return done

    def end(
        self,
        ranking: tuple[tuple[int, ...], ...],
        *lowest: int,
        reason: EndReason = EndReason.BOARD_FULL,
    ) -> Table:
        """The game is over; `lowest` are the lowest counters by seat."""
        counts = reason not in (EndReason.AGREED, EndReason.ABANDONED)
        tracks = tuple((low, 18, 18, 18, 18, 18) for low in lowest)
        table = finish_game(
            self.table, Result(ranking, tracks, counts), reason, self.now, self.times
        )
        return self.settle(table)


def evening(
    players: int = 2,
    *,
    mode: Mode = Mode.FREE,
    leaving: Leaving = Leaving.BOT,
    games: int = 1,
    first: int | None = 0,
    partners_talk: bool | None = None,
) -> Evening:
    """An empty table."""
    rules = Rules(mode=mode, players=players, leaving=leaving, partners_talk=partners_talk)
    return Evening(
        Table(
            "t",
            "Table",
            Options(rules, first, games=games),
            tuple(Seat(number) for number in range(players)),
            START,
        )
    )


def playing(*names: str, **options: object) -> Evening:
    """People at a running game; named "bot", a seat is a bot of the host's."""
    evening_ = evening(len(names), **options)  # type: ignore[arg-type]
    for name in names:
        if name == "bot":
            number = evening_.table.open_seats[0]
            evening_.settle(
                seating.put_bot(evening_.table, number, "medium", evening_.now, evening_.chance)
            )
        else:
            evening_.sit(name)
    evening_.bots_come()
    evening_.ready(*(name for name in names if name != "bot"))
    assert evening_.is_in(TableState.DEALING)
    evening_.start()
    return evening_
