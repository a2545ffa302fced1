"""LobbyService: requests in, answers out (a handler of genial.wire.serving)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from google.protobuf.message import Message

from genial.engine.rules import Mode
from genial.services.limits import Exemptions, Limits, RateLimiter, address_of_peer
from genial.services.lobby import commands, seating, wording
from genial.services.lobby.answers import answer_of, known_answer
from genial.services.lobby.lobby import Lobby
from genial.services.lobby.looking import (
    HostDescriber,
    LookingHandler,
    check_may_watch,
    token_hash_of,
)
from genial.services.lobby.messages import (
    ChatLine,
    options_from_message,
    table_to_message,
    with_viewer,
)
from genial.services.lobby.runtime import RunningTable
from genial.services.lobby.store import Answer
from genial.services.lobby.table import Progress, Seat, Table
from genial.services.peers import is_service
from genial.services.store import undivided
from genial.v1 import lobby_service_pb2 as pb
from genial.wire import requests
from genial.wire.errors import GenialError, Reason, malformed, unknown_level
from genial.wire.metadata import ONLY_REPEAT
from genial.wire.serving import Call

DEFAULT_LEVEL: Final = "medium"

R = TypeVar("R", bound=Message)


class LobbyHandler(LookingHandler):
    """The lobby's rpcs. `lobby` must be started."""

    def __init__(self, lobby: Lobby, host: HostDescriber, limits: Limits | None = None) -> None:
        """`limits` says how many tables one address may open; the defaults if left out."""
        self._limits = limits or Limits()
        super().__init__(lobby, host, self._limits)
        self._exempt = Exemptions(self._limits.exempt)
        self._opened_from: dict[str, str] = {}
        per_minute = lobby.settings.chat_per_minute
        self._chat_pace = RateLimiter(per_minute / 60, per_minute, lambda: lobby.now() / 1000)

    # --- sitting down and getting up ---

    async def create_table(
        self, request: pb.CreateTableRequest, call: Call
    ) -> pb.CreateTableResponse:
        """A new table; who sends a token with it has the creator's rights."""
        request_id = requests.request_id(request.request_id)
        token_hash = token_hash_of(call)
        options = options_from_message(request.options)
        if len(request.bot_levels) > options.rules.players:
            raise malformed("bot_levels", f"must be at most {options.rules.players}")
        password_hash = wording.hash_password(request.password)
        name = wording.clean_table_name(request.name)
        lobby = self._lobby
        opened = await self._opened(token_hash, request_id, request)
        if opened is not None:
            # Whether there are such bots now does not matter to what was granted before.
            return opened
        for index, level in enumerate(request.bot_levels):
            await self._check_level(level, f"bot_levels[{index}]")
        async with lobby.creating:
            opened = await self._opened(token_hash, request_id, request)
            if opened is not None:
                return opened
            if lobby.settings.draining or lobby.closing is not None:
                raise GenialError(Reason.HOST_DRAINING)
            if lobby.live_tables >= lobby.settings.most_tables:
                raise GenialError(Reason.TOO_MANY_TABLES, limit=lobby.settings.most_tables)
            opener = self._check_opener(call)
            now = lobby.now()
            table = Table(
                table_id=lobby.chance.new_id(),
                name=name or self._free_name(),
                options=options,
                seats=tuple(Seat(number) for number in range(options.rules.players)),
                created_at=now,
                password_hash=password_hash,
                creator_hash=token_hash,
                used_at=now,
            )
            for number, level in zip(
                reversed(range(options.rules.players)), request.bot_levels, strict=False
            ):
                table = seating.put_bot(table, number, level, now, lobby.chance)
            response = pb.CreateTableResponse(table=table_to_message(table, Progress(), 0))
            answer = answer_of("", token_hash, request_id, request, response, now)
            await undivided(self._put_up(table, answer))
            self._opened_from[table.table_id] = opener
        return response

    async def _put_up(self, table: Table, answer: Answer) -> None:
        await self._lobby.store.save(table, answer)
        self._lobby.add(table)

    async def _opened(
        self, token_hash: bytes | None, request_id: str, request: pb.CreateTableRequest
    ) -> pb.CreateTableResponse | None:
        """A repeat's answer; its table may be on the disk though its write seemed to fail."""
        known = await known_answer(self._lobby.store, "", token_hash, request_id, request)
        if known is None:
            return None
        response = pb.CreateTableResponse.FromString(known)
        table_id = response.table.table_id
        if not self._lobby.has(table_id):
            stored = await self._lobby.store.load_one(table_id)
            if stored is not None and not stored.table.is_closed:
                self._lobby.add(stored.table)
        return response

    def _check_opener(self, call: Call) -> str:
        """The caller's address, if it may have one more table open."""
        address = address_of_peer(call.peer)
        live = {
            running.table.table_id for running in self._lobby.tables if not running.table.is_closed
        }
        self._opened_from = {key: value for key, value in self._opened_from.items() if key in live}
        limit = self._limits.tables_per_address
        if address not in self._exempt and list(self._opened_from.values()).count(address) >= limit:
            raise GenialError(Reason.TOO_MANY_TABLES, limit=limit)
        return address

    def _free_name(self) -> str:
        used = {running.table.name for running in self._lobby.tables}
        number = 1
        while f"Table {number}" in used:
            number += 1
        return f"Table {number}"

    async def _check_level(self, level: str, field: str) -> None:
        levels = await self._lobby.bot_levels()
        if levels is None:
            raise GenialError(Reason.BOT_FAILED, fault="the bots service does not answer")
        if level not in levels:
            raise unknown_level(level, levels, field)

    async def join_table(self, request: pb.JoinTableRequest, call: Call) -> pb.JoinTableResponse:
        """A seat for the caller's token, or the one that it holds.

        A service may ask for the answer of a repeat alone (`ONLY_REPEAT`); of what is new it
        gets an answer without a table, and nothing is done.
        """
        request_id = requests.request_id(request.request_id)
        by_service = is_service(call, self._lobby.secret)
        if by_service and ONLY_REPEAT in call.metadata:
            return await self.joined_before(request, call) or pb.JoinTableResponse()
        running = self.running(request.table_id)
        token_hash = token_hash_of(call)
        if token_hash is None and not by_service:
            raise GenialError(Reason.SEAT_TOKEN_NEEDED)
        number = request.seat if request.HasField("seat") else None
        level = wording.clean(request.bot_level, wording.NAME_LENGTH, "bot_level")
        name = "" if by_service else wording.clean_name(request.name)
        took: list[int] = []

        def join(table: Table) -> Table:
            now = self._lobby.now()
            chance = self._lobby.chance
            if token_hash is None or by_service:
                table, seat = seating.claim_for_bot(
                    table, token_hash, number=number, level=level, now=now, chance=chance
                )
            else:
                if table.seat_of(token_hash) is None:
                    self._passwords.check(request.password, table.password_hash, call)
                table, seat = seating.join(
                    table,
                    token_hash,
                    name=name,
                    number=number,
                    bot_level=level,
                    now=now,
                    chance=chance,
                )
            took.append(seat)
            return table

        def respond(table: Table) -> pb.JoinTableResponse:
            message = table_to_message(table, running.progress, len(running.watchers))
            return pb.JoinTableResponse(
                seat=took[-1], table=with_viewer(message, table, token_hash)
            )

        response = await self._answered(
            running, token_hash, request_id, request, join, pb.JoinTableResponse, respond
        )
        if token_hash is not None and running.is_present(token_hash):
            # Who comes back to the seat may have been watching all the time.
            self._lobby.presence_changed(running, token_hash)
        return response

    async def joined_before(
        self, request: pb.JoinTableRequest, call: Call
    ) -> pb.JoinTableResponse | None:
        """What the same request was answered, if it is a repeat (see LobbyPort)."""
        request_id = requests.request_id(request.request_id)
        token_hash = token_hash_of(call)
        known = await known_answer(
            self._lobby.store, request.table_id, token_hash, request_id, request
        )
        return None if known is None else pb.JoinTableResponse.FromString(known)

    async def leave_table(self, request: pb.LeaveTableRequest, call: Call) -> pb.LeaveTableResponse:
        """Gives the caller's seat up."""
        lobby = self._lobby
        return await self._act(
            request,
            call,
            lambda table, caller: seating.leave(table, caller, lobby.now(), lobby.chance),
            pb.LeaveTableResponse(),
        )

    async def kick_seat(self, request: pb.KickSeatRequest, call: Call) -> pb.KickSeatResponse:
        """Sends a player or a bot away."""
        lobby = self._lobby
        return await self._act(
            request,
            call,
            lambda table, caller: seating.kick(
                table, caller, request.seat, lobby.now(), lobby.chance
            ),
            pb.KickSeatResponse(),
        )

    # --- what seated people say ---

    async def set_ready(self, request: pb.SetReadyRequest, call: Call) -> pb.SetReadyResponse:
        """Ready for the next game, or not yet."""
        return await self._act(
            request,
            call,
            lambda table, caller: commands.set_ready(table, caller, request.ready),
            pb.SetReadyResponse(),
        )

    async def start_game(self, request: pb.StartGameRequest, call: Call) -> pb.StartGameResponse:
        """Fills the open seats with bots and readies the caller."""
        level = request.bot_level or DEFAULT_LEVEL
        lobby = self._lobby
        if self.running(request.table_id).table.open_seats:
            await self._check_level(level, "bot_level")
        return await self._act(
            request,
            call,
            lambda table, caller: commands.start_game(
                table, caller, level, lobby.now(), lobby.chance
            ),
            pb.StartGameResponse(),
        )

    async def rematch(self, request: pb.RematchRequest, call: Call) -> pb.RematchResponse:
        """Ready for another game at this table."""
        return await self._act(request, call, commands.rematch, pb.RematchResponse())

    async def commit_nonce(
        self, request: pb.CommitNonceRequest, call: Call
    ) -> pb.CommitNonceResponse:
        """The hash of a seat's nonce."""
        lobby = self._lobby
        nonce_hash = requests.secret(request.nonce_hash, "nonce_hash")
        return await self._act(
            request,
            call,
            lambda table, caller: commands.commit_nonce(
                table,
                caller,
                game_number=request.game_number,
                deal=request.deal,
                nonce_hash=nonce_hash,
                next_deadline=lobby.now() + lobby.times.deal_step,
            ),
            pb.CommitNonceResponse(),
        )

    async def reveal_nonce(
        self, request: pb.RevealNonceRequest, call: Call
    ) -> pb.RevealNonceResponse:
        """A seat's nonce."""
        nonce = requests.secret(request.nonce, "nonce")
        return await self._act(
            request,
            call,
            lambda table, caller: commands.reveal_nonce(
                table,
                caller,
                game_number=request.game_number,
                deal=request.deal,
                nonce=nonce,
            ),
            pb.RevealNonceResponse(),
        )

    async def propose_end(self, request: pb.ProposeEndRequest, call: Call) -> pb.ProposeEndResponse:
        """Agrees to end the running game, or takes that back."""
        running = self.running(request.table_id)
        return await self._act(
            request,
            call,
            lambda table, caller: commands.propose_end(
                table, caller, request.agree, running.progress, self._lobby.chance
            ),
            pb.ProposeEndResponse(),
        )

    async def pause_clocks(
        self, request: pb.PauseClocksRequest, call: Call
    ) -> pb.PauseClocksResponse:
        """Asks for paused clocks, agrees to that, or ends it."""
        running = self.running(request.table_id)
        return await self._act(
            request,
            call,
            lambda table, caller: commands.pause_clocks(
                table, caller, request.pause, running.progress, self._lobby.chance
            ),
            pb.PauseClocksResponse(),
        )

    async def lock_seats(self, request: pb.LockSeatsRequest, call: Call) -> pb.LockSeatsResponse:
        """Keeps newcomers out, or lets them in again."""
        return await self._act(
            request,
            call,
            lambda table, caller: commands.lock_seats(table, caller, request.locked),
            pb.LockSeatsResponse(),
        )

    async def shelve_table(
        self, request: pb.ShelveTableRequest, call: Call
    ) -> pb.ShelveTableResponse:
        """Puts a table away."""
        return await self._act(
            request,
            call,
            lambda table, caller: commands.shelve(table, caller, self._lobby.chance),
            pb.ShelveTableResponse(),
        )

    async def resume_table(
        self, request: pb.ResumeTableRequest, call: Call
    ) -> pb.ResumeTableResponse:
        """Takes a table off the shelf."""
        lobby = self._lobby
        return await self._act(
            request,
            call,
            lambda table, caller: commands.resume(table, caller, lobby.now(), lobby.chance),
            pb.ResumeTableResponse(),
        )

    async def send_chat(self, request: pb.SendChatRequest, call: Call) -> pb.SendChatResponse:
        """A message to everybody at the table."""
        request_id = requests.request_id(request.request_id)
        running = self.running(request.table_id)
        token_hash = token_hash_of(call)
        check_may_watch(running.table, token_hash)
        if token_hash is None:
            self._passwords.check("", running.table.password_hash, call)
        text = wording.clean_chat(request.text)
        async with running.lock:
            await running.be_sure()
            known = await known_answer(
                self._lobby.store, request.table_id, token_hash, request_id, request
            )
            if known is not None:
                return pb.SendChatResponse.FromString(known)
            running.refusals.check((token_hash, request_id))
            seat = running.table.seat_of(token_hash)
            try:
                _check_may_talk(running.table, seat)
            except GenialError as error:
                running.refusals.keep((token_hash, request_id), error)
                raise
            now = self._lobby.now()
            speaker = address_of_peer(call.peer) if seat is None else f"seat {seat.number}"
            if not self._chat_pace.take((request.table_id, speaker)):
                limit = self._lobby.settings.chat_per_minute
                raise GenialError(Reason.TOO_MANY_MESSAGES, limit=limit)
            line = ChatLine(
                running.last_chat + 1,
                now,
                None if seat is None else seat.number,
                "" if seat is None else seat.name,
                text,
            )
            response = pb.SendChatResponse(number=line.number)
            await running.change(
                lambda table: table,
                answer=lambda _: answer_of(
                    request.table_id, token_hash, request_id, request, response, now
                ),
                chat=line,
            )
        return response

    # --- the way of every command ---

    async def _act(
        self,
        request: Any,
        call: Call,
        act: Callable[[Table, bytes | None], Table],
        response: R,
    ) -> R:
        request_id = requests.request_id(request.request_id)
        running = self.running(request.table_id)
        token_hash = token_hash_of(call)
        return await self._answered(
            running,
            token_hash,
            request_id,
            request,
            lambda table: act(table, token_hash),
            type(response),
            lambda _: response,
        )

    async def _answered(
        self,
        running: RunningTable,
        token_hash: bytes | None,
        request_id: str,
        request: Message,
        change: Callable[[Table], Table],
        kind: type[R],
        respond: Callable[[Table], R],
    ) -> R:
        """Changes the table once for a request id; a repeat gets the first answer."""
        scope = running.table.table_id
        responses: list[R] = []

        def answer(table: Table) -> Answer:
            responses.append(respond(table))
            return answer_of(
                scope, token_hash, request_id, request, responses[-1], self._lobby.now()
            )

        async with running.lock:
            await running.be_sure()
            known = await known_answer(self._lobby.store, scope, token_hash, request_id, request)
            if known is not None:
                return kind.FromString(known)
            if self._lobby.closing is not None:
                raise GenialError(Reason.HOST_CLOSING)
            running.refusals.check((token_hash, request_id))
            try:
                await running.change(change, answer=answer)
            except GenialError as error:
                running.refusals.keep((token_hash, request_id), error)
                raise
        return responses[-1]


def _check_may_talk(table: Table, seat: Seat | None) -> None:
    quiet = table.rules.mode is Mode.PARTNERS and not table.rules.partners_talk
    if quiet and seat is not None and table.running_game_id:
        raise GenialError(Reason.CHAT_CLOSED)
