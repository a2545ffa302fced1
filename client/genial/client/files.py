"""Files of the user's own: private, written whole, locked, and faults told in a sentence."""

from __future__ import annotations

import errno
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from genial.client.errors import StorageError
from genial.client.text import _

_NO_PLACE: Final = (errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT)
"""What the system says of folders that are not there for us, rather than of a full disk."""


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turns what the system says about our files into a sentence.

    Raises:
        StorageError: The system refused something inside.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_PLACE:
            sentence = _("Cannot keep {path}: {reason}.")
        elif sys.platform == "win32":
            # No variable says there where a person's folders are.
            sentence = _(
                "Cannot keep {path}: {reason}. Allow your user to write there, and see that no file"
                " has the name of one of these folders."
            )
        else:
            sentence = _(
                "Cannot keep {path}: {reason}. Point HOME, or XDG_STATE_HOME and XDG_DATA_HOME, to"
                " folders of your own that can be written."
            )
        raise StorageError(sentence.format(path=path, reason=error.strerror or error)) from error


def private_dir(path: Path) -> None:
    """Makes a folder, and those above it that are missing, for the user alone."""
    for folder in (*reversed(path.parents), path):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def private_append(path: Path) -> Iterator[Any]:
    """A binary file to append to, unbuffered; new ones have mode 0600."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        yield file


def replace_file(path: Path, content: bytes) -> None:
    """Writes a whole file so that a reader sees the old or the new one; mode 0600."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Writes a JSON object as a whole file.

    Raises:
        StorageError: It cannot be written.
    """
    with storing(path):
        replace_file(path, json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n")


def read_json(path: Path) -> dict[str, Any] | None:
    """A JSON object, or None where there is none that can be read."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
