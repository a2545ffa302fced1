"""What a start on this machine would stumble over, found without starting anything.

`config.check` judges a configuration by itself, wherever that is done; here it is held against
this machine's addresses and folders.
"""

from __future__ import annotations

import os
from pathlib import Path

from genial.services.announce import is_wildcard
from genial.services.certificate import FILE_NAME as CERTIFICATE_FILE
from genial.services.server import resolve_bind
from genial.services.settings import DATABASE, HostError, HostSettings


def problems_here(settings: HostSettings, log_file: Path | None) -> list[str]:
    """What does not fit this machine, a sentence each, beginning with the key.

    Args:
        settings: Of the host.
        log_file: Where its log goes; None: standard error.
    """
    problems = []
    if settings.bind and not is_wildcard(settings.bind):
        try:
            resolve_bind(settings.bind)
        except HostError as error:
            problems.append(f"bind: {error}")
    files = [("data", settings.data / DATABASE)]
    if not settings.plaintext:
        files.append(("certificate", settings.certificate or settings.data / CERTIFICATE_FILE))
    if log_file is not None:
        files.append(("log.file", log_file))
    for key, path in files:
        fault = _why_no_file(path)
        if fault:
            problems.append(f"{key}: {fault}")
    return problems


def _why_no_file(path: Path) -> str:
    """Why there can be no such file that we write; empty: there can be, or there is."""
    try:
        if path.is_dir():
            return f"{path} is a folder, not a file"
        if path.exists():
            return "" if os.access(path, os.R_OK | os.W_OK) else f"{path} may not be written"
        folder = path.parent
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        if not folder.is_dir():
            return f"{folder} is a file, not a folder"
    except OSError as fault:
        return f"{path} cannot be looked for: {fault.strerror}"
    return "" if os.access(folder, os.W_OK | os.X_OK) else f"nothing may be written to {folder}"
