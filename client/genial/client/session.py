"""The connection to a host and a seat at one of its tables, without a screen.

    link = await connect("10.0.0.7:7718", store=DiskStore())   # address, id or announced name
    table = await link.create_table(options, bot_levels=["medium"])
    session = await join(link, table.table_id, name="Ana")     # watch(link, id): no seat
    async for update in session.updates():
        match update:
            case GameChanged(view=view) if view.must_place:
                best = view.scored_placements()[0]
                await session.place_tile(best.tile, best.cells)
            case GameChanged(view=view) if view.is_my_turn:
                await session.refill()

Every failure is a `GenialError` whose `.sentence` can be shown as it is; a refused
command raises `RefusedError` with the host's `.reason`. A command whose answer is lost
is sent again with the same request id, so it is applied once. A session comes back by
itself after a lost line, says so by `ConnectionChanged`, and goes on with exactly the
events that it missed. It does its part of the verifiable deal by itself, and after the
game compares the record with what it saw: `DealVerdict`.

All state is in the objects: any number of sessions, over any number of links, may live
in one process and event loop.
"""

from __future__ import annotations

from typing import Any, Final

from genial.client.channel import new_request_id
from genial.client.errors import (
    AddressError,
    AmbiguousNameError,
    GenialError,
    HostUnreachableError,
    IncompatibleHostError,
    LimitError,
    NotFoundError,
    PasswordNeededError,
    RefusedError,
    SeatError,
    SessionClosedError,
    StaleRevisionError,
    StorageError,
    TrustError,
)
from genial.client.feed import Feed
from genial.client.link import HostLink, connect
from genial.client.store import DiskStore, HeldSeat, MemoryStore, Store
from genial.client.trust import Access
from genial.client.updates import (
    ChatArrived,
    ConnectionChanged,
    DealProgress,
    DealStep,
    DealVerdict,
    GameChanged,
    HostClosing,
    Link,
    Loss,
    NumberedEvent,
    RefusedUpdate,
    SeatLost,
    SessionEnded,
    TableChanged,
    Update,
)
from genial.engine.hexgrid import Axial
from genial.engine.tiles import Tile
from genial.v1 import bot_service_pb2 as bots
from genial.v1 import game_service_pb2 as games
from genial.v1 import lobby_service_pb2 as lobby
from genial.v1.table_pb2 import TableState
from genial.wire.values import cell_to_message

__all__ = [
    "Access",
    "AddressError",
    "AmbiguousNameError",
    "ChatArrived",
    "ConnectionChanged",
    "DealProgress",
    "DealStep",
    "DealVerdict",
    "DiskStore",
    "GameChanged",
    "GenialError",
    "HeldSeat",
    "HostClosing",
    "HostLink",
    "HostUnreachableError",
    "IncompatibleHostError",
    "LimitError",
    "Link",
    "Loss",
    "MemoryStore",
    "NotFoundError",
    "NumberedEvent",
    "PasswordNeededError",
    "RefusedError",
    "RefusedUpdate",
    "SeatError",
    "SeatLost",
    "Session",
    "SessionClosedError",
    "SessionEnded",
    "StaleRevisionError",
    "StorageError",
    "Store",
    "TableChanged",
    "TrustError",
    "Update",
    "connect",
    "join",
    "watch",
]


_RESIGN_ATTEMPTS: Final = 5
"""How often in a row a resignation is sent again because others have moved meanwhile."""


async def join(
    link: HostLink,
    table_id: str,
    *,
    name: str,
    seat: int | None = None,
    token: str | None = None,
    bot_level: str = "",
    password: str = "",
    keep_records: bool = True,
) -> Session:
    """Takes a seat, or goes back to the one that a stored token holds.

    Args:
        link: The line to the host.
        table_id: Which table.
        name: Who sits down; going back to a seat of the store needs the name it was
            taken under.
        seat: Which seat, 0-based; None: the first open one.
        token: The seat's token, for bots that are given one; None: the store's.
        bot_level: Set by bots: the level that they play at.
        password: Of the table; empty: it has none, or the seat is held already.
        keep_records: Whether to fetch, compare and keep the record after each game.

    Raises:
        NotFoundError: There is no such table.
        RefusedError: The table is full, closed, or does not take that name.
        StorageError: The token cannot be kept.
    """
    if token is None:
        memory = link.store.claim_seat(link.host.host_id, table_id, name)
    else:
        memory = MemoryStore().claim_seat(link.host.host_id, table_id, name)
        memory.token = token
    request = lobby.JoinTableRequest(
        request_id=new_request_id(),
        table_id=table_id,
        name=name,
        seat=seat,
        bot_level=bot_level,
        password=password,
    )
    try:
        # Kept before it is sent: a client that dies in between can still go back.
        memory.keep(name)
        answer = await link.call(link.lobby.JoinTable, request, token=memory.token)
    except BaseException as error:
        useless = isinstance(error, RefusedError) and not isinstance(error, LimitError)
        memory.release(forget=useless)
        raise
    session = Session(link, table_id, answer.seat, memory, keep_records=keep_records)
    session.start(answer.table)
    return session


async def watch(link: HostLink, table_id: str, *, keep_records: bool = False) -> Session:
    """Watches a table without a seat.

    Raises:
        NotFoundError: There is no such table.
        SeatError: It admits no spectators.
    """
    session = Session(link, table_id, None, None, keep_records=keep_records)
    session.start(await link.get_table(table_id))
    return session


class Session(Feed):
    """One table, seen from a seat or as a spectator; made by `join` and `watch`.

    `updates()` tells everything that changes; `seat`, `table` and `game` hold what was told last.
    """

    async def place_tile(self, tile: Tile, cells: tuple[Axial, Axial]) -> GameChanged:
        """Places a tile; `cells[0]` takes its first symbol.

        Returns:
            The game after it (the same comes through `updates`); where others have moved
            meanwhile, the newest state that is known.

        Raises:
            RefusedError: The rules do not allow it, or it is not one's turn.
            StaleRevisionError: The game has moved on since.
            HostUnreachableError: No answer; whether it was placed shows on reconnecting.
        """
        request = games.PlaceTileRequest(
            tile=str(tile), cells=[cell_to_message(cell) for cell in cells]
        )
        return await self._command(self.link.games.PlaceTile, request)

    async def exchange(self) -> GameChanged:
        """Ends the turn by exchanging the rack; see `place_tile`."""
        return await self._command(self.link.games.ExchangeRack, games.ExchangeRackRequest())

    async def refill(self) -> GameChanged:
        """Ends the turn by drawing up to a full rack; see `place_tile`."""
        return await self._command(self.link.games.RefillRack, games.RefillRackRequest())

    async def resign(self) -> GameChanged:
        """Gives the game up, on or off turn, whatever others have done meanwhile; see `place_tile`.

        Raises:
            RefusedError: There is nothing to give up any more.
            StaleRevisionError: Others move faster than this gets through.
        """
        revision: int | None = None
        for _attempt in range(_RESIGN_ATTEMPTS - 1):
            try:
                return await self._command(self.link.games.Resign, games.ResignRequest(), revision)
            except StaleRevisionError as error:
                revision = int(error.metadata["revision"])
        return await self._command(self.link.games.Resign, games.ResignRequest(), revision)

    async def set_ready(self, ready: bool = True) -> None:
        """Says that one is ready for the next game, or not yet."""
        await self._ask(self.link.lobby.SetReady, lobby.SetReadyRequest(ready=ready))

    async def start_game(self, bot_level: str = "") -> None:
        """Fills the open seats with bots (empty: medium) and gets ready."""
        await self._ask(self.link.lobby.StartGame, lobby.StartGameRequest(bot_level=bot_level))

    async def rematch(self) -> None:
        """Gets ready for another game at this table."""
        await self._ask(self.link.lobby.Rematch, lobby.RematchRequest())

    async def propose_end(self, agree: bool = True) -> None:
        """Agrees to end the running game (it ends once all people agree), or takes it back."""
        await self._ask(self.link.lobby.ProposeEnd, lobby.ProposeEndRequest(agree=agree))

    async def say(self, text: str) -> None:
        """Sends a chat message to the table."""
        await self._ask(self.link.lobby.SendChat, lobby.SendChatRequest(text=text))

    async def seat_bot(self, level: str = "", seat: int | None = None) -> int:
        """Seats a bot (empty level: medium; no seat: the last open one); returns its seat."""
        request = bots.SeatBotRequest(level=level, seat=seat)
        answer = await self._ask(self.link.bots.SeatBot, request)
        return int(answer.seat)

    async def remove_bot(self, seat: int) -> None:
        """Takes a bot off its seat."""
        await self._ask(self.link.bots.RemoveBot, bots.RemoveBotRequest(seat=seat))

    async def kick(self, seat: int) -> None:
        """Takes somebody's seat away; for who opened the table."""
        await self._ask(self.link.lobby.KickSeat, lobby.KickSeatRequest(seat=seat))

    async def lock_seats(self, locked: bool) -> None:
        """Lets nobody else sit down, or everybody again; for who opened the table."""
        await self._ask(self.link.lobby.LockSeats, lobby.LockSeatsRequest(locked=locked))

    async def shelve(self) -> None:
        """Puts the table away for another evening, its game and clocks too; for who opened it.

        The table's state is `SHELVED` after it; every seat stays its holder's, for as long as
        the table stays away. A table that is put away already stays so.

        Raises:
            RefusedError: Somebody else opened the table (`NOT_CREATOR`), its life is over
                (`TABLE_CLOSED`), or a game is being dealt this moment (`TABLE_NOT_OPEN`).
            HostUnreachableError: No answer; the table says whether it is put away.
        """
        await self._ask(self.link.lobby.ShelveTable, lobby.ShelveTableRequest())

    async def resume(self) -> None:
        """Takes a table that is put away out again, just as it was; for everybody seated.

        Raises:
            RefusedError: The table is not put away (`TABLE_NOT_SHELVED`), or its life is over.
            HostUnreachableError: No answer; the table says whether it goes on.
        """
        await self._ask(self.link.lobby.ResumeTable, lobby.ResumeTableRequest())

    async def pause_clocks(self, pause: bool = True) -> None:
        """Asks for paused clocks, or agrees to that; they stop once all people have.

        Whose word is missing: seats of people without `agrees_to_pause`. Whether the clocks
        stand still is `game.message.clocks_paused`; moves may be made meanwhile.

        Args:
            pause: False takes the own word back, or lets paused clocks run again for everybody.

        Raises:
            RefusedError: The game has no clock (`NO_CLOCK`), or none runs (`TABLE_NOT_ACTIVE`).
            HostUnreachableError: No answer; table and game say how it stands.
        """
        await self._ask(self.link.lobby.PauseClocks, lobby.PauseClocksRequest(pause=pause))

    async def leave(self) -> None:
        """Gives the seat up; ends the session.

        In a running game the table's option `leaving` says what becomes of the seat. With
        `bot` a bot plays on at once, and until the game is over one may come back with the
        seat's token, which is kept for that. With `skip` the seat resigns, for good.
        """
        playing = self.table.state == TableState.TABLE_STATE_ACTIVE
        if self.seat is not None:
            await self._ask(self.link.lobby.LeaveTable, lobby.LeaveTableRequest())
        await self._end(None, forget=not playing)

    async def close(self) -> None:
        """Ends the session as a lost line would: the seat stays one's own."""
        await self._end(None, forget=False)

    async def _command(self, method: Any, request: Any, revision: int | None = None) -> GameChanged:
        """Sends a command, for the newest state that is known here or for `revision`."""
        if self._ended:
            raise SessionClosedError
        game = self.game
        if game is None:
            raise RefusedError("TABLE_NOT_ACTIVE")
        request.request_id = new_request_id()
        request.game_id = game.game_id
        request.expected_revision = game.revision if revision is None else revision
        answer = await self.link.call(method, request, token=self._token)
        game = self.game or game
        # Where others have moved meanwhile, the stream is still to tell of that, and of this after.
        connects = request.expected_revision <= game.revision
        if connects and self._seen is not None and self._seen.game_id == request.game_id:
            self._take_game(answer.revision, answer.view, answer.events, gap=False)
        return self.game or game
