"""The log of a host: lines for people, or a JSON object a line.

What others send (names, chat, metadata) may stand in a message. A line is one line, and nothing
in it can command the terminal that shows it.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from typing import Final

from pythonjsonlogger.json import JsonFormatter

from genial.services.config import LogConfig, LogFormat

_PLAIN: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
_OURS: Final = "genial"
_MOMENT: Final = "%Y-%m-%d %H:%M:%S"

NOISY: Final = ("asyncio", "grpc", "zeroconf")
"""Libraries whose chatter is of interest only from warnings on."""


def visible(text: str) -> str:
    """`text` with everything that does not print written as an escape; line breaks as well."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class LineFormatter(logging.Formatter):
    """One line for people; a traceback follows indented, so that nobody can forge a line."""

    def __init__(self) -> None:
        super().__init__(_PLAIN, _MOMENT)
        self.converter = time.gmtime

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        """UTC, and says so."""
        return super().formatTime(record, datefmt) + "Z"

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The line, harmless."""
        return visible(super().formatMessage(record))

    def formatException(self, ei: object) -> str:
        """The traceback, harmless and indented."""
        text = super().formatException(ei)  # type: ignore[arg-type]
        return "\n".join("    " + visible(line) for line in text.splitlines())


def json_formatter() -> logging.Formatter:
    """One JSON object a line: time (UTC), level, logger, message, and a traceback if any."""
    formatter = JsonFormatter(
        ["asctime", "levelname", "name", "message"],
        datefmt="%Y-%m-%dT%H:%M:%SZ",
        rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
    )
    formatter.converter = time.gmtime
    return formatter


def set_up(config: LogConfig) -> None:
    """Sends everything that this process logs to where the configuration says.

    Raises:
        OSError: The file cannot be opened.
    """
    handler: logging.Handler
    if config.file is None:
        handler = logging.StreamHandler(sys.stderr)
    else:
        handler = _file_handler(config.file)
    formatter = LineFormatter() if config.format is LogFormat.TEXT else json_formatter()
    handler.setFormatter(formatter)
    handler.name = _OURS
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
        if old.name == _OURS:
            old.close()
    root.addHandler(handler)
    root.setLevel(config.level.upper())
    for name in NOISY:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    # Python's own warnings would go to standard error in a form of their own.
    logging.captureWarnings(True)


def _file_handler(path: Path) -> logging.Handler:
    """Opens the file anew when a rotation has moved it away."""
    from logging.handlers import WatchedFileHandler

    path.parent.mkdir(parents=True, exist_ok=True)
    return WatchedFileHandler(path, encoding="utf-8")
