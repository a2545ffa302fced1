"""The connection to a host and a seat at one of its tables, without a screen.

    link = await connect("10.0.0.7:7718")          # address, host id or announced name
    table = (await link.create_table(Rules(players=2), bot_levels=["medium"])) …
    session = await link.join(table_id, name="Ana")  # a seat; link.watch(table_id): none
    async for update in session.updates():
        match update:
            case GameChanged(view=view) if view.turn == session.seat: …
            await session.place_tile(tile, cells)

SKELETON: the names and signatures stand, the insides are being written.

Every failure is a `GenialError` whose `.sentence` can be shown as it is. A refused
command raises `RefusedError` (`.reason` is the engine's refusal name). Commands
are sent again with the same request id when the answer is lost, so that they are
applied once. A session reconnects by itself and never ends for a lost line; it says
so by `ConnectionChanged`. It does the verifiable deal by itself.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from genial.client.errors import (
    AddressError,
    AmbiguousNameError,
    GenialError,
    HostUnreachableError,
    IncompatibleHostError,
    LimitError,
    NotFoundError,
    RefusedError,
    SeatError,
    SessionClosedError,
    StaleRevisionError,
    StorageError,
)
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
from genial.v1 import game_service_pb2, history_service_pb2, lobby_service_pb2
from genial.v1.bot_service_pb2 import BotLevel
from genial.v1.table_pb2 import Host, Table, TableOptions


async def connect(address: str, *, store: "Store | None" = None, timeout: float = 5.0) -> "HostLink":
    """Connects to a host and asks who it is.

    Args:
        address: `host`, `host:port`, `[v6]:port`, a host's id or its announced name.
        store: Where tokens and receipts are kept; None: `MemoryStore()`, nothing on disk.
            `DiskStore()` is the user's own.
        timeout: Seconds until nobody answering is an error.

    Raises:
        AddressError: The address makes no sense or nobody goes by it.
        HostUnreachableError: Nobody answers there.
        IncompatibleHostError: Somebody answers who speaks something else.
    """
    raise NotImplementedError


class HostLink:
    """The line to one host; many sessions may share it."""

    host: Host
    """What the host said about itself when the link was made."""

    address: str
    """`HOST:PORT` that answered."""

    async def get_host(self) -> Host: ...
    async def create_table(
        self, options: TableOptions, *, name: str = "", bot_levels: Sequence[str] = ()
    ) -> Table: ...
    async def list_tables(self) -> list[Table]: ...
    def watch_tables(self) -> AsyncIterator[list[Table] | ConnectionChanged]: ...
    async def get_table(self, table_id: str) -> Table: ...
    async def list_games(self) -> list[game_service_pb2.GameSummary]: ...
    async def list_bot_levels(self) -> list[BotLevel]: ...
    async def get_record(self, game_id: str) -> bytes: ...
    def seats_held(self) -> dict[str, str]:
        """Table ids at this host for which the store holds a token, with the name used."""
        ...

    async def join(
        self, table_id: str, *, name: str, seat: int | None = None, token: str | None = None
    ) -> "Session":
        """Takes a seat, or takes back the one that the stored (or given) token holds."""
        ...

    async def watch(self, table_id: str) -> "Session":
        """Watches without a seat."""
        ...

    async def close(self) -> None: ...


class Session:
    """One table, seen from a seat or as a spectator."""

    link: HostLink
    table_id: str
    seat: int | None
    """The own seat; None for spectators."""
    table: Table | None
    """The newest table."""
    game: GameChanged | None
    """The newest state of the running (or last) game; `.view` is the PlayerView."""

    def updates(self) -> AsyncIterator[Update]:
        """Everything that changes, in order; ends after `SessionEnded`. One reader."""
        ...

    # Game commands: the expected revision is that of `self.game`; each returns the
    # state after it (the same update also comes through `updates`), or raises RefusedError.
    async def place_tile(self, tile: Tile, cells: tuple[Axial, Axial]) -> GameChanged: ...
    async def exchange(self) -> GameChanged: ...
    async def refill(self) -> GameChanged: ...
    async def resign(self) -> GameChanged: ...

    # Table commands.
    async def set_ready(self, ready: bool = True) -> None: ...
    async def start_game(self, bot_level: str = "") -> None: ...
    async def rematch(self) -> None: ...
    async def propose_end(self, agree: bool = True) -> None: ...
    async def say(self, text: str) -> None: ...
    async def seat_bot(self, level: str = "", seat: int | None = None) -> int: ...
    async def remove_bot(self, seat: int) -> None: ...
    async def kick(self, seat: int) -> None: ...
    async def leave(self) -> None:
        """Gives the seat up for good (mid-game that is resigning) and ends the session."""
        ...

    async def close(self) -> None:
        """Ends the session as a lost line would: the seat stays ours."""
        ...
