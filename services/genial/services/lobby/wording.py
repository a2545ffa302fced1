"""Names and chat made harmless, once, before anybody sees them; names that the host gives.

What others send ends up on terminals, in logs and in records. Escape sequences, overrides of
the writing direction, invisible characters and towers of combining marks never get further
than here (pitfalls, "Text from others").
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from genial.wire.errors import malformed

NAME_LENGTH: Final = 24
"""Longest name of a player, in characters."""
TABLE_NAME_LENGTH: Final = 40
CHAT_LENGTH: Final = 400
PASSWORD_LENGTH: Final = 128

_COMBINING_RUN: Final = 2
"""Combining marks in a row that real writing needs (Vietnamese has two)."""
_RAW_FACTOR: Final = 8
"""Text longer than this many times its limit is refused unread, not cut."""

BOT_NAMES: Final = (
    *("Ada", "Bruno", "Carla", "Dario", "Elena", "Felix", "Greta", "Hugo", "Ines", "Jonas"),
    *("Klara", "Luca", "Marta", "Nico", "Olga", "Paul", "Rosa", "Silas", "Tilda", "Viktor"),
)
_SCRYPT_COST: Final = 1 << 12


def clean(text: str, longest: int, field: str) -> str:
    """`text` as one line that cannot disturb a screen, cut to `longest` characters.

    Control, format (bidirectional and zero-width characters among them), surrogate, private and
    unassigned characters go; every run of white space becomes one space; no more than two
    combining marks follow each other; composed as NFC.

    Raises:
        GenialError: MALFORMED, when it is many times too long.
    """
    if len(text) > longest * _RAW_FACTOR:
        raise malformed(field, f"must have at most {longest} characters")
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text):
        category = unicodedata.category(character)
        if character.isspace():
            kept.append(" ")
            marks = 0
        elif category.startswith("C") or _is_blank(character):
            continue
        elif category in ("Mn", "Me", "Mc"):
            marks += 1
            # A mark without anything to stand on would land on whatever is printed before it.
            if marks <= _COMBINING_RUN and kept and kept[-1] != " ":
                kept.append(character)
        else:
            kept.append(character)
            marks = 0
    return " ".join("".join(kept).split())[:longest].strip()


def _is_blank(character: str) -> bool:
    """Letters and symbols that show as nothing: Hangul fillers, the blank Braille pattern."""
    return character in "\u115f\u1160\u3164\uffa0\u2800"


def clean_name(text: str, field: str = "name") -> str:
    """A player's name.

    Raises:
        GenialError: MALFORMED, when nothing readable is left.
    """
    name = clean(text, NAME_LENGTH, field)
    if not name:
        raise malformed(field, "must have at least one readable character")
    return name


def clean_table_name(text: str) -> str:
    """A table's name; empty when there is nothing readable in it."""
    return clean(text, TABLE_NAME_LENGTH, "name")


def clean_chat(text: str) -> str:
    """One message of chat.

    Raises:
        GenialError: MALFORMED, when it is empty or too long.
    """
    if len(text) > CHAT_LENGTH:
        raise malformed("text", f"must have at most {CHAT_LENGTH} characters")
    said = clean(text, CHAT_LENGTH, "text")
    if not said:
        raise malformed("text", "must have at least one readable character")
    return said


def distinct(name: str, taken: Iterable[str]) -> str:
    """`name`, with a number behind it if somebody has it already."""
    used = {other.casefold() for other in taken}
    if name.casefold() not in used:
        return name
    number = 2
    while True:
        suffix = f" {number}"
        candidate = name[: NAME_LENGTH - len(suffix)].rstrip() + suffix
        if candidate.casefold() not in used:
            return candidate
        number += 1


def bot_name(taken: Iterable[str], start: int, names: Sequence[str] = BOT_NAMES) -> str:
    """One of `names` that nobody at the table has; `start` says where to begin looking."""
    used = {other.casefold() for other in taken}
    for step in range(len(names)):
        name = names[(start + step) % len(names)]
        if name.casefold() not in used:
            return name
    return distinct(names[start % len(names)], used)


def stand_in_name(name: str, taken: Iterable[str]) -> str:
    """What the bot is called that plays on for `name`."""
    suffix = " (bot)"
    return distinct(name[: NAME_LENGTH - len(suffix)].rstrip() + suffix, taken)


def hash_password(password: str) -> str | None:
    """Salt and scrypt hash of a table's password, hex; None for an empty one.

    Raises:
        GenialError: MALFORMED, when it is too long.
    """
    if not password:
        return None
    if len(password) > PASSWORD_LENGTH:
        raise malformed("password", f"must have at most {PASSWORD_LENGTH} characters")
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}:{_scrypt(password, salt).hex()}"


def is_password(password: str, stored: str | None) -> bool:
    """Whether `password` is the one that was stored; anything is, when none was."""
    if stored is None:
        return True
    if len(password) > PASSWORD_LENGTH:
        return False
    salt, _, expected = stored.partition(":")
    found = _scrypt(password, bytes.fromhex(salt))
    return hmac.compare_digest(found, bytes.fromhex(expected))


def _scrypt(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(errors="replace"), salt=salt, n=_SCRYPT_COST, r=8, p=1)
