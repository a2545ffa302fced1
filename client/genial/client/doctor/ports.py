"""Which programs have a port, where the system tells."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_UDP: Final = ("net/udp", "net/udp6")


def holders_of_udp(port: int) -> list[str]:
    """Names of other programs that have a UDP port open; empty where nobody tells.

    Linux tells its owner and root; elsewhere only tools of the administrator's do.
    """
    inodes = _inodes(port)
    if not inodes:
        return []
    names: set[str] = set()
    for process in _PROC.iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            links = {os.readlink(each) for each in (process / "fd").iterdir()}
            if any(f"socket:[{inode}]" in links for inode in inodes):
                names.add((process / "comm").read_text().strip())
        except OSError:
            continue  # Somebody else's, or it has ended meanwhile.
    return sorted(names)


def _inodes(port: int) -> set[str]:
    found: set[str] = set()
    for table in _UDP:
        try:
            lines = (_PROC / table).read_text().splitlines()[1:]
        except OSError:
            continue  # Not Linux, or without IPv6.
        for line in lines:
            fields = line.split()
            if int(fields[1].rpartition(":")[2], 16) == port:
                found.add(fields[9])
    return found
