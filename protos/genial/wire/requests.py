"""Checks of what callers send. A fault is a `GenialError` that names its field."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import Final

from genial.engine.moves import Cells
from genial.engine.tiles import Tile
from genial.v1 import game_service_pb2
from genial.wire.errors import malformed
from genial.wire.values import cells_from_message, tile_from_message

DEFAULT_PAGE: Final = 50
LARGEST_PAGE: Final = 200
_LONGEST_ID: Final = 64
_LONGEST_PAGE_TOKEN: Final = 256
_SEAL_BYTES: Final = 6
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""`uuid.UUID` reads blanks, signs and digits of other scripts too: several texts for one id."""


def request_id(value: str, field: str = "request_id") -> str:
    """A request id in its canonical writing.

    Raises:
        GenialError: MALFORMED, unless it is a UUID like
            ``123e4567-e89b-12d3-a456-426614174000``.
    """
    canonical = value.lower()
    if not value.isascii() or _UUID.fullmatch(canonical) is None:
        raise malformed(field, "must be a UUID, a new one for each command")
    return canonical


def identifier(value: str, field: str) -> str:
    """An id of a table or game as it was given out.

    Raises:
        GenialError: MALFORMED, for none, or for what can be no id of ours.
    """
    if not value:
        raise malformed(field, "must be given")
    if len(value) > _LONGEST_ID or not value.isascii() or not value.isprintable():
        raise malformed(field, "is no id that a host gives out")
    return value


def secret(value: bytes, field: str, length: int = 32) -> bytes:
    """Bytes of a fixed length: seeds, nonces, hashes.

    Raises:
        GenialError: MALFORMED, for another length.
    """
    if len(value) != length:
        raise malformed(field, f"must be {length} bytes long, not {len(value)}")
    return value


def text(value: str, field: str, longest: int) -> str:
    """A text of at most `longest` characters.

    Raises:
        GenialError: MALFORMED, for a longer one.
    """
    if len(value) > longest:
        raise malformed(field, f"is {len(value)} characters long, at most {longest} are allowed")
    return value


def page_size(value: int, field: str = "page_size") -> int:
    """How many entries a page gets.

    Raises:
        GenialError: MALFORMED, for more than 200.
    """
    if value > LARGEST_PAGE:
        raise malformed(field, f"at most {LARGEST_PAGE} at once, not {value}")
    return value or DEFAULT_PAGE


def page_token(place: str) -> str:
    """The token of the page that begins behind `place`; callers cannot make one up."""
    return base64.urlsafe_b64encode(_page_seal(place) + place.encode()).decode()


def _page_seal(place: str) -> bytes:
    """What tells a token that was given out from letters that somebody typed."""
    return hashlib.sha256(b"genial-page/1" + place.encode()).digest()[:_SEAL_BYTES]


def page_place(token: str, field: str = "page_token") -> str:
    """The place that a page token names; "" for the first page.

    Raises:
        GenialError: MALFORMED, for what is no token of ours.
    """
    if not token:
        return ""
    try:
        if len(token) > _LONGEST_PAGE_TOKEN:
            raise ValueError(token)
        sealed = base64.b64decode(token, altchars=b"-_", validate=True)
        place = sealed[_SEAL_BYTES:].decode()
        if sealed[:_SEAL_BYTES] != _page_seal(place):
            raise ValueError(token)
        return place
    except (binascii.Error, ValueError):
        raise malformed(field, "must be the next_page_token of the page before") from None


def placement(request: game_service_pb2.PlaceTileRequest) -> tuple[Tile, Cells]:
    """The oriented tile and the cells of a placement.

    Raises:
        GenialError: MALFORMED, for what is no tile, or not two cells.
    """
    return tile_from_message(request.tile), cells_from_message(request.cells)
