"""A lobby without network: its rooms and bots are made up, its clock stands still."""

from __future__ import annotations

import asyncio
import secrets
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from genial.engine.shuffle import nonce_hash
from genial.services.lobby.handler import LobbyHandler
from genial.services.lobby.lobby import Lobby, LobbySettings
from genial.services.lobby.store import COMPONENT, LobbyStore
from genial.services.peers import service_call
from genial.services.store import Database
from genial.v1 import bot_service_pb2, game_pb2, room_service_pb2, table_pb2
from genial.v1 import lobby_service_pb2 as pb
from genial.wire.errors import GenialError, Reason
from genial.wire.metadata import SEAT_TOKEN, new_seat_token
from genial.wire.serving import Call
from tests.services.lobby.tables import START, Chance
from tests.services.waiting import until

SECRET = "between services"


class Rooms:
    """Rooms that do what they are told and report what the test says."""

    def __init__(self) -> None:
        self.created: dict[str, room_service_pb2.CreateRoomRequest] = {}
        self.commands: list[room_service_pb2.CommandRoomRequest] = []
        self.reports: dict[str, room_service_pb2.RoomReport] = {}
        self.faults: list[GenialError] = []
        self._listeners: list[asyncio.Queue[room_service_pb2.RoomReport]] = []

    async def create_room(
        self, request: room_service_pb2.CreateRoomRequest
    ) -> room_service_pb2.CreateRoomResponse:
        self._fail()
        known = self.created.setdefault(request.game_id, request)
        assert known == request, "a repeat must be the same again"
        return room_service_pb2.CreateRoomResponse(revision=2, first_seat=request.first_seat)

    async def command_room(
        self, request: room_service_pb2.CommandRoomRequest
    ) -> room_service_pb2.CommandRoomResponse:
        self._fail()
        self.commands.append(request)
        return room_service_pb2.CommandRoomResponse(revision=9)

    async def get_room(
        self, request: room_service_pb2.GetRoomRequest
    ) -> room_service_pb2.GetRoomResponse:
        if request.game_id not in self.reports:
            raise GenialError(Reason.UNKNOWN_GAME, game=request.game_id)
        return room_service_pb2.GetRoomResponse(room=self.reports[request.game_id])

    async def watch_rooms(
        self, request: room_service_pb2.WatchRoomsRequest
    ) -> AsyncIterator[room_service_pb2.WatchRoomsResponse]:
        queue: asyncio.Queue[room_service_pb2.RoomReport] = asyncio.Queue()
        self._listeners.append(queue)
        yield room_service_pb2.WatchRoomsResponse()
        while True:
            yield room_service_pb2.WatchRoomsResponse(rooms=[await queue.get()])

    def _fail(self) -> None:
        if self.faults:
            raise self.faults.pop(0)

    def say(self, **report: Any) -> None:
        """A room reports; listeners of lobbies that are gone hear it in vain."""
        message = room_service_pb2.RoomReport(**report)
        self.reports[message.game_id] = message
        for queue in self._listeners:
            queue.put_nowait(message)

    def finish(
        self, game_id: str, *ranking: list[int], reason: int = game_pb2.END_REASON_BOARD_FULL
    ) -> None:
        """A game is over."""
        created = self.created[game_id]
        self.say(
            game_id=game_id,
            table_id=created.table_id,
            state=game_pb2.GAME_STATE_FINISHED,
            end_reason=reason,
            ranking=[game_pb2.RankGroup(seats=seats) for seats in ranking],
            tracks=[game_pb2.Track(counters=[7, 8, 9, 10, 11, 12])] * created.rules.players,
        )


class Bots:
    """A bots service whose bots sit down and watch, as real ones do."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, str]] = []
        self.removed: list[int] = []
        self.tokens: dict[int, str] = {}
        self.handler: LobbyHandler | None = None
        self.watching: dict[int, asyncio.Task[None]] = {}

    async def list_bot_levels(
        self, request: bot_service_pb2.ListBotLevelsRequest, call: Call
    ) -> bot_service_pb2.ListBotLevelsResponse:
        levels = [bot_service_pb2.BotLevel(level=level) for level in ("easy", "medium")]
        return bot_service_pb2.ListBotLevelsResponse(levels=levels)

    async def seat_bot(
        self, request: bot_service_pb2.SeatBotRequest, call: Call
    ) -> bot_service_pb2.SeatBotResponse:
        self.asked.append((request.seat, request.level))
        token = self.tokens.setdefault(request.seat, new_seat_token())
        assert self.handler is not None
        await self.handler.join_table(
            pb.JoinTableRequest(
                request_id=request.request_id,
                table_id=request.table_id,
                seat=request.seat,
                bot_level=request.level,
            ),
            service_call(SECRET, token),
        )
        self.watching[request.seat] = asyncio.create_task(self._watch(request.table_id, token))
        return bot_service_pb2.SeatBotResponse(seat=request.seat)

    async def _watch(self, table_id: str, token: str) -> None:
        assert self.handler is not None
        async for _ in self.handler.watch_table(
            pb.WatchTableRequest(table_id=table_id), Call({SEAT_TOKEN: token})
        ):
            pass

    async def remove_bot(
        self, request: bot_service_pb2.RemoveBotRequest, call: Call
    ) -> bot_service_pb2.RemoveBotResponse:
        self.removed.append(request.seat)
        watching = self.watching.pop(request.seat, None)
        if watching is not None:
            watching.cancel()
        return bot_service_pb2.RemoveBotResponse()


class Host:
    """Says who it is."""

    def describe(self) -> table_pb2.Host:
        return table_pb2.Host(host_id="h", name="Test")


@dataclass
class World:
    """A running lobby and what surrounds it."""

    lobby: Lobby
    handler: LobbyHandler
    rooms: Rooms
    bots: Bots
    clock: list[int]
    database: Database

    async def wait(self, ms: int) -> None:
        """Time passes."""
        self.clock[0] += ms
        await self.lobby.tick()


@dataclass
class Player:
    """Somebody with a token at a table; `watch` makes them present."""

    world: World
    name: str
    table_id: str
    token: str = field(default_factory=new_seat_token)
    seat: int = -1
    last: pb.WatchTableResponse = field(default_factory=pb.WatchTableResponse)
    seen: list[pb.WatchTableResponse] = field(default_factory=list)
    watching: asyncio.Task[None] | None = None

    @property
    def call(self) -> Call:
        return Call({SEAT_TOKEN: self.token})

    @property
    def table(self) -> table_pb2.Table:
        return self.last.table

    async def join(self, **request: Any) -> pb.JoinTableResponse:
        response = await self.world.handler.join_table(
            pb.JoinTableRequest(
                request_id=rid(), table_id=self.table_id, name=self.name, **request
            ),
            self.call,
        )
        self.seat = response.seat
        return response

    async def watch(self, after_chat: int = 0) -> None:
        """Watches until `leave_stream`; returns once the seat shows as connected."""

        async def follow() -> None:
            async for message in self.world.handler.watch_table(
                pb.WatchTableRequest(table_id=self.table_id, after_chat=after_chat), self.call
            ):
                self.seen.append(message)
                if message.HasField("table"):
                    self.last = message

        self.watching = asyncio.create_task(follow())
        # Tests that expect the stream to be refused await it themselves.
        self.watching.add_done_callback(lambda task: task.cancelled() or task.exception())
        await until(lambda: self.table.seats and self.table.seats[self.seat].connected)

    async def stop_watching(self) -> None:
        assert self.watching is not None
        self.watching.cancel()
        await asyncio.gather(self.watching, return_exceptions=True)

    async def do(self, rpc: str, **request: Any) -> Any:
        """Any command of the lobby's by its method's name."""
        name = "".join(part.title() for part in rpc.split("_"))
        message = getattr(pb, f"{name}Request")(request_id=rid(), table_id=self.table_id, **request)
        return await getattr(self.world.handler, rpc)(message, self.call)


async def answer_deal(*players: Player) -> None:
    """All players commit and reveal, as their clients do by themselves."""
    table = players[0].table
    deal = {"game_number": table.game_number, "deal": table.shuffle.deal}
    nonces = {player.seat: bytes([player.seat + 1]) * 32 for player in players}
    for player in players:
        await player.do("commit_nonce", nonce_hash=nonce_hash(nonces[player.seat]), **deal)
    for player in players:
        await player.do("reveal_nonce", nonce=nonces[player.seat], **deal)
    await until(lambda: players[0].table.state == table_pb2.TABLE_STATE_ACTIVE)


def rid() -> str:
    """A fresh request id."""
    return str(uuid.uuid4())


def rules(players: int = 2, **changes: Any) -> game_pb2.Rules:
    """Rules as a message."""
    fields: dict[str, Any] = {
        "preset": game_pb2.PRESET_GENIAL,
        "mode": game_pb2.MODE_FREE,
        "players": players,
        "leaving": game_pb2.LEAVING_BOT,
    }
    return game_pb2.Rules(**(fields | changes))


def create_request(players: int = 2, **options: Any) -> pb.CreateTableRequest:
    """A request for a table; `bot_levels`, `name`, `password` go beside the options."""
    beside = {key: options.pop(key) for key in ("bot_levels", "name", "password") if key in options}
    options.setdefault("rules", rules(players))
    options.setdefault("first", table_pb2.FirstSeat(named=0))
    return pb.CreateTableRequest(
        request_id=rid(), options=table_pb2.TableOptions(**options), **beside
    )


async def people_at_a_table(world: World, *names: str, **options: Any) -> list[Player]:
    """People who sit at a new table and watch it."""
    created = await world.handler.create_table(create_request(len(names), **options), Call())
    players = [Player(world, name, created.table.table_id) for name in names]
    for player in players:
        await player.join()
        await player.watch()
    return players


async def people_in_a_game(world: World, *names: str, **options: Any) -> list[Player]:
    """People whose game has just begun."""
    players = await people_at_a_table(world, *names, **options)
    for player in players:
        await player.do("set_ready", ready=True)
    await until(lambda: players[0].table.state == table_pb2.TABLE_STATE_DEALING)
    await answer_deal(*players)
    return players


@asynccontextmanager
async def world_at(
    folder: Path,
    rooms: Rooms | None = None,
    clock: list[int] | None = None,
    settings: LobbySettings | None = None,
    bots: Bots | None = None,
) -> AsyncIterator[World]:
    """A lobby over a real database; open it twice to see a restart."""
    database = await Database.open(folder / "genial.db", [COMPONENT])
    rooms, bots, clock = rooms or Rooms(), bots or Bots(), clock or [START]
    lobby = Lobby(
        LobbyStore(database),
        rooms,
        bots,
        SECRET,
        settings,
        chance=_UniqueChance(),
        now=lambda: clock[0],
    )
    bots.handler = handler = LobbyHandler(lobby, Host())
    await lobby.start(timers=False)
    try:
        yield World(lobby, handler, rooms, bots, clock, database)
    finally:
        lobby.announce_closing(game_pb2.HostClosing(returning=True))
        for watching in bots.watching.values():
            watching.cancel()
        await lobby.close()
        await database.close()


class _UniqueChance(Chance):
    """Never the same again, not even after a restart within one test."""

    def new_id(self) -> str:
        return str(uuid.uuid4())

    def secret(self) -> bytes:
        return secrets.token_bytes(32)
