"""Whether this computer's clock can be right."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from genial.client.doctor.findings import Finding, Verdict
from genial.client.text import _

CHECK: Final = "clock"
MOST_SECONDS: Final = 60.0
"""Between two clocks, until it is worth a word."""


def examine_clock(now: datetime | None = None) -> list[Finding]:
    """Compares the clock with when this program was installed; nobody else is asked.

    Args:
        now: What the clock says; None: what it says now.
    """
    now = now or datetime.now(UTC)
    installed = datetime.fromtimestamp(Path(__file__).stat().st_mtime, UTC)
    shown = f"{now:%Y-%m-%d %H:%M:%S} UTC"
    if now < installed:
        return [
            Finding(
                CHECK,
                Verdict.NOTE,
                _("The clock says {now}, before this program was installed ({then}).").format(
                    now=shown, then=f"{installed:%Y-%m-%d}"
                ),
                _("Set it; games go on regardless, but records get a wrong date."),
            )
        ]
    return [Finding(CHECK, Verdict.GOOD, _("The clock says {now}.").format(now=shown))]


def compared_clocks(host_now: datetime, now: datetime) -> Finding | None:
    """What is to be said of a host's clock beside ours; None: nothing."""
    apart = (host_now - now).total_seconds()
    if abs(apart) <= MOST_SECONDS:
        return None
    words = _("ahead of") if apart > 0 else _("behind")
    return Finding(
        CHECK,
        Verdict.NOTE,
        _("The host's clock is {seconds} seconds {words} this computer's.").format(
            seconds=round(abs(apart)), words=words
        ),
        _("Games go on regardless; times on the screen and in records may look odd."),
    )
