"""Passwords of tables: needed once, not guessed at leisure, and not got round."""

from __future__ import annotations

from pathlib import Path

import pytest

from genial.services.limits import Limits
from genial.services.lobby import wording
from genial.services.lobby.passwords import TablePasswords
from genial.v1 import lobby_service_pb2 as pb
from genial.v1 import table_pb2
from genial.wire.errors import GenialError, Reason
from genial.wire.serving import Call
from tests.services.lobby.lobbies import Player, answer_deal, create_request, world_at
from tests.services.waiting import until

STORED = wording.hash_password("sesame")
GUEST, OTHER = Call(peer="ipv4:10.0.0.7:5000"), Call(peer="ipv4:10.0.0.8:5000")


def refusal(passwords: TablePasswords, password: str, call: Call = GUEST) -> str | None:
    try:
        passwords.check(password, STORED, call)
    except GenialError as error:
        return error.reason
    return None


def test_guesses_run_out_for_that_address_alone() -> None:
    now = [0.0]
    passwords = TablePasswords(Limits(wrong_passwords_per_minute=2), lambda: now[0])
    assert [refusal(passwords, guess) for guess in ("a", "b", "sesame")] == [
        Reason.BAD_TABLE_PASSWORD, Reason.BAD_TABLE_PASSWORD, Reason.TOO_MANY_GUESSES,
    ]  # fmt: skip
    assert refusal(passwords, "sesame", OTHER) is None
    now[0] = 60.0
    assert refusal(passwords, "sesame") is None


def test_asking_without_one_is_no_guess() -> None:
    passwords = TablePasswords(Limits(wrong_passwords_per_minute=1), lambda: 0.0)
    for _ in range(5):
        assert refusal(passwords, "") == Reason.BAD_TABLE_PASSWORD
    assert refusal(passwords, "sesame") is None


def test_who_was_right_does_not_wait_again(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = TablePasswords(Limits(), lambda: 0.0)
    assert refusal(passwords, "sesame") is None
    monkeypatch.setattr(wording, "is_password", lambda *_: pytest.fail("hashed again"))
    assert refusal(passwords, "sesame") is None


def test_no_password_is_asked_where_none_is_set() -> None:
    TablePasswords(Limits(), lambda: 0.0).check("", None, GUEST)


async def test_the_seat_needs_it_once_and_spectators_too(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        request = create_request(password="sesame")
        table_id = (await world.handler.create_table(request, Call())).table.table_id
        ana = Player(world, "Ana", table_id)
        with pytest.raises(GenialError, match="not the password of this table"):
            await ana.join()
        await ana.join(password="sesame")
        await ana.join()
        watch = pb.WatchTableRequest(table_id=table_id)
        with pytest.raises(GenialError, match="not the password of this table"):
            await anext(aiter(world.handler.watch_table(watch, GUEST)))
        watch.password = "sesame"
        seen = world.handler.watch_table(watch, GUEST)
        assert (await anext(aiter(seen))).table.options.has_password
        assert await ana.do("send_chat", text="hello")
        chat = pb.SendChatRequest(request_id=request.request_id, table_id=table_id, text="x")
        with pytest.raises(GenialError, match="not the password of this table"):
            await world.handler.send_chat(chat, GUEST)


async def test_its_games_are_not_open_to_whoever_knows_their_ids(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        request = create_request(password="sesame")
        table_id = (await world.handler.create_table(request, Call())).table.table_id
        players = [Player(world, name, table_id) for name in ("Ana", "Max")]
        for player in players:
            await player.join(password="sesame")
            await player.watch()
        for player in players:
            await player.do("set_ready", ready=True)
        await until(lambda: players[0].table.state == table_pb2.TABLE_STATE_DEALING)
        await answer_deal(*players)
        (room,) = world.rooms.created.values()
        assert room.spectators_forbidden
