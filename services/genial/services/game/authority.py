"""All rooms of a host: made, found, brought back after a restart, reported on, closed.

`Authority` is also how services in the same process ask for rooms: its methods are
RoomService's, with the same messages, and nothing between. `Rooms` is that surface, so
that the lobby need not know whether the rooms are here or behind an address.
"""

from __future__ import annotations

import asyncio
import gc
import logging
from collections import OrderedDict
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from genial.engine.moves import Command, EndEarly, Resign, SkipTurn, TakeOverSeat
from genial.engine.record import Record, TimedEvent, render
from genial.services.game.log import DamagedLogError, GameLog, Holder, StoredGame
from genial.services.game.room import Freeze, Pause, Room, TableCommand, Times
from genial.services.game.setup import Setup, moment_text, seat_from_message
from genial.services.store import StorageError
from genial.v1 import game_pb2, room_service_pb2
from genial.wire.errors import GenialError, Reason, malformed
from genial.wire.requests import identifier, request_id
from genial.wire.values import END_REASONS

log = logging.getLogger(__name__)

_CLOCK_STORED_EVERY_S: Final = 1.0
"""So much thinking time, at most, is given back to a player when the host is killed."""


_LOADED_AT_ONCE: Final = 50
"""Games that are read in one go after a start; who asks for one waits for no more than these."""

_MANY: Final = 100
"""Games of which it is worth while to tell Python that they are all there to stay."""


@dataclass(frozen=True, slots=True)
class GameSettings:
    """What whoever runs the host may set.

    Attributes:
        software: Name and version, for the headers of records.
        most_watchers: Streams of one game.
        most_archived: Finished games kept in memory.
    """

    software: str = "genial-lan"
    most_watchers: int = 256
    most_archived: int = 32


class Rooms(Protocol):
    """RoomService as other services call it; every method raises `GenialError`."""

    async def create_room(
        self, request: room_service_pb2.CreateRoomRequest
    ) -> room_service_pb2.CreateRoomResponse:
        """Deals and opens a room; the same again changes nothing."""
        ...

    async def command_room(
        self, request: room_service_pb2.CommandRoomRequest
    ) -> room_service_pb2.CommandRoomResponse:
        """What the table decides about a game."""
        ...

    async def get_room(
        self, request: room_service_pb2.GetRoomRequest
    ) -> room_service_pb2.GetRoomResponse:
        """One room, running or over."""
        ...

    async def get_room_record(
        self, request: room_service_pb2.GetRoomRecordRequest
    ) -> room_service_pb2.GetRoomRecordResponse:
        """The record of a game, running or over."""
        ...

    def watch_rooms(
        self, request: room_service_pb2.WatchRoomsRequest
    ) -> AsyncGenerator[room_service_pb2.WatchRoomsResponse, None]:
        """Every running room now, then each change of one."""
        ...


class Authority:
    """All rooms of a host. `start` it before use, `close` it at the end."""

    def __init__(self, store: GameLog, settings: GameSettings, times: Times) -> None:
        self._log = store
        self._times = times
        self.settings: Final = settings
        self._running: dict[str, Room] = {}
        self._archive: OrderedDict[str, Room] = OrderedDict()
        self._damaged: dict[str, str] = {}
        self._creating = asyncio.Lock()
        self._listeners: dict[_Listener, None] = {}
        self._closing: game_pb2.HostClosing | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._all_back = asyncio.Event()

    async def start(self) -> None:
        """Begins to bring back every running game, each to the state of its last event.

        Nobody has to wait for all of them: whoever asks for a game gets it at once, the
        rest follow one by one. A game whose log is damaged is named in the host's log and
        left out; the others go on.

        Raises:
            StorageError: The log cannot be read.
        """
        game_ids = await self._log.running()
        self._tasks = [
            asyncio.create_task(self._bring_back(game_ids), name="bring back games"),
            asyncio.create_task(self._keep_clocks(), name="keep clocks"),
        ]

    async def close(self, closing: game_pb2.HostClosing) -> None:
        """Says good-bye to every watcher, after what was accepted is done."""
        self._closing = closing
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._all_back.set()
        rooms = [*self._running.values(), *self._archive.values()]
        try:
            await self._store_clocks()
        except StorageError as fault:
            log.warning("clocks could not be stored: %s", fault)
        await asyncio.gather(*(room.close(closing) for room in rooms))
        for listener in self._listeners:
            listener.wake.set()

    async def room(self, game_id: str) -> Room:
        """The room of a game, fetched from the log if the game is over.

        Raises:
            GenialError: MALFORMED, UNKNOWN_GAME, GAME_DAMAGED, or the storage's.
        """
        room = self._running.get(game_id)
        if room is not None:
            return room
        identifier(game_id, "game_id")
        if game_id in self._damaged:
            raise GenialError(Reason.GAME_DAMAGED, game=game_id, fault=self._damaged[game_id])
        room = self._archive.get(game_id)
        if room is not None:
            self._archive.move_to_end(game_id)
            return room
        return await self._fetch(game_id)

    # --- RoomService, in process ---

    async def create_room(
        self, request: room_service_pb2.CreateRoomRequest
    ) -> room_service_pb2.CreateRoomResponse:
        """See `Rooms`.

        Raises:
            GenialError: MALFORMED; GAME_DIFFERENT, if the id is taken by another game;
                or the storage's.
        """
        setup = Setup.of(request, self._times.utc())
        async with self._creating:
            room = await self._create(setup)
        if room.setup.request != request:
            raise GenialError(Reason.GAME_DIFFERENT)
        return room_service_pb2.CreateRoomResponse(
            revision=room.publication.revision, first_seat=room.publication.game.first_seat
        )

    async def command_room(
        self, request: room_service_pb2.CommandRoomRequest
    ) -> room_service_pb2.CommandRoomResponse:
        """See `Rooms`.

        Raises:
            GenialError: MALFORMED, UNKNOWN_GAME, the engine's refusal, NO_CLOCK, or the
                storage's.
        """
        name = request_id(request.request_id)
        room = await self.room(request.game_id)
        command, holder = _table_command(request)
        answer = await room.command(command, name, holder=holder)
        return room_service_pb2.CommandRoomResponse.FromString(answer)

    async def get_room(
        self, request: room_service_pb2.GetRoomRequest
    ) -> room_service_pb2.GetRoomResponse:
        """See `Rooms`."""
        room = await self.room(request.game_id)
        return room_service_pb2.GetRoomResponse(room=room.report())

    async def get_room_record(
        self, request: room_service_pb2.GetRoomRecordRequest
    ) -> room_service_pb2.GetRoomRecordResponse:
        """See `Rooms`."""
        room = await self.room(request.game_id)
        return room_service_pb2.GetRoomRecordResponse(record=self.record(room))

    async def watch_rooms(
        self, request: room_service_pb2.WatchRoomsRequest
    ) -> AsyncGenerator[room_service_pb2.WatchRoomsResponse, None]:
        """See `Rooms`. Changes that come faster than they are read fall into one."""
        await self._all_back.wait()
        listener = _Listener(dict(self._running))
        self._listeners[listener] = None
        try:
            yield listener.take()
            while self._closing is None:
                await listener.wake.wait()
                listener.wake.clear()
                if listener.changed:
                    yield listener.take()
        finally:
            self._listeners.pop(listener, None)

    # --- for the services beside ---

    def record(self, room: Room) -> bytes:
        """The record of a game as it stands, UTF-8; the seed only once it is over."""
        publication = room.publication
        if publication.record is not None:
            return publication.record
        over = publication.game.is_over
        record = Record(
            room.setup.record_header(publication.game.first_seat, self.settings.software),
            tuple(
                TimedEvent(n, told.event(), moment_text(told.at_ms))
                for n, told in enumerate(publication.told, 1)
            ),
            room.setup.seed if over else None,
        )
        rendered = render(record).encode()
        if over:
            # At the end everybody at the table asks for it at once.
            publication.record = rendered
        return rendered

    # --- within ---

    async def _create(self, setup: Setup) -> Room:
        try:
            return await self.room(setup.game_id)
        except GenialError as error:
            if error.reason != Reason.UNKNOWN_GAME:
                raise
        if self._closing is not None:
            raise GenialError(Reason.HOST_CLOSING)
        room = await Room.create(self._log, self._times, setup)
        found = self._running.get(setup.game_id)
        if found is not None:
            # Somebody asked for it the moment it was on the disk; there must not be two.
            return found
        self._take_in(room)
        self._report(room)
        return room

    async def _fetch(self, game_id: str) -> Room:
        try:
            stored = await self._log.load(game_id)
            if stored is None:
                raise GenialError(Reason.UNKNOWN_GAME, game=game_id)
            room = Room.reopen(self._log, self._times, stored)
        except DamagedLogError as fault:
            self._name_damage(game_id, fault)
            raise GenialError(Reason.GAME_DAMAGED, game=game_id, fault=str(fault)) from fault
        found = self._running.get(game_id) or self._archive.get(game_id)
        if found is not None:
            # Somebody else fetched it meanwhile; there must not be two.
            return found
        self._take_in(room)
        return room

    def _take_in(self, room: Room) -> None:
        room.on_change = self._changed
        game_id = room.setup.game_id
        if not room.publication.game.is_over:
            self._running[game_id] = room
            return
        self._running.pop(game_id, None)
        self._archive[game_id] = room
        self._archive.move_to_end(game_id)
        idle = (key for key, kept in self._archive.items() if not kept.busy)
        for key in [*idle][: max(0, len(self._archive) - self.settings.most_archived)]:
            del self._archive[key]

    def _changed(self, room: Room) -> None:
        if room.publication.game.is_over and room.setup.game_id in self._running:
            self._take_in(room)
        self._report(room)

    def _report(self, room: Room) -> None:
        for listener in self._listeners:
            listener.changed[room.setup.game_id] = room
            listener.wake.set()

    async def _bring_back(self, game_ids: Sequence[str]) -> None:
        with _here_to_stay(len(game_ids)):
            await self._read_all(game_ids)
        self._all_back.set()

    async def _read_all(self, game_ids: Sequence[str]) -> None:
        for first in range(0, len(game_ids), _LOADED_AT_ONCE):
            some = game_ids[first : first + _LOADED_AT_ONCE]
            try:
                loaded = await self._log.load_many(some)
            except StorageError:
                # One of them may have spoilt it for the others.
                await self._read_singly(some)
            else:
                for game_id, stored in loaded:
                    self._reopen(game_id, stored)

    async def _read_singly(self, game_ids: Sequence[str]) -> None:
        for game_id in game_ids:
            try:
                await self.room(game_id)
            except GenialError as fault:
                if fault.reason != Reason.GAME_DAMAGED:
                    # It is tried again when somebody asks for it.
                    log.error("game %s could not be brought back: %s", game_id, fault)

    def _reopen(self, game_id: str, stored: StoredGame | DamagedLogError) -> None:
        """Takes a game in that was just read, unless somebody has asked for it meanwhile."""
        if game_id in self._running or game_id in self._archive or game_id in self._damaged:
            return
        try:
            if isinstance(stored, DamagedLogError):
                raise stored
            self._take_in(Room.reopen(self._log, self._times, stored))
        except DamagedLogError as fault:
            self._name_damage(game_id, fault)

    def _name_damage(self, game_id: str, fault: DamagedLogError) -> None:
        log.error("game %s cannot go on: %s", game_id, fault)
        self._damaged[game_id] = str(fault)

    async def _keep_clocks(self) -> None:
        while True:
            await asyncio.sleep(_CLOCK_STORED_EVERY_S)
            try:
                await self._store_clocks()
            except StorageError as fault:
                # The next turn stores them again; the host's own log has the reason.
                log.warning("clocks could not be stored: %s", fault)

    async def _store_clocks(self) -> None:
        states = [
            (game_id, room.publication.revision, state)
            for game_id, room in self._running.items()
            if (state := room.clock_state()) is not None
        ]
        if states:
            await self._log.store_clocks(states)


@contextmanager
def _here_to_stay(games: int) -> Iterator[None]:
    """Makes the objects of so many games without looking for rubbish among them.

    That search would take a third of the time of a start with a thousand games. Nor are they
    looked through later on: they go when nobody refers to them any more, as most objects do.
    """
    if games < _MANY or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class _Listener:
    """One who watches all rooms, and what changed since they were last told."""

    def __init__(self, changed: dict[str, Room]) -> None:
        self.changed = changed
        self.wake = asyncio.Event()

    def take(self) -> room_service_pb2.WatchRoomsResponse:
        """The reports due, as of now."""
        rooms = list(self.changed.values())
        self.changed.clear()
        return room_service_pb2.WatchRoomsResponse(rooms=[room.report() for room in rooms])


def _take_over(
    message: room_service_pb2.TakeOverSeat,
) -> tuple[Command, Holder]:
    seat = seat_from_message(message.seat, "take_over.seat")
    number = message.seat.seat
    return (
        TakeOverSeat(number, seat.name, seat.kind, seat.level),
        Holder(number, message.seat.token_hash),
    )


def _table_command(
    request: room_service_pb2.CommandRoomRequest,
) -> tuple[TableCommand, Holder | None]:
    match request.WhichOneof("command"):
        case "take_over":
            return _take_over(request.take_over)
        case "skip":
            return SkipTurn(request.skip.seat), None
        case "end_early":
            reason = END_REASONS.from_message(request.end_early.reason, "end_early.reason")
            return EndEarly(reason), None
        case "pause":
            return Pause(request.pause.paused), None
        case "freeze":
            return Freeze(request.freeze.frozen), None
        case "resign":
            return Resign(request.resign.seat), None
        case _:
            raise malformed("command", "must be given")
