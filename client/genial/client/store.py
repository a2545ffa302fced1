"""What a client remembers from one start to the next: tokens, deals, commitments, records.

    state dir/seats/HOST/TABLE/KEY.json    token and name of a seat (mode 0600)
    state dir/seats/HOST/TABLE/KEY.deal    the deal in progress, with our own nonce
    state dir/seats/HOST/TABLE/KEY.seen    the events seen of the game, a line each
    state dir/seats/HOST/TABLE/KEY.lock    held while a session uses the seat
    state dir/commitments.txt            every commitment ever shown to us
    state dir/known_hosts.json           certificates of hosts, by host id (mode 0600)
    state dir/whereabouts.json           where hosts have answered before (mode 0600)
    data dir/records/GAME.genial           records
    data dir/records/GAME.seatN.json       receipts

The lock keeps two clients of one person at one table apart: the second finds the
first one's seat in use and makes a token of its own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import platformdirs
from filelock import FileLock, Timeout

from genial.client.errors import StorageError
from genial.client.files import (
    private_append,
    private_dir,
    read_json,
    replace_file,
    storing,
    write_json,
)
from genial.client.known_hosts import KnownHosts
from genial.client.text import _
from genial.client.whereabouts import Whereabouts
from genial.wire.metadata import new_seat_token

APP_NAME: Final = "genial"
_KNOWN_HOSTS: Final = "known_hosts.json"
_WHEREABOUTS: Final = "whereabouts.json"


def user_known_hosts() -> KnownHosts:
    """The hosts that this user's programs have met."""
    return KnownHosts(platformdirs.user_state_path(APP_NAME, appauthor=False) / _KNOWN_HOSTS)


def user_whereabouts() -> Whereabouts:
    """Where this user's programs have met hosts."""
    return Whereabouts(platformdirs.user_state_path(APP_NAME, appauthor=False) / _WHEREABOUTS)


@dataclass(frozen=True, slots=True)
class HeldSeat:
    """A seat that a stored token may still hold.

    Attributes:
        table_id: The table at that host.
        name: The name the seat was taken under.
        in_use: Whether another session of this person uses it right now.
    """

    table_id: str
    name: str
    in_use: bool


class SeatMemory(Protocol):
    """What is kept for one seat, by the session that uses it.

    Attributes:
        token: Holds the seat.
        name: Of the player.
        place: Names where it is kept; sessions from one place come one after the other.
        starts: How many sessions have begun there with this seat, this one included.
    """

    token: str
    name: str
    place: str
    starts: int

    def keep(self, name: str) -> None:
        """Writes the token down under this name, before it is sent anywhere."""

    def save_deal(self, deal: Mapping[str, Any]) -> None:
        """Writes down the deal in progress, replacing the one before."""

    def load_deal(self) -> dict[str, Any] | None:
        """The deal written last, if any."""

    def append_seen(self, game_id: str, events: list[tuple[int, bytes]]) -> None:
        """Writes down events as they were seen; another game's are dropped."""

    def load_seen(self, game_id: str) -> list[tuple[int, bytes]]:
        """The events seen of this game, in order."""

    def release(self, *, forget: bool) -> None:
        """Lets the seat be used by others again; `forget` drops everything kept for it."""


class Store(Protocol):
    """Where a client keeps things; see `DiskStore` and `MemoryStore`.

    Attributes:
        known_hosts: Certificates of the hosts that were met.
        whereabouts: Where hosts have answered before.
    """

    known_hosts: KnownHosts
    whereabouts: Whereabouts

    def claim_seat(self, host_id: str, table_id: str, name: str | None) -> SeatMemory:
        """The seat kept under that name (None: any name) and not in use, or a new one."""

    def held_seats(self, host_id: str) -> list[HeldSeat]:
        """Every seat kept for this host."""

    def hosts_with_seats(self) -> list[str]:
        """Ids of hosts at which a stored token may still hold a seat, the newest first."""

    def note_commitment(self, commitment: bytes, where: str) -> bool:
        """Remembers a commitment; False if it was shown before anywhere but at `where`."""

    def keep_record(self, game_id: str, record: bytes) -> Path | None:
        """Keeps a game's record; None where nothing is kept on disk."""

    def keep_receipt(
        self, game_id: str, seat: int | None, receipt: Mapping[str, Any]
    ) -> Path | None:
        """Keeps what the session saw of a game's deal."""


class MemorySeat:
    """A seat kept in memory alone."""

    def __init__(self, name: str = "", token: str | None = None) -> None:
        """Makes a token unless one is given."""
        self.token = token or new_seat_token()
        self.name = name
        self.place = secrets.token_hex(8)
        self.starts = 1
        self.in_use = True
        self._deal: dict[str, Any] | None = None
        self._seen: list[tuple[int, bytes]] = []
        self._seen_game = ""

    def keep(self, name: str) -> None:
        """Notes the name."""
        self.name = name

    def save_deal(self, deal: Mapping[str, Any]) -> None:
        """Keeps the deal."""
        self._deal = dict(deal)

    def load_deal(self) -> dict[str, Any] | None:
        """The deal kept."""
        return self._deal

    def append_seen(self, game_id: str, events: list[tuple[int, bytes]]) -> None:
        """Keeps the events."""
        if game_id != self._seen_game:
            self._seen_game, self._seen = game_id, []
        self._seen += events

    def load_seen(self, game_id: str) -> list[tuple[int, bytes]]:
        """The events kept."""
        return list(self._seen) if game_id == self._seen_game else []

    def release(self, *, forget: bool) -> None:
        """Marks the seat as free to use, or drops its contents."""
        self.in_use = False
        if forget:
            self.token, self._deal, self._seen = new_seat_token(), None, []


class MemoryStore:
    """Keeps everything for the life of this object and nothing on disk: bots, tests."""

    def __init__(self) -> None:
        """Starts empty."""
        self.known_hosts = KnownHosts()
        self.whereabouts = Whereabouts()
        self._seats: dict[tuple[str, str], list[MemorySeat]] = {}
        self._commitments: dict[bytes, str] = {}

    def claim_seat(self, host_id: str, table_id: str, name: str | None) -> MemorySeat:
        """See `Store.claim_seat`."""
        seats = self._seats.setdefault((host_id, table_id), [])
        for seat in seats:
            if not seat.in_use and name in (None, seat.name):
                seat.in_use = True
                seat.starts += 1
                return seat
        seats.append(MemorySeat(name or ""))
        return seats[-1]

    def held_seats(self, host_id: str) -> list[HeldSeat]:
        """See `Store.held_seats`."""
        return [
            HeldSeat(table_id, seat.name, seat.in_use)
            for (host, table_id), seats in self._seats.items()
            if host == host_id
            for seat in seats
        ]

    def hosts_with_seats(self) -> list[str]:
        """See `Store.hosts_with_seats`."""
        return list(dict.fromkeys(host for host, _table in reversed(self._seats)))

    def note_commitment(self, commitment: bytes, where: str) -> bool:
        """See `Store.note_commitment`."""
        return self._commitments.setdefault(commitment, where) == where

    def keep_record(self, game_id: str, record: bytes) -> None:
        """Keeps nothing."""

    def keep_receipt(self, game_id: str, seat: int | None, receipt: Mapping[str, Any]) -> None:
        """Keeps nothing."""


class DiskSeat:
    """A seat kept in files that only the user can read."""

    def __init__(self, stem: Path, lock: FileLock, token: str, name: str, starts: int) -> None:
        """Takes over a lock that is held already."""
        self._stem = stem
        self._lock = lock
        self.token = token
        self.name = name
        # With the machine's name: a folder that is copied to another is another place.
        here = f"{socket.gethostname()} {stem}".encode(errors="surrogateescape")
        self.place = hashlib.sha256(here).hexdigest()[:16]
        self.starts = starts
        self._seen_game = ""

    def keep(self, name: str) -> None:
        """See `SeatMemory.keep`."""
        self.name = name
        kept = {"token": self.token, "name": name, "starts": self.starts}
        write_json(self._file("json"), kept)

    def save_deal(self, deal: Mapping[str, Any]) -> None:
        """See `SeatMemory.save_deal`."""
        write_json(self._file("deal"), deal)

    def load_deal(self) -> dict[str, Any] | None:
        """See `SeatMemory.load_deal`; a damaged file counts as none."""
        return read_json(self._file("deal"))

    def append_seen(self, game_id: str, events: list[tuple[int, bytes]]) -> None:
        """See `SeatMemory.append_seen`."""
        if self._seen_game != game_id:
            kept = self.load_seen(game_id)
            if not kept:
                with storing(self._file("seen")):
                    replace_file(
                        self._file("seen"), json.dumps({"game_id": game_id}).encode() + b"\n"
                    )
            self._seen_game = game_id
        lines = "".join(f"{n} {base64.b64encode(event).decode()}\n" for n, event in events)
        with storing(self._file("seen")), private_append(self._file("seen")) as file:
            file.write(lines.encode())

    def load_seen(self, game_id: str) -> list[tuple[int, bytes]]:
        """See `SeatMemory.load_seen`; a line half written ends the list."""
        try:
            head, *lines = self._file("seen").read_bytes().splitlines()
        except (OSError, ValueError):
            return []
        seen: list[tuple[int, bytes]] = []
        try:
            if json.loads(head).get("game_id") != game_id:
                return []
            for line in lines:
                number, event = line.split(b" ")
                seen.append((int(number), base64.b64decode(event, validate=True)))
        except (ValueError, AttributeError):
            # Half a line is what a crash leaves; what stands before it is whole.
            return seen
        return seen

    def release(self, *, forget: bool) -> None:
        """See `SeatMemory.release`."""
        if forget:
            for kind in ("json", "deal", "seen"):
                with storing(self._file(kind)):
                    self._file(kind).unlink(missing_ok=True)
        self._lock.release()

    def _file(self, kind: str) -> Path:
        return self._stem.with_suffix("." + kind)


class DiskStore:
    """Keeps everything in the user's own folders."""

    def __init__(self, state_dir: Path | None = None, data_dir: Path | None = None) -> None:
        """Uses the places that platformdirs gives, unless told others."""
        self._state = state_dir or Path(platformdirs.user_state_dir(APP_NAME, appauthor=False))
        self._data = data_dir or Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))
        self.known_hosts = KnownHosts(self._state / _KNOWN_HOSTS)
        self.whereabouts = Whereabouts(self._state / _WHEREABOUTS)

    @property
    def records_dir(self) -> Path:
        """Where records and receipts are kept."""
        return self._data / "records"

    def claim_seat(self, host_id: str, table_id: str, name: str | None) -> DiskSeat:
        """See `Store.claim_seat`.

        Raises:
            StorageError: The state folder cannot be written.
        """
        folder = self._table_dir(host_id, table_id)
        with storing(folder):
            private_dir(folder)
            for file in sorted(folder.glob("*.json")):
                kept = read_json(file)
                if kept is None or not _is_token(kept.get("token")):
                    continue
                if name is None or kept.get("name") == name:
                    lock = _try_lock(file.with_suffix(".lock"))
                    if lock is not None:
                        stem = file.with_suffix("")
                        name, starts = str(kept.get("name", "")), kept.get("starts", 0)
                        starts = starts if isinstance(starts, int) else 0
                        return DiskSeat(stem, lock, kept["token"], name, starts + 1)
            stem = folder / secrets.token_hex(4)
            lock = _try_lock(stem.with_suffix(".lock"))
            if lock is None:
                raise StorageError(_("Another program holds {path}.").format(path=stem))
            return DiskSeat(stem, lock, new_seat_token(), name or "", 1)

    def held_seats(self, host_id: str) -> list[HeldSeat]:
        """See `Store.held_seats`."""
        held = []
        for file in sorted((self._state / "seats" / _safe(host_id)).glob("*/*.json")):
            kept = read_json(file)
            if kept is None or not _is_token(kept.get("token")):
                continue
            lock = _try_lock(file.with_suffix(".lock"))
            if lock is not None:
                lock.release()
            held.append(HeldSeat(file.parent.name, str(kept.get("name", "")), lock is None))
        return held

    def hosts_with_seats(self) -> list[str]:
        """See `Store.hosts_with_seats`."""
        newest: dict[str, float] = {}
        for file in (self._state / "seats").glob("*/*/*.json"):
            try:
                changed = file.stat().st_mtime
            except OSError:
                continue  # Its client has just ended.
            host_id = file.parent.parent.name
            newest[host_id] = max(changed, newest.get(host_id, changed))
        return sorted(newest, key=lambda host_id: -newest[host_id])

    def note_commitment(self, commitment: bytes, where: str) -> bool:
        """See `Store.note_commitment`.

        Raises:
            StorageError: The state folder cannot be written.
        """
        path = self._state / "commitments.txt"
        text = commitment.hex()
        with storing(path):
            private_dir(self._state)
            with FileLock(path.with_suffix(".lock")):
                lines = path.read_text("utf-8").splitlines() if path.exists() else []
                for line in lines:
                    seen, _space, place = line.partition(" ")
                    if seen == text:
                        return place == where
                with private_append(path) as file:
                    file.write(f"{text} {where}\n".encode())
        return True

    def keep_record(self, game_id: str, record: bytes) -> Path:
        """See `Store.keep_record`.

        Raises:
            StorageError: The data folder cannot be written.
        """
        path = self.records_dir / f"{_safe(game_id)}.genial"
        with storing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, record)
        return path

    def keep_receipt(self, game_id: str, seat: int | None, receipt: Mapping[str, Any]) -> Path:
        """See `Store.keep_receipt`.

        Raises:
            StorageError: The data folder cannot be written.
        """
        who = "watching" if seat is None else f"seat{seat}"
        path = self.records_dir / f"{_safe(game_id)}.{who}.json"
        with storing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, receipt)
        return path

    def _table_dir(self, host_id: str, table_id: str) -> Path:
        return self._state / "seats" / _safe(host_id) / _safe(table_id)


_SAFE_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def _safe(name: str) -> str:
    """A file name for an id that a host made up: never a path, never too long."""
    if _SAFE_NAME.fullmatch(name):
        return name
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def _is_token(text: object) -> bool:
    return isinstance(text, str) and _TOKEN.fullmatch(text) is not None


def _try_lock(path: Path) -> FileLock | None:
    lock = FileLock(path, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock
