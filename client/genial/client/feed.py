"""What a session hears: the table's and the game's streams, turned into updates.

The half of a session that needs nobody: it follows both streams, comes back after a lost
line, answers the deal and checks the record. `session` adds what a player can ask for.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Final

import grpc

from genial.client.channel import Metadata, new_request_id, seat_metadata
from genial.client.deal import Deal, DealWatch, SendHash, SendNonce, Step, Tell
from genial.client.errors import (
    GenialError,
    HostUnreachableError,
    IncompatibleHostError,
    NotFoundError,
    SeatError,
    SessionClosedError,
    StorageError,
)
from genial.client.link import HostLink
from genial.client.receipts import verify
from genial.client.seen import SeenGame
from genial.client.store import SeatMemory
from genial.client.text import _
from genial.client.updates import (
    ChatArrived,
    ConnectionChanged,
    DealProgress,
    GameChanged,
    HostClosing,
    Link,
    Loss,
    RefusedUpdate,
    SeatLost,
    SessionEnded,
    TableChanged,
    Update,
)
from genial.client.versions import explained
from genial.engine.shuffle import SECRET_BYTES
from genial.v1 import game_service_pb2 as games
from genial.v1 import lobby_service_pb2 as lobby
from genial.v1.table_pb2 import Table, TableState
from genial.wire.errors import Reason
from genial.wire.metadata import watcher_entry

_FAREWELL_SECONDS: Final = 30.0
"""How long the last game's end and record are waited for once the table is finished. A line that is
dead is noticed within eight seconds, and the next one may be dead as well."""

_SEAT_WAIT_SECONDS: Final = 0.25
"""After how long a game is asked again whether the seat is ours."""

_OVER: Final = (TableState.TABLE_STATE_FINISHED, TableState.TABLE_STATE_ABANDONED)


_STREAMS_OF_A_SESSION: Final = 1 << 32
"""More than any opens."""


class Feed:
    """One table, followed from a seat or as a spectator.

    Attributes:
        link: The line to the host.
        table_id: Which table.
        seat: The own seat, 0-based; None for spectators.
        table: The newest table.
        game: The newest state of the running (or last) game, None before the first.
    """

    def __init__(
        self,
        link: HostLink,
        table_id: str,
        seat: int | None,
        memory: SeatMemory | None,
        *,
        keep_records: bool,
    ) -> None:
        """Use `join` or `watch`."""
        self.link = link
        self.table_id = table_id
        self.seat = seat
        self.table = Table()
        self.game: GameChanged | None = None
        self._memory = memory
        self._keep_records = keep_records
        self._updates: asyncio.Queue[Update | BaseException] = asyncio.Queue()
        self._tasks: dict[asyncio.Task[None], None] = {}
        self._game_task: asyncio.Task[None] | None = None
        self._checks: list[asyncio.Task[None]] = []
        self._seen: SeenGame | None = None
        self._chat_seen = 0
        self._troubled: set[str] = set()
        self._closing_told = False
        self._ended = False
        # Streams are numbered through all sessions that have begun with this seat: what a dead
        # one still had under way must not count for newer than we are.
        self._name = memory.place if memory else secrets.token_hex(8)
        self._streams = memory.starts * _STREAMS_OF_A_SESSION if memory else 0
        self._just_connected = False
        kept = memory.load_deal() if memory else None
        self._deals = DealWatch(
            seat,
            self._is_fresh,
            lambda: secrets.token_bytes(SECRET_BYTES),
            Deal.from_json(kept) if kept else None,
        )

    async def updates(self) -> AsyncIterator[Update]:
        """Everything that changes, in order, each once; ends after `SessionEnded`.

        For one reader. A fault of the client's own is raised here.
        """
        while True:
            update = await self._updates.get()
            if isinstance(update, BaseException):
                raise update
            yield update
            if isinstance(update, SessionEnded):
                return

    @property
    def _token(self) -> str | None:
        return self._memory.token if self._memory else None

    @property
    def played_for(self) -> bool:
        """Whether a bot of the host's plays our seat at the moment."""
        seat, seats = self.seat, self.table.seats
        if seat is None or self._memory is None or seat >= len(seats):
            return False
        # That bot's own session is no exception that it could know of, but by its name.
        return seats[seat].stand_in and seats[seat].name != self._memory.name

    def _stream_metadata(self, token: str | None) -> Metadata:
        """Who opens a stream, and its how many-th that is."""
        self._streams += 1
        return (*seat_metadata(token), watcher_entry(self._name, self._streams))

    async def _ask(self, method: Any, request: Any) -> Any:
        if self._ended:
            raise SessionClosedError
        request.request_id = new_request_id()
        request.table_id = self.table_id
        return await self.link.call(method, request, token=self._token)

    # --- streams ---------------------------------------------------------------------

    def start(self, table: Table) -> None:
        """Begins to follow the table, shown as it is now."""
        self._take_table(table)
        self._adopt(asyncio.create_task(self._watch_table()))

    def _adopt(self, task: asyncio.Task[None]) -> None:
        """Keeps a task alive until it is done, or the session ends."""
        self._tasks[task] = None
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            # A fault of ours: whoever reads the updates gets it, rather than the log.
            self._updates.put_nowait(error)

    async def _watch_table(self) -> None:
        def open_stream() -> Any:
            request = lobby.WatchTableRequest(table_id=self.table_id, after_chat=self._chat_seen)
            metadata = self._stream_metadata(self._token)
            return self.link.lobby.WatchTable(request, metadata=metadata)

        while True:
            try:
                stream = self.link.follow(open_stream, self._on_line("table"))
                async with aclosing(stream) as messages:
                    async for message in messages:
                        if message.superseded:
                            await self._superseded()
                            return
                        if message.HasField("closing"):
                            await self._host_closes(message.closing)
                            if self._ended:
                                return
                            continue
                        self._take_chat(message)
                        self._take_table(message.table)
                        if self._just_connected and self.played_for:
                            self._adopt(asyncio.create_task(self._come_back()))
                        self._just_connected = False
                        if self.table.state in _OVER:
                            await self._finish()
                            return
            except SeatError as error:
                if self._memory is None:
                    await self._end(error, forget=False)
                    return
                self._lose_seat()
            except GenialError as error:
                await self._end(error, forget=isinstance(error, NotFoundError))
                return

    async def _come_back(self) -> None:
        """Whoever was away for so long that a bot plays on is here again."""
        try:
            await self.take_back()
        except GenialError as error:
            self._updates.put_nowait(RefusedUpdate(error))

    async def take_back(self) -> None:
        """Takes the seat back from the bot that plays on for us.

        Done by itself after a lost line; by hand where it was the clock that ran out.

        Raises:
            GenialError: The host does not give it back.
        """
        if self._memory is None:
            return
        request = lobby.JoinTableRequest(name=self._memory.name)
        answer = await self._ask(self.link.lobby.JoinTable, request)
        self._take_table(answer.table)

    def _watch(self, seen: SeenGame) -> None:
        if self._game_task is not None:
            self._game_task.cancel()
        self._seen = seen
        self._game_task = asyncio.create_task(self._watch_game(seen))
        self._adopt(self._game_task)

    async def _watch_game(self, seen: SeenGame) -> None:
        game_id = seen.game_id

        def open_stream() -> Any:
            revision = self.game.revision if self.game and self.game.game_id == game_id else 0
            request = games.WatchGameRequest(game_id=game_id, after_revision=revision)
            # While a bot plays for us the token opens nothing, and what all may see is left.
            token = None if self.played_for or taken_over else self._token
            return self.link.games.WatchGame(request, metadata=self._stream_metadata(token))

        on_line = self._on_line("game")
        taken_over = over = False
        try:
            while not over:
                try:
                    over = await self._follow_game(self.link.follow(open_stream, on_line))
                except SeatError:
                    # The seat changes hands: the table says so, the room hears of it a moment
                    # later, or the other way round.
                    if self._memory is None:
                        raise
                    # The last to play our seat in a game that is over keep it there.
                    taken_over = self.table.state != TableState.TABLE_STATE_ACTIVE
                    await asyncio.sleep(_SEAT_WAIT_SECONDS)
        except GenialError as error:
            self._updates.put_nowait(RefusedUpdate(explained(error, self.link.host)))
            return
        finally:
            if "game" in self._troubled:
                on_line(None)
        if self._ended:
            return
        if self._keep_records and seen.from_start:
            check = asyncio.create_task(self._check_record(seen))
            self._checks.append(check)
            self._adopt(check)

    async def _follow_game(self, stream: AsyncGenerator[games.WatchGameResponse]) -> bool:
        """Takes in what a game's stream says; True when nothing more will come of it."""
        async with aclosing(stream) as messages:
            async for message in messages:
                if message.superseded:
                    # The table's stream hears of it as well; one of the two is enough.
                    await self._superseded()
                    return True
                if message.HasField("closing"):
                    await self._host_closes(message.closing)
                    if self._ended:
                        return True
                    continue
                self._take_game(message.revision, message.view, message.events, message.gap)
                if self.game is not None and self.game.view.is_over:
                    return True
        return False

    def _on_line(self, stream: str) -> Callable[[GenialError | None], None]:
        def told(failure: GenialError | None) -> None:
            before = bool(self._troubled)
            if failure is None:
                self._troubled.discard(stream)
                self._closing_told = False
                self._just_connected |= stream == "table"
            else:
                self._troubled.add(stream)
            if bool(self._troubled) != before:
                link = Link.RECONNECTING if self._troubled else Link.CONNECTED
                sentence = failure.sentence if failure else ""
                self._updates.put_nowait(ConnectionChanged(link, sentence, time.monotonic()))

        return told

    # --- what the host shows ---------------------------------------------------------

    def _take_chat(self, message: lobby.WatchTableResponse) -> None:
        fresh = tuple(chat for chat in message.chat if chat.number > self._chat_seen)
        if fresh or message.chat_gap:
            self._chat_seen = max([self._chat_seen, *(chat.number for chat in fresh)])
            self._updates.put_nowait(ChatArrived(fresh, message.chat_gap))

    def _take_table(self, table: Table) -> None:
        if table.HasField("viewer_seat") and table.viewer_seat >= len(table.seats):
            raise IncompatibleHostError(
                Reason.HOST_FAULT,
                code=grpc.StatusCode.INTERNAL,
                sentence=_(
                    "The host tells of a seat that its table does not have, so nothing that it says"
                    " can be followed; tell whoever runs it, and play at another one."
                ),
            )
        before = self.table if self.table.table_id else None
        if before is not None and table.version < before.version:
            return
        if self._memory is not None and not table.HasField("viewer_seat"):
            self._lose_seat()
        elif self._memory is not None:
            self.seat = table.viewer_seat
        played_for = self.played_for
        self.table = table
        watching = self._game_task is not None and not self._game_task.done()
        if self.played_for != played_for and self._seen is not None and watching:
            # What may be seen of the game has changed with who plays our seat.
            self._watch(self._seen)
        if before is None or table != before:
            self._updates.put_nowait(TableChanged(table, before))
        self._deals.seat = None if self.played_for else self.seat
        self._take_steps(self._deals.see_table(table))
        if table.game_id and (self._seen is None or self._seen.game_id != table.game_id):
            # What is left of the old game is in its record; the new one is what counts.
            self._watch(SeenGame(table.game_id, self._memory, self.seat))

    def _take_game(self, revision: int, message: Any, events: Any, gap: bool) -> None:
        seen = self._seen
        if seen is None or message.game_id != seen.game_id:
            return
        deal = self._deals.deal_of(seen.game_id)
        problems = seen.hear(events)
        if deal is not None:
            deal.problems += [problem for problem in problems if problem not in deal.problems]
        known = self.game if self.game and self.game.game_id == seen.game_id else None
        if known is not None and (
            revision < known.revision or (revision == known.revision and message == known.message)
        ):
            return
        changed = self.game = seen.update(known, revision, message, events, gap)
        self._take_steps(self._deals.see_game(message))
        self._guarded(seen.keep)
        self._updates.put_nowait(changed)

    def _take_steps(self, steps: list[Step]) -> None:
        if not steps:
            return
        deal, memory = self._deals.deal, self._memory
        if deal is not None and memory is not None:
            # Written before anything is sent: after a crash the nonce must be known.
            self._guarded(lambda: memory.save_deal(deal.to_json()))
        to_send: list[SendHash | SendNonce] = []
        for step in steps:
            if isinstance(step, Tell):
                self._updates.put_nowait(
                    DealProgress(step.game_number, step.deal, step.step, step.problem)
                )
            else:
                to_send.append(step)
        if to_send:
            self._adopt(asyncio.create_task(self._send_steps(to_send)))

    async def _send_steps(self, steps: list[SendHash | SendNonce]) -> None:
        for step in steps:
            number, deal = step.game_number, step.deal
            try:
                if isinstance(step, SendHash):
                    commit = lobby.CommitNonceRequest(
                        game_number=number, deal=deal, nonce_hash=step.nonce_hash
                    )
                    await self._ask(self.link.lobby.CommitNonce, commit)
                else:
                    reveal = lobby.RevealNonceRequest(
                        game_number=number, deal=deal, nonce=step.nonce
                    )
                    await self._ask(self.link.lobby.RevealNonce, reveal)
            except GenialError as error:
                self._updates.put_nowait(RefusedUpdate(error))

    def _is_fresh(self, commitment: bytes, game_number: int, deal: int) -> bool:
        where = f"{self.link.host.host_id}/{self.table_id}/{game_number}/{deal}"
        fresh = self._guarded(lambda: self.link.store.note_commitment(commitment, where))
        return fresh is not False

    def _guarded(self, keep: Callable[[], Any]) -> Any:
        """Keeps something on disk; a full disk is told, and does not stop the game."""
        try:
            return keep()
        except StorageError as error:
            self._updates.put_nowait(RefusedUpdate(error))
            return None

    # --- ends ------------------------------------------------------------------------

    async def _check_record(self, seen: SeenGame) -> None:
        deal = self._deals.deal_of(seen.game_id)
        verdict = await verify(self.link, self.table_id, seen.seat, deal, seen.game_id, seen.events)
        self._updates.put_nowait(verdict)

    def _lose_seat(self) -> None:
        memory, self._memory, self.seat = self._memory, None, None
        self._deals.seat = None
        if memory is not None:
            memory.release(forget=True)
        self._updates.put_nowait(
            SeatLost(Loss.KICKED, _("Your seat was taken away; you are watching now."))
        )
        if self._seen is not None:
            # Opened with a token that holds nothing any more; a spectator's view is left.
            self._watch(SeenGame(self._seen.game_id, None, None))

    async def _superseded(self) -> None:
        sentence = _("Your seat is now played from another window; this one has ended.")
        self._updates.put_nowait(SeatLost(Loss.SUPERSEDED, sentence))
        await self._end(None, forget=False)

    async def _host_closes(self, closing: Any) -> None:
        if self._closing_told:
            return
        self._closing_told = True
        self._updates.put_nowait(HostClosing(closing.returning, closing.message))
        if not closing.returning:
            # A table put away is for another evening: whoever started the host may again.
            shelved = self.table.state == TableState.TABLE_STATE_SHELVED
            sentence = (
                _("The host has closed. The table is put away, and your seat is kept.")
                if shelved
                else _("The host has closed and does not mean to come back.")
            )
            await self._end(
                HostUnreachableError("HOST_CLOSING", sentence=sentence), forget=not shelved
            )

    async def _finish(self) -> None:
        """The table's life is over: the last game's end is still waited for, then no more."""
        if self._game_task is not None:
            await asyncio.wait([self._game_task], timeout=_FAREWELL_SECONDS)
        if self._checks:
            await asyncio.wait(self._checks, timeout=_FAREWELL_SECONDS)
        await self._end(None, forget=True)

    async def _end(self, error: GenialError | None, *, forget: bool) -> None:
        if self._ended:
            return
        self._ended = True
        current = asyncio.current_task()
        others = [task for task in self._tasks if task is not current]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._memory is not None:
            self._memory.release(forget=forget)
        self._updates.put_nowait(SessionEnded(error))
