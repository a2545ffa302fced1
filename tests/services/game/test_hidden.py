"""What is hidden never reaches a message for somebody else.

Two states that differ only in hidden tiles give the same bytes to every other viewer, in
views, events, answers and reports; and no message tells the seed while the game runs.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from genial.engine.game import Game, evolve
from genial.engine.moves import Dealt, Event, Exchanged, Refilled, Skipped
from genial.engine.rules import Rules
from genial.engine.tiles import TILE_KINDS
from genial.engine.view import view_for
from genial.services.game.clock import Clocks
from genial.services.game.publication import Publication, Told
from genial.services.game.setup import Setup
from genial.v1 import game_pb2, game_service_pb2
from genial.wire.values import Clock, duration_to_message, rules_to_message
from genial.wire.views import view_to_message
from tests.engine.side_by_side import EVERY_RULES, new_game, played
from tests.engine.test_hidden import other_world
from tests.services.game.hosting import STARTED_MS, digest, room_request


def published(game: Game, events: Sequence[Event]) -> Publication:
    request = room_request(players=game.rules.players)
    request.rules.CopyFrom(rules_to_message(game.rules))
    setup = Setup.of(request, STARTED_MS)
    told = [Told.of(event, n, STARTED_MS + n) for n, event in enumerate(events, 1)]
    ended_at_ms = STARTED_MS if game.is_over else None
    return Publication(setup, game, told, 0, 0, None, ended_at_ms)


def drawn_otherwise(event: Event, viewer: int | None, rng: random.Random) -> Event:
    """The same event with other tiles drawn, where the viewer may not see them."""
    if isinstance(event, Dealt | Refilled | Exchanged | Skipped) and event.seat != viewer:
        drawn = tuple(rng.choice(TILE_KINDS) for _ in event.drawn)
        return dataclasses.replace(event, drawn=drawn)
    return event


@given(
    st.sampled_from(EVERY_RULES),
    st.integers(0, 10**6),
    st.integers(0, 150),
    st.randoms(use_true_random=False),
)
def test_messages_for_others_are_the_same_bytes(
    rules: Rules, seed: int, steps: int, rng: random.Random
) -> None:
    game, events = played(rules, seed, "level", steps)
    here = published(game, events)
    for viewer in (None, *range(rules.players)):
        known = {} if viewer is None else {viewer: game.racks[viewer]}
        hidden_elsewhere = [drawn_otherwise(event, viewer, rng) for event in events]
        there = published(other_world(game, known, rng), hidden_elsewhere)
        for after in (0, len(events) // 2, len(events), len(events) + 1):
            assert there.update(viewer, after) == here.update(viewer, after)
        assert there.view(viewer) == here.view(viewer)
        assert there.report(0) == here.report(0)
        if viewer is not None:
            assert there.answer(viewer, 0) == here.answer(viewer, 0)


@given(st.sampled_from(EVERY_RULES), st.integers(0, 10**6), st.integers(0, 150))
def test_every_viewer_gets_their_own_rack_and_no_other(rules: Rules, seed: int, steps: int) -> None:
    game, events = played(rules, seed, "random", steps)
    publication = published(game, events)
    spectator = publication.view(None)
    assert not spectator.HasField("viewer_seat")
    assert not spectator.rack
    for seat in range(rules.players):
        view = publication.view(seat)
        assert view.viewer_seat == seat
        assert list(view.rack) == [str(tile) for tile in game.rack(seat)]
        for field in ("viewer_seat", "rack", "may_exchange"):
            view.ClearField(field)
        assert view == spectator


@given(st.sampled_from(EVERY_RULES), st.integers(0, 10**6), st.booleans())
def test_what_a_publication_has_from_the_one_before_is_as_if_made_anew(
    rules: Rules, seed: int, with_clocks: bool
) -> None:
    _, events = played(rules, seed, "random", 40)
    first = Clocks.new(Clock(60_000), rules.players, 0, 0) if with_clocks else None
    game = new_game(rules, seed, seed % rules.players)
    publication = published(game, ())
    for n, event in enumerate(events, 1):
        game = evolve(game, event)
        told = [Told.of(event, n, STARTED_MS + n)]
        clocks = None if first is None else first.settle(n)
        publication = publication.followed_by(game, told, 0, clocks, None)
        anew = published(game, events[:n])
        anew = Publication(anew.setup, game, anew.told, n, 0, clocks, None)
        for viewer in (None, *range(rules.players)):
            update = publication.update(viewer, n - 1)
            assert update == anew.update(viewer, n - 1)
            message = game_service_pb2.WatchGameResponse.FromString(update)
            assert message.revision == n
            assert [event.n for event in message.events] == [n]
            assert message.view == whole_view(publication, viewer)


@given(st.sampled_from(EVERY_RULES), st.integers(0, 10**6))
def test_no_field_that_is_there_once_is_sent_in_two_parts(rules: Rules, seed: int) -> None:
    """Parsers are to merge such parts, but protobuf.js takes the last: of the shuffle the seed."""
    game, events = played(rules, seed, "random", 1000)
    assert game.is_over
    *earlier, last = events
    before = new_game(rules, seed, seed % rules.players)
    for event in earlier:
        before = evolve(before, event)
    running = published(before, earlier)
    running.update(None, 0)
    n, ended_at = len(events), STARTED_MS + len(events)
    told = [Told.of(last, n, ended_at)]
    over = running.followed_by(game, told, 0, None, ended_at)
    for publication in (running, over):
        for viewer in (None, *range(rules.players)):
            update = publication.update(viewer, n - 2)
            message = game_service_pb2.WatchGameResponse.FromString(update)
            # Merged, it would be shorter by the head of a part.
            assert len(message.SerializeToString()) == len(update)
    assert message.view.shuffle.seed == digest("seed")
    assert message.view.shuffle.commitment


def whole_view(publication: Publication, viewer: int | None) -> game_pb2.GameView:
    """A view as one message, made in one go."""
    message = view_to_message(view_for(publication.game, viewer))
    message.MergeFrom(publication.setup.fixed_view(over=publication.ended_at_ms is not None))
    if publication.clocks is not None:
        for seat, left in zip(message.seats, publication.clocks.left, strict=True):
            seat.clock_left.CopyFrom(duration_to_message(left))
    return message


@given(st.sampled_from(EVERY_RULES), st.integers(0, 10**6), st.integers(0, 200))
def test_the_seed_is_told_at_the_end_alone(rules: Rules, seed: int, steps: int) -> None:
    game, events = played(rules, seed, "random", steps)
    publication = published(game, events)
    secret = digest("seed")
    for viewer in (None, *range(rules.players)):
        assert (secret in publication.update(viewer, 0)) == game.is_over


def test_a_draw_is_told_whole_to_its_seat_alone() -> None:
    _, events = played(EVERY_RULES[0], 1, "random", 20)
    for n, event in enumerate(events, 1):
        if not isinstance(event, Dealt | Refilled | Exchanged | Skipped):
            continue
        told = Told.of(event, n, STARTED_MS)
        mine = game_pb2.GameEvent.FromString(told.to(event.seat))
        assert told.event() == event
        for other in (None, 1 - event.seat):
            theirs = game_pb2.GameEvent.FromString(told.to(other))
            name = theirs.WhichOneof("event")
            assert name is not None
            assert not getattr(theirs, name).draw.tiles
            assert getattr(theirs, name).draw.count == len(event.drawn)
            assert len(getattr(mine, name).draw.tiles) == len(event.drawn)


def test_a_view_stays_small() -> None:
    """The contract: a board of 169 cells in at most 400 bytes, a view in 1 to 3 KB."""
    rules = Rules(players=4)
    game, events = played(rules, 5, "random", 60)
    view = published(game, events).view(0)
    board_alone = game_pb2.GameView(board=view.board)
    assert len(view.board) == 169
    assert board_alone.ByteSize() <= 400
    assert view.ByteSize() <= 3000
    update = game_service_pb2.WatchGameResponse.FromString(
        published(game, events).update(None, len(events) - 1)
    )
    assert len(update.events) == 1
