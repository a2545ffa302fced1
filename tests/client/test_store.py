"""What a client keeps on disk, and what becomes of it when the disk is not as it should be."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from genial.client.errors import StorageError
from genial.client.files import storing
from genial.client.store import DiskStore


@pytest.fixture
def store(tmp_path: Path) -> DiskStore:
    return DiskStore(tmp_path / "state", tmp_path / "data")


def again(tmp_path: Path) -> DiskStore:
    """The same places, as a program started anew sees them."""
    return DiskStore(tmp_path / "state", tmp_path / "data")


def test_everything_of_a_seat_is_for_the_user_alone(store: DiskStore, tmp_path: Path) -> None:
    seat = store.claim_seat("host", "table", "Ana")
    seat.keep("Ana")
    seat.save_deal({"nonce": "secret"})
    seat.append_seen("game", [(1, b"one")])
    for path in (tmp_path / "state").rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 == 0 or path.suffix == ".lock", path


def test_names_tell_seats_apart_and_use_keeps_others_out(store: DiskStore, tmp_path: Path) -> None:
    ana = store.claim_seat("host", "table", "Ana")
    ana.keep("Ana")
    # While Ana plays, a second window of hers is somebody else.
    second = again(tmp_path).claim_seat("host", "table", "Ana")
    assert second.token != ana.token
    second.release(forget=True)
    ana.release(forget=False)
    assert again(tmp_path).claim_seat("host", "table", "Max").token != ana.token
    back = again(tmp_path).claim_seat("host", "table", None)
    assert (back.token, back.name) == (ana.token, "Ana")
    back.release(forget=True)
    assert store.held_seats("host") == []


def test_events_seen_survive_half_a_line_and_belong_to_one_game(
    store: DiskStore, tmp_path: Path
) -> None:
    seat = store.claim_seat("host", "table", "Ana")
    seat.keep("Ana")
    seat.append_seen("game-1", [(1, b"one"), (2, b"\n\x00two")])
    (seen,) = (tmp_path / "state").rglob("*.seen")
    with seen.open("ab") as file:
        file.write(b"3 dGhy")  # The client died here.
    assert seat.load_seen("game-1") == [(1, b"one"), (2, b"\n\x00two"), (3, b"thr")]
    with seen.open("ab") as file:
        file.write(b"!!")
    assert seat.load_seen("game-1") == [(1, b"one"), (2, b"\n\x00two")]
    assert seat.load_seen("game-2") == []
    seat.append_seen("game-2", [(1, b"other")])
    assert seat.load_seen("game-1") == []
    assert seat.load_seen("game-2") == [(1, b"other")]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"token": "short"}', b"\xff\xfe", b"null"])
def test_damaged_seat_file_counts_as_none(store: DiskStore, tmp_path: Path, content: bytes) -> None:
    seat = store.claim_seat("host", "table", "Ana")
    seat.keep("Ana")
    seat.release(forget=False)
    (file,) = (tmp_path / "state").rglob("*.json")
    file.write_bytes(content)
    fresh = store.claim_seat("host", "table", "Ana")
    assert fresh.token != seat.token
    assert store.held_seats("host") == []


def test_commitment_is_fresh_once_and_at_its_own_place(store: DiskStore, tmp_path: Path) -> None:
    assert store.note_commitment(b"\x01" * 32, "host/table/1/1")
    assert again(tmp_path).note_commitment(b"\x01" * 32, "host/table/1/1")
    assert not again(tmp_path).note_commitment(b"\x01" * 32, "host/table/1/2")
    assert not again(tmp_path).note_commitment(b"\x01" * 32, "other/table/1/1")
    assert store.note_commitment(b"\x02" * 32, "host/table/1/2")


@pytest.mark.parametrize("name", ["../../escape", "/etc/passwd", "a" * 300, "a\0b", "ü", ""])
def test_ids_that_a_host_makes_up_never_lead_elsewhere(
    store: DiskStore, tmp_path: Path, name: str
) -> None:
    seat = store.claim_seat(name, name, "Ana")
    seat.keep("Ana")
    record = store.keep_record(name, b"record")
    receipt = store.keep_receipt(name, 0, {"verified": True})
    for path in (record, receipt, *(tmp_path / "state").rglob("*.json")):
        assert path.resolve().is_relative_to(tmp_path)
    assert json.loads(receipt.read_text()) == {"verified": True}
    assert {each.name for each in tmp_path.iterdir()} == {"state", "data"}


def test_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    store = DiskStore(blocked / "state", blocked / "data")
    for keep in (
        lambda: store.claim_seat("host", "table", "Ana"),
        lambda: store.note_commitment(b"\x01" * 32, "host/table/1/1"),
        lambda: store.keep_record("game", b"record"),
        lambda: store.keep_receipt("game", None, {}),
    ):
        with pytest.raises(StorageError) as error:
            keep()
        assert error.value.sentence.startswith(f"Cannot keep {blocked}{os.sep}")
        assert "Point HOME, or XDG_STATE_HOME" in error.value.sentence


def test_where_no_variable_says_the_place_none_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genial.client.files.sys.platform", "win32")
    with (
        pytest.raises(StorageError, match="Allow your user to write there") as error,
        storing(tmp_path),
    ):
        raise PermissionError(errno.EACCES, "Permission denied")
    assert "HOME" not in error.value.sentence


def test_sessions_are_counted_where_the_seat_is_kept(tmp_path: Path) -> None:
    """So that a host can tell what a crashed client still had under way from its successor's."""
    for starts in (1, 2, 3):
        seat = DiskStore(tmp_path / "state", tmp_path / "data").claim_seat("host", "table", "Ana")
        seat.keep("Ana")
        assert seat.starts == starts
        place = seat.place
        seat.release(forget=False)
    shutil.copytree(tmp_path / "state", tmp_path / "copied")
    copied = DiskStore(tmp_path / "copied", tmp_path / "data").claim_seat("host", "table", "Ana")
    assert copied.token == seat.token
    assert copied.place != place
    copied.release(forget=True)
