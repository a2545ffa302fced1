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
    files = [("data", settings.data / DATABASE, os.R_OK | os.W_OK)]
    if not settings.plaintext:
        # One that is there may belong to somebody else, and is never written.
        certificate = settings.certificate or settings.data / CERTIFICATE_FILE
        files.append(("certificate", certificate, os.R_OK))
    if log_file is not None:
        files.append(("log.file", log_file, os.W_OK))
    for key, path, needed in files:
        fault = _why_no_file(path, needed)
        if fault:
            problems.append(f"{key}: {fault}")
    return problems


def _why_no_file(path: Path, needed: int) -> str:
    """Why there can be no such file of ours; empty: there can be, or there is.

    Args:
        path: Where.
        needed: What has to be allowed where it is there already, as `os.access` takes it.
    """
    try:
        if path.is_dir():
            return f"{path} is a folder, not a file"
        if path.exists():
            if os.access(path, needed):
                return ""
            return f"{path} may not be {'written' if needed & os.W_OK else 'read'}"
        folder = path.parent
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        if not folder.is_dir():
            return f"{folder} is a file, not a folder"
    except OSError as fault:
        return f"{path} cannot be looked for: {fault.strerror}"
    return "" if os.access(folder, os.W_OK | os.X_OK) else f"nothing may be written to {folder}"
