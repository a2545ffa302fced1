"""Everything that can be set for a host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from genial.services.limits import Limits
from genial.services.lobby.passing import STAND_IN_LEVEL
from genial.services.lobby.standing import StandingTable
from genial.services.lobby.table import Times
from genial.wire.announcement import DEFAULT_PORT

DATABASE: Final = "genial.db"
"""In the data directory."""

LOBBY: Final = "lobby"
GAME: Final = "game"
BOTS: Final = "bots"
HISTORY: Final = "history"

SERVICES: Final = (LOBBY, GAME, BOTS, HISTORY)
"""What a host is made of; each can run in a process of its own."""


class HostError(Exception):
    """A host that cannot be started; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class HostSettings:
    """How a host is to run.

    Attributes:
        data: The data directory: games, tables, the host's id, its certificate.
        name: For people; empty: this machine's name.
        port: 0 takes a free one.
        bind: The address to listen on; empty: all, IPv6 and IPv4.
        services: Which of `SERVICES` run here.
        peers: Addresses of the services that run elsewhere and are needed here.
        secret: Between services; empty: made up, enough while all run here.
        announce: Whether the host is announced by mDNS.
        password: That clients have to know; None or empty: nobody is asked.
        plaintext: Without TLS.
        certificate: The file of the certificate; None: in the data directory. Services that run
            apart share one.
        times: How long things may take at tables.
        limits: What the host gives at most.
        bot_processes: Processes that the bots' seats are spread over.
        stand_in_level: Level of bots that play on for people who are away.
        bot_names: What the host's bots are called; none: some names of our own.
        draining: No new tables; running ones are finished.
        standing: Tables that are always open.
        neighbours: Addresses of other hosts of the same party, for clients to list too.
        returning: Whether the host says at its end that it will be back.
    """

    data: Path
    name: str = ""
    port: int = DEFAULT_PORT
    bind: str = ""
    services: frozenset[str] = frozenset(SERVICES)
    peers: Mapping[str, str] = field(default_factory=dict)
    secret: str = field(default="", repr=False)
    announce: bool = True
    password: str | None = field(default=None, repr=False)
    plaintext: bool = False
    certificate: Path | None = None
    times: Times = field(default_factory=Times)
    limits: Limits = field(default_factory=Limits)
    bot_processes: int = 1
    stand_in_level: str = STAND_IN_LEVEL
    bot_names: tuple[str, ...] = ()
    draining: bool = False
    standing: tuple[StandingTable, ...] = ()
    neighbours: tuple[str, ...] = ()
    returning: bool = True

    def check(self) -> None:
        """Refuses what does not go together.

        Raises:
            HostError: With a sentence.
        """
        known = ", ".join(SERVICES)
        for name in (*self.services, *self.peers):
            if name not in SERVICES:
                raise HostError(f"There is no service {name!r}; there are {known}.")
        if not self.services:
            raise HostError(f"A host needs at least one service of {known}.")
        if not 0 <= self.port <= 65535:
            raise HostError(f"{self.port} is no port; choose one from 1 to 65535.")
        if both := self.services & set(self.peers):
            raise HostError(f"The service {min(both)} cannot run here and elsewhere; choose one.")
        if HISTORY in self.services and GAME not in self.services:
            raise HostError("The service history reads the games' log; run it beside game.")
        if HISTORY in self.peers and GAME in self.services:
            raise HostError(
                "The service history reads the log of the games, which run here; run it here too."
            )
        for name in sorted(self.needed):
            if name not in self.peers:
                raise HostError(
                    f"The service {name} is needed and does not run here; add it, or say where"
                    f" it runs with --peer {name}=ADDRESS."
                )
        if self.peers and not self.secret:
            raise HostError(
                "Services in different processes need the same secret; set it in their settings."
            )

    @property
    def needed(self) -> frozenset[str]:
        """Services that those here depend on and that do not run here."""
        needed: set[str] = set()
        if LOBBY in self.services:
            needed |= {GAME}
        if BOTS in self.services:
            needed |= {LOBBY, GAME}
        return frozenset(needed - self.services)
