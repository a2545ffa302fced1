"""What is left of a fault of the program's own: a file for us, a line for the person."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from genial.client.text import _
from genial.wire.version import VERSION


def report(error: BaseException, command: str) -> str:
    """Writes the whole story into a log file.

    Args:
        error: The fault.
        command: Which command was running.

    Returns:
        One line for the person, with the path of the file.
    """
    # Loaded for a fault alone.
    import platform
    import traceback

    story = "".join(traceback.format_exception(error))
    text = (
        f"genial {VERSION}, Python {platform.python_version()}, {platform.platform()}\n"
        f"command: {command}\n\n{story}"
    )
    path = _write(text)
    what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    said = _("a fault of the program itself ({what}), and no log could be written.")
    if path is not None:
        said = _("a fault of the program itself ({what}). All about it is in {path}")
    return f"genial: {said.format(what=what, path=path)}"


def log_dir() -> Path:
    """Where logs live."""
    import platformdirs

    return Path(platformdirs.user_log_dir("genial", appauthor=False))


def _write(text: str) -> Path | None:
    import tempfile

    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    for folder in (log_dir(), Path(tempfile.gettempdir())):
        path = folder / f"crash-{moment}-{os.getpid()}.log"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            continue  # The next place may do; if none does, the caller says so.
        return path
    return None
