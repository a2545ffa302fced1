"""The command line: `genial …`; the only place that knows every part.

Every command is imported when it is named, and heavy libraries inside it, so that
`genial --version` and `--help` answer at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from genial.cli import streams


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns 0 done, 1 the thing asked for failed, 2 wrong usage.

    Args:
        arguments: Without the program's name; None: those of this process.
    """
    streams.make_usable()
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given == ["--version"]:
        # Before anything is imported: scripts ask this often.
        from genial.wire.version import VERSION

        if _said(f"genial {VERSION}"):
            return 0
    from genial.cli.entry import run

    return run(given)


def _said(line: str) -> bool:
    """Whether a line could be printed; if not, the long way knows what to say of that."""
    try:
        print(line, flush=True)
    except OSError:
        return False
    return True
