"""Certificates of the hosts that were met, remembered by the host's id."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from genial.client.errors import StorageError
from genial.client.files import private_dir, read_json, storing, write_json
from genial.client.fingerprints import parse_fingerprint
from genial.client.text import _


@dataclass(frozen=True, slots=True)
class KnownHost:
    """What is remembered of a host.

    Attributes:
        fingerprint: Of its certificate, 64 lower-case hex digits.
        name: What it was called when it was remembered, for people.
        since: When that was.
    """

    fingerprint: str
    name: str
    since: datetime


class KnownHosts:
    """Certificates by host id, in a file of the user's own or, without one, in memory.

    The file is read anew each time: several clients of one person may run at once.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Uses the file at `path`; None: nothing is kept."""
        self.path = path
        self._hosts: dict[str, KnownHost] = {}

    def find(self, host_id: str) -> KnownHost | None:
        """What is remembered of this host.

        Raises:
            StorageError: The file is there but cannot be read.
        """
        self._load()
        return self._hosts.get(host_id)

    def remember(self, host_id: str, fingerprint: str, name: str) -> None:
        """Remembers the host's certificate, in place of any before.

        Raises:
            StorageError: The file cannot be read or written.
        """
        host = KnownHost(fingerprint, name, datetime.now(UTC))
        if self.path is None:
            self._hosts[host_id] = host
            return
        with storing(self.path):
            private_dir(self.path.parent)
            with FileLock(self.path.with_suffix(".lock")):
                self._load()
                self._hosts[host_id] = host
                hosts = {key: _to_json(value) for key, value in self._hosts.items()}
                write_json(self.path, {"hosts": hosts})

    def _load(self) -> None:
        if self.path is None or not self.path.exists():
            return
        content = read_json(self.path)
        try:
            if content is None:
                raise ValueError(self.path)
            self._hosts = {key: _from_json(value) for key, value in content["hosts"].items()}
        except (KeyError, ValueError, TypeError, AttributeError):
            # Counting it as empty would let every impostor in.
            raise StorageError(
                _(
                    "The list of known hosts in {path} is damaged. Restore it, or remove the file:"
                    " every host is then new to you, so compare the fingerprints once more."
                ).format(path=self.path)
            ) from None


def _to_json(host: KnownHost) -> dict[str, str]:
    return {
        "fingerprint": host.fingerprint,
        "name": host.name,
        "since": host.since.isoformat(timespec="seconds"),
    }


def _from_json(entry: Any) -> KnownHost:
    return KnownHost(
        parse_fingerprint(entry["fingerprint"]),
        str(entry["name"]),
        datetime.fromisoformat(entry["since"]),
    )
