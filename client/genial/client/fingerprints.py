"""Fingerprints of certificates, as people copy, compare and confirm them."""

from __future__ import annotations

import re
from typing import Final

from genial.client.text import _

_DIGITS: Final = 64
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{64}")
_GROUP: Final = 8


class MalformedFingerprintError(ValueError):
    """A text that is no SHA-256 fingerprint."""


def parse_fingerprint(text: str) -> str:
    """A fingerprint as people copy it, in its canonical writing: 64 lower-case hex digits.

    Colons, blanks, upper case and a leading `SHA256:` are allowed.

    Raises:
        MalformedFingerprintError: It is none.
    """
    digits = re.sub(r"[\s:]", "", re.sub(r"^\s*sha-?256\s*[:=]", "", text.lower()))
    if not _FINGERPRINT.fullmatch(digits):
        raise MalformedFingerprintError(
            _(
                "A fingerprint is {digits} hexadecimal digits, as `genial hosts` and the host"
                " itself show it."
            ).format(digits=_DIGITS)
        )
    return digits


def in_groups(fingerprint: str) -> str:
    """A fingerprint in groups of eight digits, to be compared by eye."""
    return " ".join(fingerprint[at : at + _GROUP] for at in range(0, len(fingerprint), _GROUP))


def change_explained(name: str, address: str, before: str, shown: str) -> tuple[str, ...]:
    """What a person has to know before accepting another certificate of a host; lines to be shown.

    Args:
        name: What the host was called when it was remembered.
        address: Where it answers.
        before: The fingerprint that is remembered.
        shown: The fingerprint of what it shows now.
    """
    return (
        _("{name} at {address} shows another certificate than before.").format(
            name=name, address=address
        ),
        _(
            "Either its owner has set it up anew, or somebody else answers in its place, who would"
            " get your seat and passwords. Nothing was sent to it. Ask the owner which fingerprint"
            " the host itself shows, and accept no other."
        ),
        _("Remembered:"),
        in_groups(before),
        _("Now:"),
        in_groups(shown),
    )


def confirms(typed: str, fingerprint: str) -> bool:
    """Whether a person has typed the first group of a fingerprint, or more of it, and no mistake.

    Args:
        typed: With or without blanks and colons, in upper or lower case.
        fingerprint: 64 lower-case hex digits.
    """
    digits = re.sub(r"[\s:]", "", typed.lower())
    return len(digits) >= _GROUP and fingerprint.startswith(digits)
