"""Passwords and secrets in files, so that they stand on no command line."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_LONGEST: Final = 4096


class SecretFileError(ValueError):
    """A file that no secret can be taken from; the message names it and says why."""


def read_secret(path: Path) -> str:
    """The password or secret in a file: its first line, without the line break.

    Raises:
        SecretFileError: It cannot be read, or there is none in it.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST + 1)
        text = content.decode("utf-8").split("\n", 1)[0].rstrip("\r")
    except OSError as fault:
        raise SecretFileError(f"{path} cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise SecretFileError(f"{path} is not UTF-8") from fault
    if len(content) > _LONGEST:
        raise SecretFileError(f"{path} is too long to be a secret")
    if not text:
        raise SecretFileError(f"{path} has nothing in its first line")
    return text
