"""Tables on disk and on the wire."""

from __future__ import annotations

import json

import pytest

from genial.engine.rules import Leaving, Mode
from genial.services.lobby import seating
from genial.services.lobby.codec import table_from_json, table_to_json
from genial.services.lobby.messages import table_to_message, with_viewer
from genial.services.lobby.passing import disconnect
from genial.services.lobby.table import Progress, Table
from genial.v1 import game_pb2, table_pb2
from tests.services.lobby.tables import evening, playing, token


def tables() -> list[Table]:
    """Tables in all kinds of states."""
    found = [evening(1, mode=Mode.SOLO).table, evening(4, mode=Mode.PARTNERS).table]
    dealing = evening(3)
    dealing.sit("Ana", "Max", "Eva")
    dealing.ready("Ana", "Max", "Eva")
    found.append(dealing.table)
    dealing.wait(dealing.times.deal_step)
    dealing.commit_all()
    found.append(dealing.table)
    dealing.answer_deal()
    found.append(dealing.table)
    game = playing("Ana", "Max", "Eva", "bot", games=3)
    game.settle(disconnect(game.table, token("Max"), game.now))
    game.wait(game.times.grace)
    found.append(game.table)
    game.bots_come()
    game.settle(seating.kick(game.table, token("Ana"), 2, game.now, game.chance))
    found.append(game.table)
    game.end(((0, 1), (2,), (3,)), 9, 9, 5, 4)
    found.append(game.table)
    skipping = playing("Ana", "Max", leaving=Leaving.SKIP)
    skipping.settle(seating.leave(skipping.table, token("Max"), skipping.now, skipping.chance))
    found.append(skipping.table)
    return found


@pytest.mark.parametrize("table", tables(), ids=map(str, range(9)))
def test_a_table_comes_back_from_disk_as_it_was(table: Table) -> None:
    text = table_to_json(table)
    again = table_from_json(text)
    assert again == table
    assert again.version == table.version
    assert json.loads(text)["table_id"] == table.table_id


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"table_id":"x"}', "null"])
def test_what_is_no_table_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"no table|Expecting"):
        table_from_json(text)


def test_the_message_shows_who_plays_a_seat_and_since_when_its_holder_is_away() -> None:
    game = playing("Ana", "Max")
    game.settle(disconnect(game.table, token("Max"), game.now))
    game.wait(game.times.grace)
    game.bots_come()
    message = table_to_message(game.table, Progress(revision=7, placements=3), 5)
    ana, max_ = message.seats
    assert (ana.kind, ana.name, ana.connected, ana.creator) == (
        game_pb2.SEAT_KIND_HUMAN,
        "Ana",
        True,
        True,
    )
    assert (max_.kind, max_.name, max_.level, max_.connected, max_.ready) == (
        game_pb2.SEAT_KIND_BOT,
        "Max (bot)",
        "medium",
        True,
        True,
    )
    assert max_.HasField("away_since")
    assert not ana.HasField("away_since")
    assert message.state == table_pb2.TABLE_STATE_ACTIVE
    assert (message.game_revision, message.placements, message.watchers) == (7, 3, 5)


def test_no_hash_of_a_token_and_no_seed_is_ever_in_a_message() -> None:
    for table in tables():
        shown = table_to_message(table, Progress(), 0).SerializeToString()
        for seat in table.seats:
            for secret in (seat.token_hash, seat.player_hash):
                assert secret is None or secret not in shown
        if table.deal is not None and not table.deal.disclosed:
            assert table.deal.seed not in shown


def test_a_viewers_seat_is_named_in_a_copy() -> None:
    game = playing("Ana", "bot")
    message = table_to_message(game.table, Progress(), 0)
    own = with_viewer(message, game.table, token("Ana"))
    assert own.viewer_seat == 0
    assert not message.HasField("viewer_seat")
    assert with_viewer(message, game.table, token("bot 1")).viewer_seat == 1
    assert not with_viewer(message, game.table, token("Leo")).HasField("viewer_seat")
