"""Tables led through random lives: whatever people do and whenever, what must hold, holds."""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from genial.engine.rules import EndReason, Leaving, Mode
from genial.engine.shuffle import nonce_hash
from genial.services.lobby import commands, seating
from genial.services.lobby.codec import table_from_json, table_to_json
from genial.services.lobby.deal import DealPhase
from genial.services.lobby.passing import connect, disconnect, elapse, recover
from genial.services.lobby.table import OrderKind, Progress, Table, TableState
from genial.wire.errors import GenialError
from genial.wire.reasons import Code
from tests.services.lobby.tables import Evening, evening, nonce, token

PEOPLE = ("Ana", "Eva", "Max", "Leo", "Kim")
ENDS = (EndReason.BOARD_FULL, EndReason.RESIGNED, EndReason.AGREED, EndReason.ABANDONED)


class Life:
    """A table and everything that can happen to it, drawn by one source of chance."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        mode = self.random.choice([Mode.FREE, Mode.FREE, Mode.PARTNERS, Mode.SOLO])
        players = {Mode.PARTNERS: 4, Mode.SOLO: 1}.get(mode, self.random.randint(2, 4))
        self.evening: Evening = evening(
            players,
            mode=mode,
            leaving=self.random.choice(list(Leaving)),
            games=self.random.randint(0, 3),
            first=self.random.choice([None, 0]),
        )
        self.disclosed: set[bytes] = set()
        self.shown: set[bytes] = set()

    @property
    def table(self) -> Table:
        return self.evening.table

    def step(self) -> None:
        """One thing happens; a refusal is fine, anything else that is raised is not."""
        before = self.table
        # Half of the time people get on with it, or hardly a game would come about.
        anything = self.random.random() < 0.5
        refusal = self._try(self.random.choice(self.actions) if anything else Life._get_on)
        if refusal is not None:
            assert refusal.code not in (Code.UNKNOWN, Code.INTERNAL)
            assert self.table is before
        self.check(before)

    def _try(self, action: Callable[[Life], Table]) -> GenialError | None:
        try:
            self.evening.settle(action(self))
        except GenialError as refusal:
            return refusal
        return None

    # --- what can happen ---

    @property
    def who(self) -> bytes:
        return token(self.random.choice(PEOPLE))

    def _join(self) -> Table:
        name = self.random.choice(PEOPLE)
        table, _ = seating.join(
            self.table,
            token(name),
            name=name,
            number=None,
            bot_level=self.random.choice(["", "", "medium"]),
            now=self.evening.now,
            chance=self.evening.chance,
        )
        return table

    def _claim(self) -> Table:
        number = self.random.randrange(len(self.table.seats))
        table, _ = seating.claim_for_bot(
            self.table,
            token(f"bot {number}"),
            number=number,
            level="medium",
            now=self.evening.now,
            chance=self.evening.chance,
        )
        return connect(table, token(f"bot {number}"), self.evening.now)

    def _deal(self) -> Table:
        """The seats answer the deal, some in vain."""
        table = self.table
        deal = table.deal
        for seat in table.seats:
            if deal is None or seat.player_hash is None or self.random.random() < 0.1:
                continue
            place = {"game_number": deal.game_number, "deal": deal.number}
            own = nonce(seat.player_hash.hex(), deal.number)
            if deal.phase is DealPhase.COMMIT:
                table = commands.commit_nonce(
                    table,
                    seat.player_hash,
                    nonce_hash=nonce_hash(own),
                    next_deadline=self.evening.now + 10_000,
                    **place,
                )
            else:
                table = commands.reveal_nonce(table, seat.player_hash, nonce=own, **place)
        return table

    def _orders(self) -> Table:
        """The room does what it was asked."""
        for order in self.table.orders:
            if order.kind is OrderKind.CREATE:
                self.evening.open_room(0)
                self.evening.progress = Progress(revision=len(self.table.seats))
            elif order.kind is OrderKind.END_EARLY:
                reason = order.reason or EndReason.ABANDONED
                return self._end(reason)
            else:
                self.evening.carry_out()
        return self.table

    def _play(self) -> Table:
        progress = self.evening.progress
        self.evening.progress = Progress(
            revision=progress.revision + 2,
            turn_seat=self.random.randrange(len(self.table.seats)),
            resigned=progress.resigned,
        )
        return self.table

    def _end(self, reason: EndReason | None = None) -> Table:
        if self.table.state not in (TableState.ACTIVE, TableState.SHELVED):
            return self.table
        if not self.table.running_game_id:
            return self.table
        if self.table.deal is not None:
            # In the game's record, whatever the table shows next.
            self.disclosed.add(self.table.deal.seed)
        seats = list(range(len(self.table.seats)))
        self.random.shuffle(seats)
        reason = reason or self.random.choice(ENDS)
        return self.evening.end(tuple((seat,) for seat in seats), *seats, reason=reason)

    def _wait(self) -> Table:
        self.evening.now += self.random.choice([1, 1000, 5_000, 10_000, 60_000, 120_000])
        return self.table

    def _get_on(self) -> Table:
        """What leads to the next game."""
        table = self.table
        match table.state:
            case TableState.OPEN if table.open_seats:
                return self._join()
            case TableState.OPEN:
                table = self._ready_all()
                for seat in table.seats:
                    if seat.wants_hosted_bot:
                        bot = token(f"bot {seat.number}")
                        table, _ = seating.claim_for_bot(
                            table,
                            bot,
                            number=seat.number,
                            level="medium",
                            now=self.evening.now,
                            chance=self.evening.chance,
                        )
                    player = table.seats[seat.number].player_hash or b""
                    table = connect(table, player, self.evening.now)
                return table
            case TableState.DEALING:
                return self._deal() if table.pending_room is None else self._orders()
            case TableState.ACTIVE:
                return self.random.choice([self._play, self._play, self._orders, self._end])()
        return table

    def _ready_all(self) -> Table:
        table = self.table
        for name in PEOPLE:
            if table.seat_of(token(name)):
                table = connect(table, token(name), self.evening.now)
                table = commands.set_ready(table, token(name), True)
        return table

    def _restart(self) -> Table:
        self.evening.progress = Progress(revision=self.evening.progress.revision)
        again = table_from_json(table_to_json(self.table))
        return recover(again, self.evening.now, self.evening.times)

    actions: tuple[Callable[[Life], Table], ...] = (
        _join,
        _join,
        _claim,
        _claim,
        _deal,
        _deal,
        _orders,
        _orders,
        _play,
        _end,
        _wait,
        _ready_all,
        _ready_all,
        _restart,
        lambda self: connect(self.table, self.who, self.evening.now),
        lambda self: disconnect(self.table, self.who, self.evening.now),
        lambda self: commands.set_ready(self.table, self.who, self.random.random() < 0.8),
        lambda self: commands.rematch(self.table, self.who),
        lambda self: commands.start_game(
            self.table, self.who, "medium", self.evening.now, self.evening.chance
        ),
        lambda self: commands.propose_end(
            self.table, self.who, True, self.evening.progress, self.evening.chance
        ),
        lambda self: commands.lock_seats(self.table, self.who, self.random.random() < 0.3),
        lambda self: commands.shelve(self.table, self.who, self.evening.chance),
        lambda self: commands.resume(self.table, self.who, self.evening.now, self.evening.chance),
        lambda self: seating.leave(self.table, self.who, self.evening.now, self.evening.chance),
        lambda self: seating.kick(
            self.table,
            self.who,
            self.random.randrange(len(self.table.seats)),
            self.evening.now,
            self.evening.chance,
        ),
    )

    # --- what must hold ---

    def check(self, before: Table) -> None:
        table = self.table
        assert table_from_json(table_to_json(table)) == table
        settled = elapse(
            table, self.evening.now, self.evening.progress, self.evening.chance, self.evening.times
        )
        assert settled == table, "settling again changes nothing"
        if before.is_closed:
            assert table == before, "what is closed stays closed"
        names = [seat.name for seat in table.seats if not seat.is_open]
        assert len(set(names)) == len(names)
        held = [seat.token_hash for seat in table.seats if seat.token_hash is not None]
        assert len(set(held)) == len(held), "no token holds two seats"
        match table.state:
            case TableState.DEALING | TableState.ACTIVE:
                assert not table.open_seats
                assert all(seat.player_hash for seat in table.seats if not seat.wants_hosted_bot)
            case TableState.FINISHED | TableState.ABANDONED:
                assert table.ended_at is not None
                assert not table.orders
        if table.state is TableState.ACTIVE:
            assert table.game_id
            assert table.first_seat is not None
            assert table.deal is not None
            assert table.deal.phase is DealPhase.COMPLETE
            assert not table.deal.disclosed
        self.check_deals(table)

    def check_deals(self, table: Table) -> None:
        """A seed is shown once, disclosed at the end, and never used again."""
        for void in table.void_deals:
            assert void.deal.disclosed
            self.disclosed.add(void.deal.seed)
        deal = table.deal
        if deal is None:
            return
        if deal.disclosed:
            self.disclosed.add(deal.seed)
        else:
            assert deal.seed not in self.disclosed, "a seed that is known deals no game"
            assert table.running_game_id or table.state is TableState.DEALING
            for other in self.shown - {deal.seed}:
                assert other in self.disclosed, "a deal that is gone was disclosed"
        self.shown.add(deal.seed)


@given(seed=st.integers(0, 2**32))
def test_whatever_people_do_the_table_stays_sound(seed: int) -> None:
    life = Life(seed)
    for _ in range(120):
        life.step()


def test_lives_get_far_enough_to_tell_something() -> None:
    """Guards the test above: games come about in most of these lives."""
    games = 0
    for seed in range(100):
        life = Life(seed)
        for _ in range(120):
            before = life.table.game_id
            life.step()
            games += life.table.game_id != before
    assert games > 100
