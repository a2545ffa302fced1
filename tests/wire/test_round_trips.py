"""Engine values over the wire and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from genial.engine.board import index_of
from genial.engine.game import Game, evolve
from genial.engine.hexgrid import Axial
from genial.engine.moves import Dealt, Ended, Event, Exchanged, Phase, Refilled, Skipped, TakenOver
from genial.engine.rules import EndReason, FirstBy, Leaving, Mode, Preset, Rules, SeatKind
from genial.engine.view import project, view_for
from genial.v1 import game_pb2
from genial.wire import values
from genial.wire.errors import GenialError, Reason
from genial.wire.events import (
    event_from_message,
    event_to_message,
    whole_event_from_message,
    whole_event_to_message,
)
from genial.wire.values import Clock, EnumCodec, MalformedClockError
from genial.wire.views import view_from_message, view_to_message
from tests.engine.side_by_side import EVERY_RULES, leaving_by, new_game, played

any_rules = st.sampled_from(
    [leaving_by(rules, leaving) for rules in EVERY_RULES for leaving in Leaving]
)


@cache
def whole_game(rules: Rules, seed: int, style: str) -> tuple[list[Game], list[Event]]:
    """Every state of a game from before the deal on, and the events between them."""
    game, events = played(rules, seed, style)
    states = [new_game(rules, seed, game.first_seat)]
    for event in events:
        states.append(evolve(states[-1], event))
    return states, events


whole_games = st.builds(
    whole_game, any_rules, st.integers(0, 2), st.sampled_from(["random", "level"])
)


@given(whole_games, st.data())
def test_views(game: tuple[list[Game], list[Event]], data: st.DataObject) -> None:
    state = data.draw(st.sampled_from(game[0]))
    for viewer in (None, *range(state.rules.players)):
        view = view_for(state, viewer)
        message = view_to_message(view)
        received = game_pb2.GameView.FromString(message.SerializeToString())
        assert view_from_message(received) == dataclasses.replace(view, rules=said(view.rules))


@given(whole_games)
def test_events(game: tuple[list[Game], list[Event]]) -> None:
    states, events = game
    for n, event in enumerate(events, 1):
        for viewer in (None, *range(states[0].rules.players)):
            seen = project(event, viewer)
            message = event_to_message(seen, n, 1_795_000_000_123 + n)
            received = game_pb2.GameEvent.FromString(message.SerializeToString())
            assert received.n == n
            assert values.timestamp_from_message(received.at) == 1_795_000_000_123 + n
            assert event_from_message(received) == seen
        whole = whole_event_to_message(event, n, n).SerializeToString()
        assert whole_event_from_message(game_pb2.GameEvent.FromString(whole)) == event


def said(rules: Rules) -> Rules:
    """On the wire, what was never said about partners' talking is a no."""
    if rules.mode is Mode.PARTNERS:
        return dataclasses.replace(rules, partners_talk=bool(rules.partners_talk))
    return rules


@pytest.mark.parametrize("event", [Dealt(0, ()), Refilled(0, ()), Skipped(0, ())])
@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_an_empty_draw_is_the_same_to_everybody(event: Event, viewer: int | None) -> None:
    """Else a client that was there would not know the record's event again."""
    seen = project(event, viewer)
    assert event_from_message(event_to_message(seen, 1, 1)) == seen


@pytest.mark.parametrize("kind", [Dealt, Refilled, Skipped])
def test_a_hidden_draw_is_no_whole_event(
    kind: type[Dealt] | type[Refilled] | type[Skipped],
) -> None:
    _, events = played(EVERY_RULES[0], 1, "random", 0)
    dealt = events[0]
    assert isinstance(dealt, Dealt)
    hidden = event_to_message(project(kind(0, dealt.drawn), 1), 1, 1)
    with pytest.raises(GenialError, match="is hidden"):
        whole_event_from_message(hidden)


@given(
    st.builds(
        TakenOver,
        st.integers(0, 3),
        st.text(min_size=1, max_size=30).filter(lambda name: name.isprintable()),
        st.sampled_from(SeatKind),
        st.none() | st.sampled_from(["medium", "expert/gambler"]),
    )
)
def test_takeovers(event: TakenOver) -> None:
    message = whole_event_to_message(event, 9, 9)
    assert whole_event_from_message(message) == event


@pytest.mark.parametrize("reason", EndReason)
def test_endings(reason: EndReason) -> None:
    ended = Ended(reason, ((1,), (0, 2)), ((1, 2, 3, 4, 5, 6),) * 3)
    assert event_from_message(event_to_message(ended, 1, 1)) == ended


@given(any_rules)
def test_rules(rules: Rules) -> None:
    assert values.rules_from_message(values.rules_to_message(rules)) == said(rules)


@pytest.mark.parametrize(
    ("codec", "enum"),
    [
        pytest.param(values.PRESETS, Preset, id="presets"),
        pytest.param(values.MODES, Mode, id="modes"),
        pytest.param(values.LEAVINGS, Leaving, id="leavings"),
        pytest.param(values.SEAT_KINDS, SeatKind, id="kinds"),
        pytest.param(values.FIRST_BYS, FirstBy, id="first by"),
        pytest.param(values.END_REASONS, EndReason, id="end reasons"),
        pytest.param(values.PHASES, Phase, id="phases"),
    ],
)
def test_every_value_of_an_enum_has_its_twin(
    codec: EnumCodec[object, int], enum: type[Preset]
) -> None:
    assert set(codec.to_message) == set(enum)
    for value, message in codec.to_message.items():
        assert codec.from_message(message, "field") == value
    with pytest.raises(GenialError) as refused:
        codec.from_message(99, "field")
    assert refused.value.metadata["field"] == "field"


@given(st.integers(1, 86_400), st.integers(0, 86_400))
def test_clocks(base_s: int, increment_s: int) -> None:
    clock = Clock(base_s * 1000, increment_s * 1000)
    assert values.clock_from_message(values.clock_to_message(clock)) == clock
    assert Clock.parse(str(clock)) == clock


@pytest.mark.parametrize(
    ("base", "increment", "field"),
    [
        ((0, 0), (0, 0), "base"),
        ((-5, 0), (0, 0), "base"),
        ((600, 2_000_000_000), (0, 0), "base"),
        ((600, 1), (0, 0), "base"),
        ((600, -1), (0, 0), "base"),
        ((2**62, 0), (0, 0), "base"),
        ((600, 0), (-1, 0), "increment"),
        ((600, 0), (0, -(10**9)), "increment"),
        ((600, 0), (86_401, 0), "increment"),
    ],
)
def test_what_is_no_clock_is_refused(
    base: tuple[int, int], increment: tuple[int, int], field: str
) -> None:
    message = game_pb2.Clock(
        base=Duration(seconds=base[0], nanos=base[1]),
        increment=Duration(seconds=increment[0], nanos=increment[1]),
    )
    with pytest.raises(GenialError) as refused:
        values.clock_from_message(message)
    assert refused.value.metadata["field"] == f"clock.{field}"


@pytest.mark.parametrize(
    ("text", "base_ms", "increment_ms"),
    [
        ("10m+10s", 600_000, 10_000),
        ("90s", 90_000, 0),
        ("1h+1m30s", 3_600_000, 90_000),
        ("1h1m1s+0s", 3_661_000, 0),
    ],
)
def test_clocks_of_texts(text: str, base_ms: int, increment_ms: int) -> None:
    assert Clock.parse(text) == Clock(base_ms, increment_ms)


@pytest.mark.parametrize(
    "text", ["", "+", "10", "10m+", "+10s", "0s", "25h", "10m+25h", "-5m", "10m+10s+1s", "１0m"]
)
def test_texts_that_are_no_clock(text: str) -> None:
    with pytest.raises(MalformedClockError):
        Clock.parse(text)


@given(st.integers(0, 2**40))
def test_moments(at_ms: int) -> None:
    assert values.timestamp_from_message(values.timestamp_to_message(at_ms)) == at_ms
    assert values.duration_from_message(values.duration_to_message(at_ms)) == at_ms


def good_view() -> game_pb2.GameView:
    game, _ = played(EVERY_RULES[0], 1, "random", 30)
    return view_to_message(view_for(game, 0))


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("board", b"\x00" * 90, "board"),
        ("board", b"\x09" * 91, "board"),
        ("turn_seat", 2, "turn_seat"),
        ("first_seat", 7, "first_seat"),
        ("viewer_seat", 2, "viewer_seat"),
        ("last_mover", 2, "last_mover"),
        ("phase", 9, "phase"),
    ],
)
def test_a_view_of_no_game_is_refused(field: str, value: object, named: str) -> None:
    message = good_view()
    setattr(message, field, value)
    with pytest.raises(GenialError) as refused:
        view_from_message(message)
    assert (refused.value.reason, refused.value.metadata["field"]) == (Reason.MALFORMED, named)


def test_lists_of_a_view_are_checked() -> None:
    for change, named in (
        (lambda view: view.seats.pop(), "seats"),
        (lambda view: view.seats[1].track.counters.pop(), "seats[1].track.counters"),
        (lambda view: view.rack.append("BR"), f"rack[{len(good_view().rack)}]"),
        (lambda view: view.claimed_starts.append("X"), "claimed_starts"),
        (
            lambda view: setattr(view.seats[0].last_placement.placement, "tile", "??"),
            "seats[0].last_placement.placement.tile",
        ),
        (
            lambda view: view.seats[0].last_placement.placement.points.update({"X": 1}),
            "seats[0].last_placement.placement.points",
        ),
    ):
        message = good_view()
        change(message)
        with pytest.raises(GenialError) as refused:
            view_from_message(message)
        assert refused.value.metadata["field"] == named


@given(st.binary(max_size=300))
def test_any_message_is_a_view_or_malformed(data: bytes) -> None:
    message = game_pb2.GameView()
    with suppress(DecodeError, Malformed):
        message.MergeFromString(good_view().SerializeToString() + data)
        with only_malformed():
            view_from_message(message)


@given(st.binary(max_size=200))
def test_any_message_is_an_event_or_malformed(data: bytes) -> None:
    message = game_pb2.GameEvent()
    with suppress(DecodeError, Malformed):
        message.MergeFromString(data)
        with only_malformed():
            event_from_message(message)


class Malformed(Exception):
    """A GenialError that says so."""


@contextmanager
def only_malformed() -> Iterator[None]:
    try:
        yield
    except GenialError as refused:
        if refused.reason == Reason.MALFORMED:
            raise Malformed from refused
        raise


def test_a_board_goes_packed_in_the_order_of_its_cells() -> None:
    game, _ = played(EVERY_RULES[0], 1, "random", 30)
    message = view_to_message(view_for(game, None))
    for cell, content in zip(game.rules.zone.cells, message.board, strict=True):
        assert game.board.contents[index_of(cell)] == content


def test_exchanged_shows_what_was_returned_to_everybody() -> None:
    _, events = played(EVERY_RULES[0], 1, "random", 0)
    dealt = events[0]
    assert isinstance(dealt, Dealt)
    event = Exchanged(0, tuple(sorted(dealt.drawn)), dealt.drawn)
    for viewer in (None, 1):
        message = event_to_message(project(event, viewer), 1, 1)
        assert list(message.exchanged.returned) == [str(tile) for tile in event.returned]
        assert not message.exchanged.draw.tiles


def test_a_cell_is_two_numbers() -> None:
    cell = values.cell_to_message(Axial(-5, 3))
    assert values.cells_from_message([cell, cell]) == (Axial(-5, 3), Axial(-5, 3))
