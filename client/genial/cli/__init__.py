"""The command line: `genial …`; the only place that knows every part.

Every command is imported when it is named, and heavy libraries inside it, so that
`genial --version` and `--help` answer at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns 0 done, 1 the thing asked for failed, 2 wrong usage.

    Args:
        arguments: Without the program's name; None: those of this process.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given == ["--version"]:
        # Before anything is imported: scripts ask this often.
        from genial.wire.version import VERSION

        print(f"genial {VERSION}")
        return 0
    from genial.cli.entry import run

    return run(given)
