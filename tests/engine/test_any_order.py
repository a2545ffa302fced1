"""Anything asked in any order: the engine and the referee never part."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from genial.engine.board import axial_of
from genial.engine.game import (
    DealRacks,
    EndEarly,
    ExchangeRack,
    Phase,
    PlaceTile,
    RefillRack,
    Resign,
    SkipTurn,
    TakeOverSeat,
    replay,
)
from genial.engine.hexgrid import Axial
from genial.engine.record import Verdict, judge, render
from genial.engine.rules import EndReason, Leaving, Mode, SeatKind
from genial.engine.tiles import SYMBOLS, Tile
from tests.engine.side_by_side import EVERY_RULES, SideBySide, leaving_by
from tests.referee import reader

seats = st.integers(-1, 4)
kinds = st.sampled_from(list(SeatKind))
cells = st.builds(Axial, st.integers(-8, 8), st.integers(-8, 8))
tiles = st.builds(Tile, st.sampled_from(SYMBOLS), st.sampled_from(SYMBOLS))


class AnyOrder(RuleBasedStateMachine):
    """One game; what is asked of it makes sense mostly, and at times none at all."""

    mode: Mode
    side: SideBySide

    @initialize(
        data=st.data(),
        leaving=st.sampled_from(list(Leaving)),
        seed=st.integers(0, 1000),
        sitting=st.lists(kinds, min_size=4, max_size=4),
        high=st.booleans(),
    )
    def begin(
        self, data: st.DataObject, leaving: Leaving, seed: int, sitting: list[SeatKind], high: bool
    ) -> None:
        of_this_mode = [rules for rules in EVERY_RULES if rules.mode is self.mode]
        rules = leaving_by(data.draw(st.sampled_from(of_this_mode)), leaving)
        first = seed % rules.players
        self.side = SideBySide(rules, seed, first, sitting[: rules.players], deal=False)
        self.high = high

    @precondition(lambda self: self.side.game.phase is Phase.DEAL)
    @rule()
    def deal(self) -> None:
        self.side.do(DealRacks())
        if self.high:
            # Close to the stops, so that bonuses and their chains come up.
            self.side.arrange(tracks=dict.fromkeys(range(self.side.referee.sides), (17,) * 6))

    @precondition(lambda self: self.side.game.phase in (Phase.PLACE, Phase.BONUS))
    @rule(data=st.data())
    def place(self, data: st.DataObject) -> None:
        game = self.side.game
        pairs = st.sampled_from(game.legal_pairs(game.turn))
        one, other = map(axial_of, data.draw(pairs))
        tile = data.draw(st.sampled_from(game.racks[game.turn]))
        if data.draw(st.booleans()):
            tile = tile.flipped
        self.side.do(PlaceTile(game.turn, tile, (one, other)))

    @precondition(lambda self: self.side.game.phase is Phase.CLOSE)
    @rule()
    def refill(self) -> None:
        self.side.refill()

    @precondition(lambda self: self.side.game.may_exchange(self.side.turn))
    @rule()
    def exchange(self) -> None:
        self.side.do(ExchangeRack(self.side.turn))

    @rule(seat=seats, tile=tiles, one=cells, other=cells)
    def place_anything(self, seat: int, tile: Tile, one: Axial, other: Axial) -> None:
        self.side.attempt(PlaceTile(seat, tile, (one, other)))

    @rule(seat=seats, command=st.sampled_from([RefillRack, ExchangeRack, SkipTurn]))
    def end_any_turn(self, seat: int, command: type[RefillRack | ExchangeRack | SkipTurn]) -> None:
        self.side.attempt(command(seat))

    @rule(seat=seats, kind=kinds)
    def take_over(self, seat: int, kind: SeatKind) -> None:
        self.side.attempt(TakeOverSeat(seat, "Eve", kind))

    @rule(seat=seats, really=st.integers(0, 5))
    def resign(self, seat: int, really: int) -> None:
        if not really:
            self.side.attempt(Resign(seat))

    @rule(reason=st.sampled_from(list(EndReason)), really=st.integers(0, 9))
    def end_early(self, reason: EndReason, really: int) -> None:
        if not really:
            self.side.attempt(EndEarly(reason))

    @rule()
    def deal_again(self) -> None:
        if self.side.events:
            self.side.refused(DealRacks())

    @precondition(lambda self: self.side.game.phase is not Phase.DEAL)
    @rule()
    def list_placements(self) -> None:
        self.side.compare_placements()

    def teardown(self) -> None:
        if not hasattr(self, "side") or not self.side.whole:
            return
        assert replay(self.side.start, self.side.events) == self.side.game
        text = render(self.side.record()).encode()
        ours, theirs = judge(text), reader.judge(text)
        due = Verdict.VERIFIED if self.side.game.is_over else Verdict.CONSISTENT
        assert (ours.verdict, theirs.verdict) == (due, due.value)
        assert ours.record == self.side.record()


class FreeForAll(AnyOrder):
    """Both presets, two to four players."""

    mode = Mode.FREE


class Partners(AnyOrder):
    """Both presets."""

    mode = Mode.PARTNERS


class Solitaire(AnyOrder):
    """Both presets."""

    mode = Mode.SOLO


TestFreeForAll = FreeForAll.TestCase
TestPartners = Partners.TestCase
TestSolitaire = Solitaire.TestCase
for case, share in ((TestFreeForAll, 6), (TestPartners, 12), (TestSolitaire, 12)):
    case.settings = settings(max_examples=settings().max_examples // share, stateful_step_count=40)
