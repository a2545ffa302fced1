"""What is hidden from a viewer makes no difference to what the viewer gets."""

from __future__ import annotations

import dataclasses
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from genial.engine.game import (
    Command,
    Dealt,
    Event,
    Exchanged,
    ExchangeRack,
    Game,
    Placed,
    PlaceTile,
    Refilled,
    Skipped,
    decide,
    evolve,
)
from genial.engine.rules import Leaving, Rules
from genial.engine.shuffle import ShuffledBag
from genial.engine.tiles import Tile
from genial.engine.view import (
    HiddenDraw,
    PlayerView,
    SeenDealt,
    SeenExchanged,
    SeenRefilled,
    SeenSkipped,
    project,
    view_for,
)
from tests.engine.side_by_side import EVERY_RULES, leaving_by, played
from tests.engine.styles import next_command


def other_world(game: Game, known: dict[int, tuple[Tile, ...]], rng: random.Random) -> Game:
    """The same game with all tiles that lie hidden dealt anew.

    `known` says which tiles stay on whose rack; the rest of the racks, and the bag, are mixed.
    """
    assert isinstance(game.bag, ShuffledBag)
    hidden = list(game.bag.tiles)
    for seat, rack in enumerate(game.racks):
        rest = list(rack)
        for tile in known.get(seat, ()):
            rest.remove(tile)
        hidden += rest
    rng.shuffle(hidden)
    racks = []
    for seat, rack in enumerate(game.racks):
        kept = list(known.get(seat, ()))
        while len(kept) < len(rack):
            kept.append(hidden.pop())
        if kept != list(rack):
            rng.shuffle(kept)
        racks.append(tuple(kept))
    bag = dataclasses.replace(game.bag, tiles=tuple(hidden), key=rng.randbytes(32))
    return dataclasses.replace(game, racks=tuple(racks), bag=bag)


def shown_by(game: Game, command: Command) -> dict[int, tuple[Tile, ...]]:
    """The tiles that a command makes public."""
    match command:
        case PlaceTile(seat, tile):
            return {seat: (tile.canonical,)}
        case ExchangeRack(seat):
            return {seat: game.racks[seat]}
        case _:
            return {}


def reached(rules: Rules, seed: int, style: str, steps: int) -> Game:
    return played(rules, seed, style, steps)[0]


games = st.builds(
    reached,
    st.sampled_from([leaving_by(rules, leaving) for rules in EVERY_RULES for leaving in Leaving]),
    st.integers(0, 10**6),
    st.sampled_from(["random", "level"]),
    st.integers(0, 80),
)
fewer = settings(max_examples=settings().max_examples // 2)


@fewer
@given(games, st.randoms(use_true_random=False))
def test_hidden_tiles_make_no_difference_to_a_view(game: Game, rng: random.Random) -> None:
    for viewer in (None, *range(game.rules.players)):
        known = {} if viewer is None else {viewer: game.racks[viewer]}
        other = other_world(game, known, rng)
        assert view_for(other, viewer) == view_for(game, viewer)
        assert sorted(map(len, other.racks)) == sorted(map(len, game.racks))


@fewer
@given(games, st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_hidden_tiles_make_no_difference_to_what_others_see_of_a_move(
    game: Game, seed: int, rng: random.Random
) -> None:
    if game.is_over:
        return
    mover = game.turn
    command = next_command(game, random.Random(seed), "level")
    events = decide(game, command)
    for viewer in {None, *range(game.rules.players)} - {mover}:
        known = shown_by(game, command)
        if viewer is not None:
            known[viewer] = game.racks[viewer]
        other = other_world(game, known, rng)
        if isinstance(command, ExchangeRack) and not other.may_exchange(mover):
            raise AssertionError("the same rack may be exchanged in both worlds")
        same = decide(other, command)
        assert [project(event, viewer) for event in same] == [
            project(event, viewer) for event in events
        ]
        here, there = game, other
        for one, another in zip(events, same, strict=True):
            here, there = evolve(here, one), evolve(there, another)
            assert view_for(here, viewer) == view_for(there, viewer)


@settings(max_examples=settings().max_examples // 5)
@given(st.sampled_from(EVERY_RULES), st.integers(0, 10**6))
def test_draws_are_projected_to_the_seat_that_drew_alone(rules: Rules, seed: int) -> None:
    game, events = played(rules, seed, "level", steps=60)
    events.append(Skipped(0, game.racks[0]))
    kinds: dict[type[Event], type] = {
        Dealt: SeenDealt,
        Refilled: SeenRefilled,
        Exchanged: SeenExchanged,
        Skipped: SeenSkipped,
    }
    for event in events:
        for viewer in (None, *range(rules.players)):
            seen = project(event, viewer)
            if type(event) not in kinds:
                assert seen is event
                continue
            assert isinstance(event, Dealt | Refilled | Exchanged | Skipped)
            assert isinstance(seen, kinds[type(event)])
            assert isinstance(seen, SeenDealt | SeenRefilled | SeenExchanged | SeenSkipped)
            open_to_viewer = viewer == event.seat or not event.drawn
            assert seen.draw == (event.drawn if open_to_viewer else HiddenDraw(len(event.drawn)))
            if isinstance(event, Exchanged):
                assert isinstance(seen, SeenExchanged)
                assert seen.returned == event.returned


def test_a_view_has_no_field_for_what_is_hidden() -> None:
    game, events = played(EVERY_RULES[0], 5, steps=7)
    view = view_for(game, 0)
    names = {field.name for field in dataclasses.fields(PlayerView)}
    assert "racks" not in names
    assert "bag" not in names
    assert "key" not in names
    assert view.rack == tuple(sorted(game.racks[0]))
    assert view.bag_count == len(game.bag)
    for seat, shown in enumerate(view.seats):
        tiles = [
            getattr(shown, field.name)
            for field in dataclasses.fields(shown)
            if field.name != "latest"
        ]
        assert not any(isinstance(value, Tile) for value in tiles)
        assert shown.rack_size == len(game.racks[seat])
        assert shown.track == game.track(seat)
        assert shown.latest == last_placement(events, seat)


def last_placement(events: list[Event], seat: int) -> Placed | None:
    placed = [event for event in events if isinstance(event, Placed) and event.seat == seat]
    return placed[-1] if placed else None


def test_a_spectator_has_no_rack_and_no_commands() -> None:
    game, _ = played(EVERY_RULES[0], 4, steps=0)
    view = view_for(game, None)
    assert view.rack == ()
    assert view.legal_pairs() == view.reachable_pairs() == []
    assert not view.may_exchange
    assert not view.is_my_turn
    assert view.my_track is None
    assert view.scored_placements() == []
    refused = view.exchange_refusal()
    assert refused is not None
    tile, cells = game.legal_placements(0)[0]
    spot = view.refusal_for(tile, cells)
    assert spot is not None
    assert spot.refusal == refused.refusal == "NOT_YOUR_TURN"


@fewer
@given(games)
def test_whose_turn_it_is_is_told_to_everybody_alike(game: Game) -> None:
    for viewer in (None, *range(game.rules.players)):
        view = view_for(game, viewer)
        assert view.is_over == game.is_over
        assert view.turn == game.turn
        assert view.phase is game.phase
        assert view.is_my_turn == (viewer == game.turn and not game.is_over)
        assert view.must_place == bool(viewer is not None and game.legal_pairs(viewer))
        if viewer is not None:
            assert view.may_exchange == game.may_exchange(viewer)
            assert view.may_exchange == (view.exchange_refusal() is None)
            assert (view.refill_refusal() is None) == (view.is_my_turn and not view.must_place)
            assert view.legal_pairs() == game.legal_pairs(viewer)
            assert view.my_track == game.track(viewer)
