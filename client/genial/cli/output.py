"""Whole files, or standard output in their place."""

from __future__ import annotations

import sys
from pathlib import Path

from genial.cli.failure import Failure
from genial.client.text import _


def write_output(output: str, content: bytes) -> None:
    """Writes a whole file, or standard output for `-`.

    Raises:
        Failure: The file cannot be written.
    """
    if output == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return
    try:
        Path(output).write_bytes(content)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Failure(
            _("{path} cannot be written: {reason}.").format(path=output, reason=reason)
        ) from error
