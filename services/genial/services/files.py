"""Putting a finished file where none may be lost."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

_NO_SUCH_SYNC: Final = (errno.EINVAL, errno.EBADF, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""What some file systems of networks and virtual machines answer to the sync of a folder."""


def put_new(finished: Path, target: Path) -> None:
    """Gives a finished file its name, unless that name is taken.

    Args:
        finished: In the same folder or file system, and synced; its other name may stay or go.
        target: The name to give.

    Raises:
        FileExistsError: There is something of that name, perhaps since a moment ago.
        OSError: The system refuses.
    """
    try:
        # Unlike a renaming, a link never takes the place of what is there.
        os.link(finished, target)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems (memory sticks, network shares) have no links.
        if target.exists():
            raise FileExistsError(target) from None
        os.replace(finished, target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Sees to it that the names in a folder outlast a power cut, where the file system can do so.

    Raises:
        OSError: The disk refuses.
    """
    if os.name == "nt":
        # Windows opens no folders; NTFS keeps a journal of names by itself.
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as fault:
        if fault.errno not in _NO_SUCH_SYNC:
            raise
    finally:
        os.close(descriptor)
