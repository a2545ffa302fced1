"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a check came out."""

    GOOD = "ok"
    NOTE = "note"
    """It may matter, or not."""
    BAD = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: Which check: "networks", "port 5353", "multicast", "firewall", "port 7718",
            "hosts", "host", "versions", "terminal", "clock". Never translated.
        verdict: How it came out.
        what: What was found, as a sentence.
        advice: What to do; empty where nothing is to be done.
        title: The same in a few words, for a list on the screen; empty: not for there.
        hint: The advice in a few words.
    """

    check: str
    verdict: Verdict
    what: str
    advice: str = ""
    title: str = ""
    hint: str = ""
