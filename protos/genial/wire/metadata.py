"""Call metadata: its names, seat tokens, the bearer secret between services."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import unicodedata
from typing import Final
from urllib.parse import quote, unquote

SEAT_TOKEN: Final = "genial-seat-token"
"""Who the caller is at a table: 32 random bytes of the client's own, base64url."""

WATCHER: Final = "genial-watcher"
"""Which client opens a stream, and its how many-th that is: ``ID NUMBER``.

The newer of two streams of one token wins. What a dead connection, or a client that has crashed,
still delivers late may be the older one, and only the client knows: the id names the place where it
keeps the seat, and the number rises with every stream, from one session there to the next. Where
this is missing, or the ids differ, whoever comes later is the newer.
"""

HOST_PASSWORD: Final = "genial-host-password"
"""The host's password, where it asks for one; percent-encoded (`host_password_entry`)."""

FORWARDED_BY: Final = "genial-forwarded-by"
"""The secret again, on calls that one service passes on for somebody: their gate was asked."""

ONLY_REPEAT: Final = "genial-only-repeat"
"""Between services: do nothing new, only give the first answer if this is a repeat."""

AUTHORIZATION: Final = "authorization"
"""``Bearer SECRET`` between services."""

CERTIFICATE_NAME: Final = "genial"
"""The name in every host's certificate. Hosts have no names of their own that a certificate
could vouch for; its fingerprint does that."""

TOKEN_BYTES: Final = 32
_BEARER: Final = "Bearer "


class MalformedTokenError(ValueError):
    """A text that is no seat token."""


def new_seat_token() -> str:
    """A fresh token: 32 random bytes, base64url without padding (43 characters)."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def seat_token_hash(token: str) -> bytes:
    """SHA-256 over the token's 32 bytes; the host keeps nothing else of it.

    Raises:
        MalformedTokenError: `token` is not base64url of 32 bytes (padding optional).
    """
    text = token.rstrip("=")
    try:
        if "+" in text or "/" in text:
            # The decoder takes the other alphabet's two as well.
            raise ValueError(text)
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise MalformedTokenError("a seat token is 32 bytes in base64url") from None
    if len(raw) != TOKEN_BYTES:
        raise MalformedTokenError(f"a seat token has 32 bytes, not {len(raw)}")
    return hashlib.sha256(raw).digest()


def watcher_entry(place: str, number: int) -> tuple[str, str]:
    """The entry that says whose stream this is; `number` rises from one to the next."""
    return WATCHER, f"{place} {number}"


def is_overtaken(newcomer: str, standing: str) -> bool:
    """Whether a stream that comes was opened before one from its place that stands.

    Args:
        newcomer: Its `WATCHER` entry; empty for none.
        standing: The same of the one that stands.
    """
    session, _, number = newcomer.partition(" ")
    other, _, later = standing.partition(" ")
    if not session or session != other:
        return False
    if not (number.isascii() and number.isdigit() and later.isascii() and later.isdigit()):
        return False
    return (len(number), number) < (len(later), later)


def same_secret(one: bytes, other: bytes) -> bool:
    """Whether two secrets are equal, in a time that tells nothing of how far they agree."""
    return hmac.compare_digest(one, other)


def bearer(secret: str) -> tuple[str, str]:
    """The metadata entry that carries a service's secret."""
    return AUTHORIZATION, _BEARER + secret


def bearer_secret(value: str) -> str | None:
    """The secret of an `authorization` entry, or None if it is no bearer's."""
    return value.removeprefix(_BEARER) if value.startswith(_BEARER) else None


_PLAIN_IN_METADATA: Final = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) != "%")


def host_password_entry(password: str) -> tuple[str, str]:
    """The metadata entry that carries the host's password.

    Metadata is ASCII and loses blanks at its ends, so whatever is not printable ASCII is
    percent-encoded UTF-8. Composed first: the same letter typed on two systems is one letter.
    """
    composed = unicodedata.normalize("NFC", password)
    return HOST_PASSWORD, quote(composed, safe=_PLAIN_IN_METADATA)


def host_password(value: str) -> str:
    """The password of a `HOST_PASSWORD` entry."""
    return unquote(value, errors="replace")
