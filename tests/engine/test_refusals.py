"""Every reason for a refusal is met, told in words, and changes nothing."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence

import pytest

from genial.engine.game import (
    Command,
    DealRacks,
    EndEarly,
    ExchangeRack,
    Game,
    PlaceTile,
    RefillRack,
    Resign,
    SkipTurn,
    TakeOverSeat,
    decide,
)
from genial.engine.hexgrid import Axial
from genial.engine.refusal import SENTENCES, Refusal, Refused
from genial.engine.rules import EndReason, Leaving, Mode, Preset, Rules, SeatKind
from genial.engine.tiles import Tile
from genial.engine.view import view_for
from tests.engine.side_by_side import SideBySide, new_game

RED_BLUE = Tile.parse("RB")
BESIDE_RED = (Axial(0, -4), Axial(0, -3))
BESIDE_GREEN = (Axial(4, -4), Axial(3, -3))
IN_THE_MIDDLE = (Axial(0, 0), Axial(1, 0))
SKIPPING = Rules(leaving=Leaving.SKIP)
ALONE = Rules(mode=Mode.SOLO, players=1)


def two(rules: Rules = SKIPPING, kind: SeatKind = SeatKind.HUMAN) -> SideBySide:
    """A game of two in its first turn, RB on both racks."""
    side = SideBySide(rules, 0, 0, [kind] * 2)
    side.arrange(racks={0: ["RB", "RB", "RB", "GG", "OY", "YP"], 1: ["RB"] * 6})
    return side


def placed(rules: Rules = SKIPPING) -> SideBySide:
    """The first seat has started at red and is to end its turn."""
    side = two(rules)
    side.place("RB", *BESIDE_RED)
    return side


def second_turn() -> SideBySide:
    """It is the second seat's first turn."""
    side = placed()
    side.refill()
    return side


def owing() -> SideBySide:
    """The first seat owes two bonus placements."""
    side = two()
    side.arrange(tracks={0: (17, 0, 17, 0, 0, 0)}, board={(1, -3): "B"})
    side.place("RB", *BESIDE_RED)
    assert side.game.bonus_owed == 2
    return side


def with_empty_rack() -> SideBySide:
    """The first seat has placed its last tile."""
    side = two()
    side.arrange(racks={0: ["RB"]})
    side.place("RB", *BESIDE_RED)
    return side


def without_second() -> SideBySide:
    """Of three seats the second has resigned."""
    side = SideBySide(Rules(players=3, leaving=Leaving.SKIP))
    side.do(Resign(1))
    return side


def over() -> SideBySide:
    """People have agreed to end."""
    side = two()
    side.do(EndEarly(EndReason.AGREED))
    return side


def of_seat(seat: int) -> list[Command]:
    """Whatever can be asked for a seat."""
    return [
        PlaceTile(seat, RED_BLUE, BESIDE_RED),
        RefillRack(seat),
        ExchangeRack(seat),
        Resign(seat),
        SkipTurn(seat),
        TakeOverSeat(seat, "Eve", SeatKind.HUMAN),
    ]


def on(*cells: tuple[int, int], tile: str = "RB", seat: int = 0) -> PlaceTile:
    """A placement on two cells."""
    one, other = cells
    return PlaceTile(seat, Tile.parse_oriented(tile), (Axial(*one), Axial(*other)))


Case = tuple[Callable[[], SideBySide], Sequence[Command]]
CASES: dict[Refusal, list[Case]] = {
    Refusal.GAME_OVER: [(over, [*of_seat(0), *of_seat(1), EndEarly(EndReason.ABANDONED)])],
    Refusal.NOT_DEALT: [
        (lambda: SideBySide(SKIPPING, deal=False), [*of_seat(0), EndEarly(EndReason.AGREED)])
    ],
    Refusal.ALREADY_DEALT: [(two, [DealRacks()]), (over, [DealRacks()])],
    Refusal.NOT_YOUR_TURN: [(two, [*of_seat(1)[:3], SkipTurn(1)])],
    Refusal.SEAT_RESIGNED: [(without_second, of_seat(1))],
    Refusal.BONUS_OWED: [(owing, [RefillRack(0), ExchangeRack(0)])],
    Refusal.NOT_PLACED_YET: [(two, [RefillRack(0), ExchangeRack(0)])],
    Refusal.ALREADY_PLACED: [(placed, [on(*IN_THE_MIDDLE)])],
    Refusal.CELLS_NOT_ADJACENT: [
        (two, [on((0, -4), (0, -2)), on((0, -4), (0, -4)), on((0, -4), (1, -3))])
    ],
    Refusal.OUTSIDE_ZONE: [
        (two, [on((1, -5), (2, -6)), on((1, -6), (1, -5)), on((10**30, -5), (1, -5))]),
        (two, [on((5, -4), (6, -5)), on((7, 0), (8, 0)), on((-9, 9), (-8, 8))]),
    ],
    Refusal.CELL_OCCUPIED: [
        (two, [on((0, -5), (0, -4)), on((0, -4), (0, -5))]),
        (second_turn, [on((0, -3), (0, -2), seat=1)]),
    ],
    Refusal.START_SYMBOL_NEEDED: [(two, [on(*IN_THE_MIDDLE)])],
    Refusal.START_SYMBOL_TAKEN: [
        (second_turn, [on((1, -5), (2, -5), seat=1), on((2, -5), (1, -5), seat=1)])
    ],
    Refusal.TILE_NOT_ON_RACK: [
        (two, [on(*BESIDE_RED, tile=tile) for tile in ("RR", "GB", "BG", "PP")])
    ],
    Refusal.NO_EXCHANGE_IN_MODE: [(lambda: SideBySide(ALONE), [ExchangeRack(0)])],
    Refusal.EXCHANGE_NEEDS_TILES: [(with_empty_rack, [ExchangeRack(0)])],
    Refusal.LOWEST_SYMBOL_ON_RACK: [
        (lambda: placed(Rules(Preset.GENIAL)), [ExchangeRack(0)]),
        (lambda: placed(Rules(Preset.OFFICIAL)), [ExchangeRack(0)]),
    ],
    Refusal.DRAWN_BY_ITSELF: [(lambda: SideBySide(ALONE), [RefillRack(0)])],
    Refusal.NO_SUCH_SEAT: [(two, [*of_seat(-1), *of_seat(2), *of_seat(99)])],
    Refusal.SKIP_NOT_IN_RULES: [
        (lambda: two(Rules()), [SkipTurn(0), SkipTurn(1)]),
        (
            lambda: SideBySide(Rules(mode=Mode.SOLO, players=1, leaving=Leaving.SKIP)),
            [SkipTurn(0)],
        ),
    ],
    Refusal.TAKEOVER_NOT_IN_RULES: [(two, [TakeOverSeat(1, "Eve", SeatKind.BOT)])],
    Refusal.NOBODY_TO_AGREE: [
        (
            lambda: two(kind=SeatKind.BOT),
            [EndEarly(EndReason.AGREED), EndEarly(EndReason.ABANDONED)],
        )
    ],
    Refusal.NOT_AN_EARLY_END: [
        (
            two,
            [
                EndEarly(EndReason.ALL_AT_CAP),
                EndEarly(EndReason.BOARD_FULL),
                EndEarly(EndReason.RESIGNED),
            ],
        )
    ],
}


@pytest.mark.parametrize("refusal", list(Refusal))
def test_every_refusal_is_reached_and_told(refusal: Refusal) -> None:
    asked = [(make, command) for make, commands in CASES.get(refusal, []) for command in commands]
    assert asked, f"no test reaches {refusal}"
    for make, command in asked:
        side = make()
        before = side.game
        with pytest.raises(Refused) as caught:
            decide(side.game, command)
        refused = caught.value
        assert refused.refusal is refusal
        assert str(refused) == refusal.sentence.format(**refused.metadata)
        assert placeholders(refusal) == refused.metadata.keys()
        assert all(refused.metadata.values())
        # The referee finds it illegal as well, and nothing has changed for either.
        assert side.refused(command) is refusal
        assert side.game == before
        # A player's view says the same, before anybody is asked.
        seat = getattr(command, "seat", -1)
        if seat in range(side.rules.players):
            view, seen = view_for(side.game, seat), None
            if isinstance(command, PlaceTile):
                seen = view.refusal_for(command.tile, command.cells)
            elif isinstance(command, ExchangeRack):
                seen = view.exchange_refusal()
            elif isinstance(command, RefillRack):
                seen = view.refill_refusal()
            else:
                continue
            assert seen is not None
            assert (seen.refusal, str(seen)) == (refusal, str(refused))


def placeholders(refusal: Refusal) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(refusal.sentence) if name}


@pytest.mark.parametrize("refusal", list(Refusal))
def test_every_refusal_has_a_sentence_that_says_what_to_do(refusal: Refusal) -> None:
    sentence = SENTENCES[refusal]
    assert refusal.value == refusal.name
    assert sentence[0].isupper() or sentence.startswith("{")
    assert sentence.endswith(".")
    filled = Refused(refusal, **dict.fromkeys(placeholders(refusal), "H8"))
    assert "{" not in str(filled)
    assert "}" not in str(filled)


def test_sentences_differ() -> None:
    assert SENTENCES.keys() == set(Refusal)
    assert len(set(SENTENCES.values())) == len(Refusal)


def told(side: SideBySide, command: Command) -> str:
    with pytest.raises(Refused) as caught:
        decide(side.game, command)
    return str(caught.value)


def test_a_refusal_names_what_is_in_question() -> None:
    side = second_turn()
    expected: dict[Command, str] = {
        on((1, -5), (2, -5), seat=1): "started at R already",
        on((1, -5), (0, -5), seat=1): "C8 is taken",
        on((0, 0), (2, 0), seat=1): "H8 and H10 are not neighbours",
        on((9, 0), (8, 0), seat=1): "(9, 0) is outside",
        on((6, -6), (5, -6), seat=1): "B14 is outside",
        on(*BESIDE_GREEN, tile="YG", seat=1): "GY is not on your rack",
        RefillRack(7): "no seat 7",
    }
    for command, text in expected.items():
        assert text in told(side, command)
    assert "owe 2 bonus" in told(owing(), RefillRack(0))
    side = placed()
    side.arrange(tracks={0: (5, 0, 5, 5, 0, 5)})
    assert "shows G Y, your lowest" in told(side, ExchangeRack(0))


def test_a_game_needs_seats_that_fit() -> None:
    game = new_game(Rules())
    seats = game.seats
    for wrong, first in [(seats[:1], 0), (seats * 2, 0), (seats, 2), (seats, -1)]:
        with pytest.raises(ValueError, match="seat"):
            Game.new(Rules(), wrong, first, game.bag)
