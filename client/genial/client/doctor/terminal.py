"""Whether the full screen works in this terminal."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Final

from genial.client.doctor.findings import Finding, Verdict
from genial.client.palette import detect_depth
from genial.client.text import _

CHECK: Final = "terminal"
WIDTH: Final = 80
HEIGHT: Final = 24


def examine_terminal() -> list[Finding]:
    """Size, colours, letters; plain lines work in any."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return [
            Finding(
                CHECK,
                Verdict.NOTE,
                _("This is no terminal; Genial then speaks in lines of text, as with --plain."),
            )
        ]
    size = shutil.get_terminal_size()
    depth = detect_depth(os.environ, windows=sys.platform == "win32")
    return [
        described(
            os.environ.get("TERM", ""), size.columns, size.lines, str(depth), sys.stdout.encoding
        )
    ]


def described(term: str, columns: int, lines: int, depth: str, encoding: str) -> Finding:
    """What a terminal is like, and what it lacks.

    Args:
        term: The variable TERM.
        columns: Its width.
        lines: Its height.
        depth: How many colours it has.
        encoding: Of what is written to it.
    """
    shown = _("{term}, {columns} by {lines}, colours: {depth}, letters: {encoding}").format(
        term=term or "?", columns=columns, lines=lines, depth=depth, encoding=encoding
    )
    if columns < WIDTH or lines < HEIGHT:
        return Finding(
            CHECK,
            Verdict.NOTE,
            shown,
            _("Make the window at least {width} by {height}, or use --plain.").format(
                width=WIDTH, height=HEIGHT
            ),
        )
    if encoding.lower().replace("-", "") != "utf8":
        return Finding(
            CHECK,
            Verdict.NOTE,
            shown,
            _("Choose the theme ASCII in the settings (F3), or a terminal that speaks UTF-8."),
        )
    return Finding(CHECK, Verdict.GOOD, shown)
