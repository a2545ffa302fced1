"""A host in virtual time with a table and a running game, and messages that make sense there."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from genial.client.session import Session
from genial.engine.board import axial_of
from genial.engine.rules import Rules
from genial.engine.shuffle import SCHEME, commitment, nonce_hash
from genial.services.lobby.table import Times
from genial.v1 import (
    bot_service_pb2,
    game_pb2,
    game_service_pb2,
    history_service_pb2,
    lobby_service_pb2,
    room_service_pb2,
    table_pb2,
)
from genial.v1.room_service_pb2_grpc import RoomServiceStub
from genial.wire.errors import Reason, from_rpc_error
from genial.wire.metadata import AUTHORIZATION, SEAT_TOKEN, WATCHER, bearer, new_seat_token
from genial.wire.values import cell_to_message, rules_to_message
from tests.simulation.chance import Chance
from tests.simulation.disk import Disk
from tests.simulation.host import SECRET, SimulatedHost
from tests.simulation.network import Entries, Faults, Journal, Line, Network
from tests.simulation.people import Ending, Habits, Person

RPCS: Final[tuple[MethodDescriptor, ...]] = tuple(
    rpc
    for module, name in (
        (lobby_service_pb2, "LobbyService"),
        (game_service_pb2, "GameService"),
        (history_service_pb2, "HistoryService"),
        (bot_service_pb2, "BotService"),
        (room_service_pb2, "RoomService"),
    )
    for rpc in module.DESCRIPTOR.services_by_name[name].methods
)
"""Every rpc of the contract."""

_HASH: Final = bytes(range(32))


class Idler(Person):
    """Somebody who gets ready, and then only looks."""

    def next_action(self, session: Session) -> Callable[[], Awaitable[object]] | None:
        table, seat = session.table, session.seat
        if seat is None or table.state != table_pb2.TABLE_STATE_OPEN or table.game_id:
            return None
        return None if table.seats[seat].ready else session.set_ready


class Target:
    """A host that is called with rubbish.

    Attributes:
        table_id: Of a table where a game runs, or did until somebody broke it off.
        tokens: Of those who sit there.
        journal: `broken` holds what must never be.
    """

    def __init__(self, seed: int) -> None:
        self.chance = Chance(seed)
        self.source = self.chance.source("rubbish")
        self.journal = Journal()
        self.network = Network(self.journal)
        self.disk = Disk(self.chance.source("disk"))
        self.host = SimulatedHost(
            self.disk, self.network, self.chance.source("host"), self._play_bot, Times()
        )
        self.host.downtime = lambda: 0.1
        self.table_id = self.game_id = ""
        self.tokens: list[str] = []
        self.line = self._line("who sends rubbish")
        self.channel = self.line.channel()
        self._people: list[Idler] = []
        self._rooms = RoomServiceStub(self.channel)

    def _line(self, name: str) -> Line:
        line = Line(self.network, name, Faults(0.0002), self.chance.source(name))
        # The limits of each address are tested elsewhere; here they would be all that answers.
        line.peer = "ipv4:127.0.0.1:40000"
        return line

    async def _play_bot(self, job: object) -> None:
        """Bots of the host's stay away."""

    # --- a game to be disturbed ---

    async def begin_game(self) -> None:
        """A new table with a running game."""
        for person in self._people:
            await person.gone()
        number = len(self.network.lines)
        self._people = [
            Idler(
                name,
                self._line(f"{name} {number}"),
                self.chance.source(f"{name} {number}"),
                Habits(0, Ending.PLAY_ON, pause=0.01),
                self.disk.durable_revision,
            )
            for name in ("Ana", "Max")
        ]
        link = await self._people[0].link()
        options = table_pb2.TableOptions(
            rules=rules_to_message(Rules(players=2)), first=table_pb2.FirstSeat(named=0)
        )
        self.table_id = (await link.create_table(options)).table_id
        for person in self._people:
            person.come(self.table_id)
        async with asyncio.timeout(60):
            while not all(person.shown for person in self._people):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        (self.game_id,) = self._people[0].shown
        sessions = [person.session for person in self._people]
        self.tokens = [session._token or "" for session in sessions if session is not None]

    async def room_lives(self) -> bool:
        """Whether the room of the game still judges; False once the game is over.

        It is asked for something that there is not, so that nothing changes.

        Raises:
            AssertionError: It does not.
        """
        request = room_service_pb2.CommandRoomRequest(
            request_id=str(uuid.uuid4()), game_id=self.game_id
        )
        request.pause.paused = True
        try:
            async with asyncio.timeout(10):
                await self._rooms.CommandRoom(request, metadata=(bearer(SECRET),))
        except grpc.aio.AioRpcError as error:
            refused = from_rpc_error(error)
            assert refused.reason == Reason.NO_CLOCK, refused
        else:
            raise AssertionError("a game without clocks was paused")
        found = await self._rooms.GetRoom(
            room_service_pb2.GetRoomRequest(game_id=self.game_id), metadata=(bearer(SECRET),)
        )
        return found.room.state == game_pb2.GAME_STATE_RUNNING

    async def restart(self) -> None:
        """The host dies, and finds on the disk whatever it has let in."""
        self.host.die()
        await self.host.running.wait()

    async def gone(self) -> None:
        """Nothing runs any more."""
        for person in self._people:
            await person.gone()
        await self.host.gone()
        self.disk.close()

    # --- calls ---

    def metadata(self) -> Entries:
        """Who calls: mostly somebody of the table, sometimes nobody or nonsense."""
        source = self.source
        entries: list[tuple[str, str]] = []
        token = source.choice((None, *self.tokens, *self.tokens, new_seat_token(), "x", "A" * 5000))
        if token is not None:
            entries.append((SEAT_TOKEN, token))
        secret = source.choice((None, None, SECRET, "wrong", ""))
        if secret is not None:
            entries.append(bearer(secret) if secret else (AUTHORIZATION, "Basic nonsense"))
        if source.random() < 0.1:
            entries.append((WATCHER, source.choice(("a 1", "a", "a -5", "a 99999999999", "  "))))
        return tuple(entries)

    def sensible(self, rpc: MethodDescriptor) -> Message:
        """A request that could be granted."""
        message: Any = GetMessageClass(rpc.input_type)()
        for field in message.DESCRIPTOR.fields:
            make = _SENSIBLE.get(field.name)
            if make is not None:
                make(self, message)
        return message  # type: ignore[no-any-return]

    async def answer(self, rpc: MethodDescriptor, data: bytes, metadata: Entries) -> str:
        """Calls with bytes; the code of the answer, or what stands for a stream that stands."""
        path = f"/{rpc.containing_service.full_name}/{rpc.name}"
        try:
            async with asyncio.timeout(5):
                if not rpc.server_streaming:
                    method: Any = self.channel.unary_unary(path, bytes, bytes)
                    await method(data, metadata=metadata)
                    return "OK"
                stream: Any = self.channel.unary_stream(path, bytes, bytes)
                messages = stream(data, metadata=metadata)
                try:
                    await anext(messages)
                finally:
                    messages.cancel()
                return "stream"
        except grpc.aio.AioRpcError as error:
            return error.code().name
        except StopAsyncIteration:
            return "ended"


def _text(name: str, make: Callable[[Target], Any]) -> Callable[[Target, Any], None]:
    def fill(target: Target, message: Any) -> None:
        setattr(message, name, make(target))

    return fill


def _fill_tile(target: Target, message: Any) -> None:
    update = target._people[0].shown.get(target.game_id)
    if update is None or not update.view.rack:
        return
    message.tile = str(target.source.choice(update.view.rack))
    pairs = update.view.legal_pairs()
    if pairs:
        cells = target.source.choice(pairs)
        message.cells.extend(cell_to_message(axial_of(index)) for index in cells)


def _fill_seats(target: Target, message: Any) -> None:
    for seat in range(2):
        message.seats.add(
            seat=seat, name=f"P{seat}", kind=game_pb2.SEAT_KIND_HUMAN, token_hash=bytes([seat]) * 32
        )


def _fill_shuffle(target: Target, message: Any) -> None:
    message.shuffle.scheme = SCHEME
    message.shuffle.deal = 1
    message.shuffle.seed = _HASH
    message.shuffle.commitment = commitment(_HASH)
    message.shuffle.nonces.extend([_HASH, _HASH[::-1]])
    message.shuffle.nonce_hashes.extend([nonce_hash(_HASH), nonce_hash(_HASH[::-1])])


def _fill_options(target: Target, message: Any) -> None:
    message.options.rules.CopyFrom(rules_to_message(Rules(players=2)))
    message.options.first.named = 0


def _fill_command(target: Target, message: Any) -> None:
    message.end_early.reason = game_pb2.END_REASON_ABANDONED


def _fill_seat(target: Target, message: Any) -> None:
    field = message.DESCRIPTOR.fields_by_name["seat"]
    if field.message_type is None and target.source.random() < 0.5:
        message.seat = target.source.randrange(2)


def _revision(target: Target) -> int:
    update = target._people[0].shown.get(target.game_id)
    return 0 if update is None else update.revision


_SENSIBLE: Final[dict[str, Callable[[Target, Any], None]]] = {
    "request_id": _text("request_id", lambda target: str(uuid.uuid4())),
    "table_id": _text("table_id", lambda target: target.table_id),
    "game_id": _text("game_id", lambda target: target.game_id),
    "name": _text("name", lambda target: "Eva"),
    "text": _text("text", lambda target: "hello"),
    "level": _text("level", lambda target: "medium"),
    "expected_revision": _text("expected_revision", _revision),
    "nonce_hash": _text("nonce_hash", lambda target: nonce_hash(_HASH)),
    "nonce": _text("nonce", lambda target: _HASH),
    "page_size": _text("page_size", lambda target: 10),
    "seat": _fill_seat,
    "tile": _fill_tile,
    "seats": _fill_seats,
    "shuffle": _fill_shuffle,
    "options": _fill_options,
    "rules": lambda target, message: message.rules.CopyFrom(rules_to_message(Rules(players=2))),
    "end_early": _fill_command,
}
