"""Backups: made under a running host, put back whole, refused where they would do harm."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import stat
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from genial.services import backup
from genial.services.backup import BackupError, back_up, restore
from genial.services.certificate import FILE_NAME
from genial.services.files import sync_folder
from genial.services.host import Host
from genial.services.settings import DATABASE, HostError
from genial.v1 import lobby_service_pb2
from tests.services.host.hosts import Line, hosting, line_to, local
from tests.services.lobby.lobbies import create_request


@contextmanager
def kept_folder(dir: Path, prefix: str) -> Iterator[str]:
    """A temporary folder that stays, as after a power cut."""
    yield tempfile.mkdtemp(dir=dir, prefix=prefix)


async def names(line: Line) -> set[str]:
    answer = await line.lobby.ListTables(lobby_service_pb2.ListTablesRequest())
    return {table.name for table in answer.tables}


async def test_what_was_there_is_there_again(tmp_path: Path) -> None:
    backup = tmp_path / "evening.tar.gz"
    settings = local(tmp_path / "data", plaintext=True)
    async with hosting(settings) as (_, ready), line_to(ready.address) as line:
        await line.lobby.CreateTable(create_request(name="Before"))
        done = back_up(tmp_path / "data", backup)
        await line.lobby.CreateTable(create_request(name="After"))
        assert await names(line) == {"Before", "After"}
        first_id = ready.host_id
    assert done.parts == (DATABASE,)
    restore(backup, tmp_path / "again")
    assert (tmp_path / "again").stat().st_mode & 0o777 == 0o700
    settings = local(tmp_path / "again", plaintext=True)
    async with hosting(settings) as (_, ready), line_to(ready.address) as line:
        assert await names(line) == {"Before"}
        assert ready.host_id == first_id


async def test_the_certificate_comes_along(tmp_path: Path) -> None:
    async with hosting(local(tmp_path / "data", plaintext=False)) as (_, ready):
        done = back_up(tmp_path / "data", tmp_path / "b.tar.gz")
    assert done.parts == (DATABASE, FILE_NAME)
    restore(tmp_path / "b.tar.gz", tmp_path / "again")
    assert stat.S_IMODE((tmp_path / "again" / FILE_NAME).stat().st_mode) == 0o600
    async with hosting(local(tmp_path / "again", plaintext=False)) as (_, again):
        assert again.fingerprint == ready.fingerprint


async def test_a_restore_that_is_cut_off_is_no_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between any two steps there is either nothing that a host takes, or everything."""
    settings = local(tmp_path / "data", plaintext=False)
    async with hosting(settings) as (_, ready):
        back_up(tmp_path / "data", tmp_path / "b.tar.gz")
    replace = os.replace
    for steps in range(2):
        again = tmp_path / f"again-{steps}"
        done: list[object] = []

        def dying(source: Path, target: Path, done: list[object] = done, most: int = steps) -> None:
            if len(done) == most:
                raise KeyboardInterrupt  # the power goes: nothing is cleaned up either
            done.append(target)
            replace(source, target)

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", dying)
            patch.setattr("genial.services.backup.tempfile.TemporaryDirectory", kept_folder)
            with pytest.raises(KeyboardInterrupt):
                restore(tmp_path / "b.tar.gz", again)
        assert not (again / DATABASE).exists()
        with pytest.raises(HostError, match="not put back whole"):
            await Host(local(again, plaintext=False)).start()
        with pytest.raises(BackupError, match="move it away first"):
            restore(tmp_path / "b.tar.gz", again)
    restore(tmp_path / "b.tar.gz", tmp_path / "whole")
    async with hosting(local(tmp_path / "whole", plaintext=False)) as (_, whole):
        assert (whole.host_id, whole.fingerprint) == (ready.host_id, ready.fingerprint)


async def test_what_is_restored_is_synced_without_its_unpacking_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which would make a whole host look like half a one after a power cut."""
    async with hosting(local(tmp_path / "data", plaintext=False)):
        back_up(tmp_path / "data", tmp_path / "b.tar.gz")
    synced: list[list[str]] = []
    monkeypatch.setattr(
        backup, "sync_folder", lambda folder: synced.append(sorted(os.listdir(folder)))
    )
    restore(tmp_path / "b.tar.gz", tmp_path / "whole")
    assert synced[-1] == sorted([DATABASE, FILE_NAME])


async def test_a_host_that_rests_can_be_backed_up_too(tmp_path: Path) -> None:
    async with hosting(local(tmp_path / "data")) as (_, ready), line_to(ready.address) as line:
        await line.lobby.CreateTable(create_request(name="Before"))
    back_up(tmp_path / "data", tmp_path / "b.tar.gz")
    restore(tmp_path / "b.tar.gz", tmp_path / "again")
    async with hosting(local(tmp_path / "again")) as (_, ready), line_to(ready.address) as line:
        assert await names(line) == {"Before"}


async def test_writing_goes_on_meanwhile(tmp_path: Path) -> None:
    async with hosting(local(tmp_path / "data")) as (_, ready), line_to(ready.address) as line:
        busy = True

        async def write() -> int:
            written = 0
            while busy:
                await line.lobby.CreateTable(create_request(name=f"Table {written}"))
                written += 1
            return written

        writing = asyncio.create_task(write())
        for number in range(5):
            await asyncio.to_thread(back_up, tmp_path / "data", tmp_path / f"{number}.tar.gz")
        busy = False
        assert await writing > 0
    for number in range(5):
        restore(tmp_path / f"{number}.tar.gz", tmp_path / str(number))


async def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    async with hosting(local(tmp_path / "data")):
        back_up(tmp_path / "data", tmp_path / "b.tar.gz")
    assert stat.S_IMODE((tmp_path / "b.tar.gz").stat().st_mode) == 0o600
    assert sorted(os.listdir(tmp_path)) == ["b.tar.gz", "data"]


async def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "b.tar.gz").write_text("precious")
    async with hosting(local(tmp_path / "data")):
        with pytest.raises(BackupError, match="is there already"):
            back_up(tmp_path / "data", tmp_path / "b.tar.gz")
        back_up(tmp_path / "data", tmp_path / "c.tar.gz")
    with pytest.raises(BackupError, match="move it away first"):
        restore(tmp_path / "c.tar.gz", tmp_path / "data")
    assert (tmp_path / "b.tar.gz").read_text() == "precious"


@pytest.mark.parametrize(
    ("fault", "matters"), [(errno.EINVAL, False), (errno.ENOTSUP, False), (errno.EIO, True)]
)
def test_some_file_systems_sync_no_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: int, matters: bool
) -> None:
    """Such as those of some networks, where backups are kept."""
    fsync = os.fsync

    def refusing(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(fault, os.strerror(fault))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", refusing)
    with pytest.raises(OSError, match="error") if matters else nullcontext():
        sync_folder(tmp_path)


def test_no_data_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="no host's data"):
        back_up(tmp_path, tmp_path / "b.tar.gz")


async def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    async with hosting(local(tmp_path / "data")):
        with pytest.raises(BackupError, match="cannot be written"):
            back_up(tmp_path / "data", tmp_path / "no" / "such" / "folder")


def test_a_damaged_database_is_not_backed_up(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(BackupError):
        back_up(tmp_path, tmp_path / "b.tar.gz")
    assert not (tmp_path / "b.tar.gz").exists()


@pytest.mark.parametrize("content", [b"", b"rubbish" * 100, b"\x1f\x8b\x08\x00cut"])
def test_what_is_no_backup_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b").write_bytes(content)
    with pytest.raises(BackupError, match="cannot be restored"):
        restore(tmp_path / "b", tmp_path / "data")
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "other.db"])
def test_an_archive_of_others_takes_no_file_out(tmp_path: Path, name: str) -> None:
    with tarfile.open(tmp_path / "b", "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = 4
        archive.addfile(member, io.BytesIO(b"evil"))
    with pytest.raises(BackupError, match="no backup of a host"):
        restore(tmp_path / "b", tmp_path / "data")
    assert not (tmp_path / "evil").exists()
