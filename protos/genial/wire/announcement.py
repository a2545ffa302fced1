"""What a host says of itself by mDNS: service type, TXT keys, instance name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SERVICE_TYPE: Final = "_genial._tcp.local."
DEFAULT_PORT: Final = 7718
PROTOCOL: Final = "v1"
MOST_NEIGHBOURS: Final = 32
"""Hosts that one host may invite; clients connect to each of them."""

KEY_VERSION: Final = "v"
KEY_HOST_ID: Final = "id"
KEY_NAME: Final = "name"
KEY_FINGERPRINT: Final = "fp"
KEY_TABLES: Final = "tables"
KEY_OPEN_SEATS: Final = "open"

_LONGEST_ENTRY: Final = 255
"""Bytes of one TXT entry, key and equals sign included (RFC 6763, section 6)."""
_LONGEST_INSTANCE: Final = 63
"""Bytes of an instance name (RFC 6763, section 4.1.1)."""
_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{64}")
_SHORT_ID: Final = 8
_MOST: Final = 1_000_000


class MalformedAnnouncementError(ValueError):
    """TXT entries that are no announcement of a host."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """One host's announcement.

    Attributes:
        host_id: Names the host for good, whatever it is called and wherever it runs.
        name: For people; not unique.
        fingerprint: SHA-256 of its certificate, lower-case hex; None with plaintext.
        tables: Tables that are not finished.
        open_seats: Seats that somebody could take, over all tables.
        version: Protocol version.
    """

    host_id: str
    name: str
    fingerprint: str | None = None
    tables: int = 0
    open_seats: int = 0
    version: str = PROTOCOL

    def to_properties(self) -> dict[str, str]:
        """The TXT entries; a name too long for one is cut at a whole character."""
        properties = {
            KEY_VERSION: self.version,
            KEY_HOST_ID: self.host_id,
            KEY_NAME: _cut(self.name, _LONGEST_ENTRY - len(KEY_NAME) - 1),
            KEY_TABLES: str(self.tables),
            KEY_OPEN_SEATS: str(self.open_seats),
        }
        if self.fingerprint is not None:
            properties[KEY_FINGERPRINT] = self.fingerprint
        return properties

    @classmethod
    def from_properties(cls, properties: Mapping[bytes, bytes | None]) -> Announcement:
        """The announcement of TXT entries as zeroconf gives them; unknown keys are ignored.

        Raises:
            MalformedAnnouncementError: An entry is missing or makes no sense.
        """

        def text(key: str) -> str | None:
            value = properties.get(key.encode())
            if value is None:
                return None
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise MalformedAnnouncementError(f"{key} is not UTF-8") from None

        def number(key: str) -> int:
            value = text(key) or "0"
            if not (value.isascii() and value.isdigit() and len(value) <= len(str(_MOST))):
                raise MalformedAnnouncementError(f"{key} is no number")
            return min(int(value), _MOST)

        version, host_id = text(KEY_VERSION), text(KEY_HOST_ID)
        if not version or not host_id:
            raise MalformedAnnouncementError(f"{KEY_VERSION} or {KEY_HOST_ID} is missing")
        if not _ID.fullmatch(host_id) or not _ID.fullmatch(version):
            raise MalformedAnnouncementError(f"{KEY_VERSION} or {KEY_HOST_ID} is none of ours")
        fingerprint = text(KEY_FINGERPRINT) or None
        if fingerprint is not None and not _FINGERPRINT.fullmatch(fingerprint):
            raise MalformedAnnouncementError(f"{KEY_FINGERPRINT} is no SHA-256")
        return cls(
            host_id=host_id,
            name=text(KEY_NAME) or host_id,
            fingerprint=fingerprint,
            tables=number(KEY_TABLES),
            open_seats=number(KEY_OPEN_SEATS),
            version=version,
        )


def instance_name(name: str, host_id: str) -> str:
    """The mDNS instance name, unique by construction: display name and short id.

    Without the service type behind it. Dots would be read as labels by some, and
    control characters are refused by all; neither is left in it.
    """
    printable = "".join(c if c.isprintable() and c != "." else " " for c in name)
    suffix = f" {host_id[:_SHORT_ID]}"
    kept = _cut(" ".join(printable.split()), _LONGEST_INSTANCE - len(suffix.encode()))
    return (kept or "Genial") + suffix


def _cut(text: str, most: int) -> str:
    """`text` cut to at most `most` bytes of UTF-8, at a whole character."""
    return text.encode(errors="replace")[:most].decode(errors="ignore").rstrip()
