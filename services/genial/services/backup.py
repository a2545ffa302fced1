"""A copy of everything that a host keeps, made while it runs, and put back.

One file, a gzipped tar: the database as of one moment (SQLite's own online backup, which waits
for nobody and holds up nobody for long) and the certificate. It holds the host's private key and
what a game still hides, so it is for its owner's eyes alone.
"""

from __future__ import annotations

import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from genial.services.certificate import FILE_NAME as CERTIFICATE
from genial.services.files import put_new, sync_folder
from genial.services.settings import DATABASE

_PARTS: Final = (DATABASE, CERTIFICATE)
_LEFTOVERS: Final = ("-wal", "-shm", "-journal")
_RESTORING: Final = ".restore-"
"""What the folder is called in which a backup is unpacked, until it is whole."""
_BUSY_SECONDS: Final = 30.0


class BackupError(Exception):
    """Nothing was backed up or restored; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Backup:
    """What was written or put back.

    Attributes:
        path: The file, or the folder.
        parts: Names of the files in it.
        size: Bytes of all of them.
    """

    path: Path
    parts: tuple[str, ...]
    size: int


def back_up(data: Path, target: Path) -> Backup:
    """Writes a backup of a data directory, whether or not a host uses it at the moment.

    Args:
        data: The data directory.
        target: The file to write; it must not be there yet. Mode 0600.

    Raises:
        BackupError: There is no host's data, it is damaged, or the file cannot be written.
    """
    source = data / DATABASE
    if not source.is_file():
        raise BackupError(f"There is no host's data in {data}; say where it is with --data.")
    if target.exists():
        raise BackupError(f"{target} is there already; choose another name or remove it.")
    try:
        with tempfile.TemporaryDirectory(dir=target.resolve().parent, prefix=".backup-") as folder:
            staged = Path(folder)
            _copy_database(source, staged / DATABASE)
            certificate = data / CERTIFICATE
            if certificate.is_file():
                _copy_private(certificate, staged / CERTIFICATE)
            parts = tuple(name for name in _PARTS if (staged / name).is_file())
            packed = staged / "backup.tar.gz"
            _pack(staged, parts, packed)
            size = packed.stat().st_size
            put_new(packed, target)
    except FileExistsError as fault:
        raise BackupError(f"{target} is there already; choose another name.") from fault
    except (OSError, sqlite3.Error) as fault:
        raise BackupError(f"The backup cannot be written to {target}: {_why(fault)}.") from fault
    return Backup(target, parts, size)


def restore(source: Path, data: Path) -> Backup:
    """Puts a backup into a data directory that has no host's data yet.

    Raises:
        BackupError: The file is no backup, the directory is in use, or cannot be written.
    """
    taken = [name for name in _PARTS if (data / name).exists()]
    taken += [path.name for path in _half_restored(data)]
    if taken:
        raise BackupError(
            f"There is a host's data in {data} already ({', '.join(taken)}); move it away first, or"
            " choose another directory with --data."
        )
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=data, prefix=_RESTORING) as folder:
            parts = _unpack(source, Path(folder))
            _check_database(Path(folder) / DATABASE)
            for leftover in _LEFTOVERS:
                # Of a database that is gone; SQLite would play it into the new one.
                (data / (DATABASE + leftover)).unlink(missing_ok=True)
            size = 0
            # The database last: games under a new certificate would be refused by every client.
            for name in sorted(parts, key=_PARTS.index, reverse=True):
                size += (Path(folder) / name).stat().st_size
                _sync(Path(folder) / name)
                os.replace(Path(folder) / name, data / name)
            sync_folder(data)
        # Once more without the folder, which would look like a restore that was cut off.
        sync_folder(data)
    except (OSError, EOFError, tarfile.TarError, sqlite3.Error) as fault:
        raise BackupError(f"{source} cannot be restored to {data}: {_why(fault)}.") from fault
    return Backup(data, parts, size)


def is_half_restored(data: Path) -> bool:
    """Whether a restore into that directory was cut off, or is still at it."""
    return any(_half_restored(data))


def _half_restored(data: Path) -> Iterator[Path]:
    return data.glob(f"{_RESTORING}*")


def _copy_database(source: Path, copy: Path) -> None:
    copy.touch(mode=0o600)
    uri = f"{source.resolve().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as reading,
        closing(sqlite3.connect(copy)) as writing,
    ):
        # In one go: with a write-ahead log a reader holds up no writer, while a copy in pieces
        # begins anew with every write in between.
        reading.backup(writing)
        # One file, without a log beside it.
        writing.execute("PRAGMA journal_mode = DELETE")
    _check_database(copy)


def _check_database(path: Path) -> None:
    if not path.is_file():
        raise BackupError(f"There is no {DATABASE} in the backup.")
    with closing(sqlite3.connect(path)) as connection:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise BackupError(f"The database is damaged: {found}.")


def _copy_private(source: Path, copy: Path) -> None:
    copy.touch(mode=0o600)
    copy.write_bytes(source.read_bytes())


def _pack(folder: Path, parts: tuple[str, ...], packed: Path) -> None:
    packed.touch(mode=0o600)
    with tarfile.open(packed, "w:gz") as archive:
        for name in parts:
            archive.add(folder / name, name)
    _sync(packed)


def _sync(path: Path) -> None:
    # Windows syncs only what is open for writing.
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _unpack(source: Path, folder: Path) -> tuple[str, ...]:
    found = []
    with tarfile.open(source, "r:gz") as archive:
        for member in archive:
            # Nothing else is taken out, wherever it may point to.
            if member.name not in _PARTS or not member.isfile():
                raise BackupError(
                    f"{source} is no backup of a host: it holds {member.name[:60]!r}."
                )
            file = archive.extractfile(member)
            target = folder / member.name
            target.touch(mode=0o600)
            with target.open("wb") as copy:
                while file is not None and (piece := file.read(1 << 20)):
                    copy.write(piece)
            found.append(member.name)
    return tuple(found)


def _why(fault: BaseException) -> str:
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror
    return str(fault) or type(fault).__name__
