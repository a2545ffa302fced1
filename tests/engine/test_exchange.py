"""Who may exchange the rack, and what becomes of the tiles (rules, section 3)."""

from __future__ import annotations

import pytest

from genial.engine.game import Exchanged, ExchangeRack
from genial.engine.refusal import Refusal
from genial.engine.rules import Mode, Preset, Rules
from genial.engine.tiles import Tile
from genial.engine.view import view_for
from tests.engine.side_by_side import SideBySide, letters_of

GENIAL, OFFICIAL = Preset.GENIAL, Preset.OFFICIAL
both = pytest.mark.parametrize("preset", list(Preset))


def closing(
    preset: Preset,
    rack: list[str],
    track: tuple[int, ...],
    *,
    mode: Mode = Mode.FREE,
    players: int = 2,
    bag: list[str] | None = None,
) -> SideBySide:
    """The first seat has placed, holds this rack and is to end its turn."""
    side = SideBySide(Rules(preset, mode, players))
    side.arrange(racks={0: ["OO", *rack]}, started=range(players), bag=bag)
    side.place("OO", (0, 0), (1, 0))
    side.arrange(tracks={0: track})
    return side


def allowed(side: SideBySide) -> bool:
    may = side.game.may_exchange(side.turn)
    assert may == side.referee.may_exchange()
    assert may == view_for(side.game, side.turn).may_exchange
    return may


@both
@pytest.mark.parametrize(
    ("rack", "track", "may"),
    [
        # R alone is lowest.
        (["GG", "BO", "YP", "GP", "BB"], (2, 3, 3, 3, 3, 3), True),
        (["GG", "BO", "YP", "GP", "RB"], (2, 3, 3, 3, 3, 3), False),
        (["RR", "GG", "GG", "GG", "GG"], (2, 3, 3, 3, 3, 3), False),
        # All that are tied count.
        (["GG", "GO", "OP", "GP", "OO"], (2, 3, 2, 3, 2, 3), True),
        (["GG", "GO", "OP", "GP", "BO"], (2, 3, 2, 3, 2, 3), False),
        (["GG", "GO", "OP", "GP", "OY"], (2, 3, 2, 3, 2, 3), False),
        # At the start all six are tied, so whatever lies on the rack shows one of them.
        (["GG", "GG", "GG", "GG", "GG"], (0, 0, 0, 0, 0, 0), False),
        # With the others full.
        (["GG", "GG", "GG", "GG", "GG"], (17, 18, 17, 18, 18, 18), True),
        (["RG", "GG", "GG", "GG", "GG"], (17, 18, 17, 18, 18, 18), False),
        # One tile is enough to decide.
        (["GG"], (2, 3, 3, 3, 3, 3), True),
        (["RG"], (2, 3, 3, 3, 3, 3), False),
    ],
)
def test_a_rack_without_any_lowest_symbol_may_go(
    preset: Preset, rack: list[str], track: tuple[int, ...], may: bool
) -> None:
    assert allowed(closing(preset, rack, track)) == may


@both
def test_never_with_an_empty_rack(preset: Preset) -> None:
    side = closing(preset, [], (2, 3, 3, 3, 3, 3))
    assert side.refused(ExchangeRack(0)) is Refusal.EXCHANGE_NEEDS_TILES


PAIR = {(0, -1): "", (0, -2): ""}


@pytest.mark.parametrize(
    ("rack", "track", "around", "may"),
    [
        # Nothing like R or B anywhere: only the genial clause lets this rack go.
        (["RB", "RR"], (2, 3, 3, 3, 3, 3), {}, True),
        # A like symbol beside the pair would be found in line.
        (["RB", "RR"], (2, 3, 3, 3, 3, 3), {(1, -1): "R"}, False),
        (["RB", "RR"], (2, 3, 3, 3, 3, 3), {(1, -1): "B"}, False),
        # Not even one whose counter is full may be found.
        (["RB", "RR"], (2, 3, 18, 3, 3, 3), {(1, -1): "B"}, False),
        # One that lies behind something else is in no line,
        (["RB", "RR"], (2, 3, 3, 3, 3, 3), {(2, -1): "R"}, True),
        # nor is one beside a cell that makes no pair.
        (["RB", "RR"], (2, 3, 3, 3, 3, 3), {(3, 0): "", (4, 0): "R"}, True),
        # A tile may be turned, so both of its symbols count at both cells.
        (["RB", "RR"], (2, 3, 3, 3, 3, 3), {(0, -3): "B"}, False),
        # With a second pair somewhere else it is in line again.
        (["RB", "RR"], (2, 3, 3, 3, 3, 3), {(3, 0): "", (4, -1): "", (4, 0): "R"}, False),
        # Symbols that are not on the rack do not matter.
        (["RB", "RR"], (2, 3, 3, 3, 3, 3), {(1, -1): "G", (1, -2): "Y"}, True),
    ],
)
def test_a_rack_that_finds_nothing_may_go_under_genial_only(
    rack: list[str],
    track: tuple[int, ...],
    around: dict[tuple[int, int], str],
    may: bool,
) -> None:
    side = closing(GENIAL, rack, track)
    side.cover("O", PAIR | around)
    assert allowed(side) == may
    side = closing(OFFICIAL, rack, track)
    side.cover("O", PAIR | around)
    assert not allowed(side)
    assert side.refused(ExchangeRack(0)) is Refusal.LOWEST_SYMBOL_ON_RACK


@both
def test_without_a_lowest_symbol_it_may_go_however_much_it_would_find(preset: Preset) -> None:
    side = closing(preset, ["GG", "GO"], (2, 3, 3, 3, 3, 3))
    side.cover("O", PAIR | {(1, -1): "G"})
    assert allowed(side)


def test_eligibility_is_judged_after_scoring() -> None:
    side = SideBySide(Rules())
    side.arrange(
        racks={0: ["OO", "RG", "GG"]},
        started=[0, 1],
        tracks={0: (1, 5, 5, 0, 5, 5)},
        board={(2, 0): "O", (3, 0): "O"},
    )
    # Before the placement O is lowest, after it R is, which the rack shows.
    side.place("OO", (0, 0), (1, 0))
    assert side.game.track(0)[3] == 2
    assert not allowed(side)


@both
def test_partners_are_judged_by_their_joint_track(preset: Preset) -> None:
    side = closing(preset, ["GG", "BO"], (20, 30, 30, 30, 30, 30), mode=Mode.PARTNERS, players=4)
    assert allowed(side)
    side.arrange(tracks={0: (30, 20, 30, 30, 30, 30)})
    assert not allowed(side)


def test_new_tiles_are_drawn_before_the_old_go_back() -> None:
    bag = ["YY", "YP", "PP", "OY", "OP", "BY", "BP"]
    side = closing(GENIAL, ["GG", "BO", "BO", "GP", "BB"], (2, 3, 3, 3, 3, 3), bag=bag)
    event = side.do(ExchangeRack(0))[0]
    assert isinstance(event, Exchanged)
    assert event.returned == tuple(map(Tile.parse, ["GG", "GP", "BB", "BO", "BO"]))
    assert event.drawn == tuple(map(Tile.parse, bag[:0:-1]))
    assert side.game.racks[0] == event.drawn
    assert sorted(side.bag.tiles) == sorted(["YY", *letters_of(event.returned)])
    assert side.turn == 1
    assert side.refused(ExchangeRack(0)) is Refusal.NOT_YOUR_TURN


@pytest.mark.parametrize("left", [0, 1, 5])
def test_a_short_bag_gives_what_is_there(left: int) -> None:
    bag = ["YY", "YP", "PP", "OY", "OP"][:left]
    rack = ["GG", "BO", "GP", "BB"]
    side = closing(GENIAL, rack, (2, 3, 3, 3, 3, 3), bag=bag)
    side.do(ExchangeRack(0))
    assert len(side.game.racks[0]) == left
    assert len(side.game.bag) == len(rack)
    side = closing(GENIAL, rack, (2, 3, 3, 3, 3, 3), bag=bag)
    side.refill()
    assert len(side.game.racks[0]) == min(6, len(rack) + left)


def test_after_an_exchange_no_refill_follows() -> None:
    side = closing(OFFICIAL, ["GG", "BO"], (2, 3, 3, 3, 3, 3))
    side.do(ExchangeRack(0))
    assert len(side.game.racks[0]) == 6
    assert side.turn == 1


def test_an_exchange_is_the_players_choice() -> None:
    side = closing(OFFICIAL, ["GG", "BO"], (2, 3, 3, 3, 3, 3))
    side.refill()
    assert side.game.racks[0][:2] == (Tile.parse("GG"), Tile.parse("BO"))
