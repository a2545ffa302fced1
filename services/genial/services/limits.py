"""How much one host gives, to all and to each: the numbers, and the meter for rates.

Nothing in here knows gRPC or the clock of the machine; `admission` applies it to calls.
"""

import ipaddress
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from genial.services.toml_values import Count, Network

LOOPBACK: Final[tuple[Network, ...]] = (
    ipaddress.ip_network("127.0.0.0/8"),
    ipaddress.ip_network("::1"),
)
"""Where the host's own bots, players who came by ssh, and whoever owns the machine call from."""


METADATA_BYTES: Final = 8 * 1024
"""Size of a call's metadata; tokens, passwords and what gRPC adds come to some hundred bytes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a host gives at most. Whoever asks for more gets RESOURCE_EXHAUSTED and a sentence.

    Attributes:
        tables: Tables that are not finished.
        tables_per_address: Of these, opened from one network address.
        watchers: People who watch one table or game without a seat.
        bots: Bots that the host runs itself.
        chat_per_minute: Messages that one seat, or one watching address, may write.
        calls_per_second: Calls from one address, over any length of time.
        call_burst: Calls from one address at once, before the rate counts.
        wrong_passwords_per_minute: Guesses from one address.
        streams_per_address: Watching calls from one address at the same time.
        connections_per_address: TCP connections from one address.
        connections: TCP connections from everybody.
        calls_at_once: Calls of everybody at the same time, watching ones included.
        request_bytes: Size of one request.
        exempt: Networks that the limits per address do not bind.
    """

    tables: Count = 1000
    tables_per_address: Count = 50
    watchers: Count = 64
    bots: Count = 64
    chat_per_minute: Count = 30
    calls_per_second: Count = 200
    call_burst: Count = 400
    wrong_passwords_per_minute: Count = 10
    streams_per_address: Count = 128
    connections_per_address: Count = 64
    connections: Count = 4000
    calls_at_once: Count = 8000
    request_bytes: Count = 64 * 1024
    exempt: tuple[Network, ...] = LOOPBACK


class RateLimiter:
    """Lets each key through at a rate, after a burst: a token bucket for every key.

    Each bucket is kept as the one moment at which it will be full again, and forgotten
    once that has passed, so keys that are quiet cost nothing.
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float], most_keys: int = 10_000
    ) -> None:
        """Starts with full buckets.

        Args:
            rate: Tokens a second that flow back.
            burst: Tokens in a full bucket, at least 1.
            clock: Seconds, never going back.
            most_keys: Buckets kept at most; beyond them the one used longest ago is forgotten.
        """
        self._interval = 1.0 / rate
        self._depth = burst * self._interval
        self._clock = clock
        self._most_keys = most_keys
        self._full_at: dict[Hashable, float] = {}

    def take(self, key: Hashable) -> bool:
        """Takes a token of this key's; False if there is none."""
        now = self._clock()
        # Put in again at the end, the dictionary is ordered by last use.
        full_at = max(self._full_at.pop(key, now), now)
        enough = full_at + self._interval - now <= self._depth + 1e-9
        if enough:
            full_at += self._interval
        self._full_at[key] = full_at
        if len(self._full_at) > self._most_keys:
            self._forget(now)
        return enough

    def has(self, key: Hashable) -> bool:
        """Whether `take` would succeed; takes nothing."""
        now = self._clock()
        return max(self._full_at.get(key, now), now) + self._interval - now <= self._depth + 1e-9

    def _forget(self, now: float) -> None:
        for key in [key for key, full_at in self._full_at.items() if full_at <= now]:
            del self._full_at[key]
        while len(self._full_at) > self._most_keys:
            del self._full_at[next(iter(self._full_at))]


class Counter:
    """How many things each key holds at the moment, up to a limit."""

    def __init__(self, limit: int) -> None:
        """Starts with none held."""
        self.limit = limit
        self._held: dict[Hashable, int] = {}

    def take(self, key: Hashable) -> bool:
        """Holds one more; False if that would be too many."""
        held = self._held.get(key, 0)
        if held >= self.limit:
            return False
        self._held[key] = held + 1
        return True

    def give_back(self, key: Hashable) -> None:
        """Holds one less."""
        held = self._held[key] - 1
        if held:
            self._held[key] = held
        else:
            del self._held[key]

    def held(self, key: Hashable) -> int:
        """How many the key holds."""
        return self._held.get(key, 0)


def address_of_peer(peer: str) -> str:
    """The network address in gRPC's name of a peer, without its port.

    ``ipv4:10.0.0.7:5000`` -> ``10.0.0.7``, ``ipv6:%5B::1%5D:5000`` -> ``::1``. An IPv4 address
    that came in by an IPv6 socket is the IPv4 address. Other kinds (``unix:``) are returned whole.
    """
    kind, _, rest = peer.partition(":")
    if kind == "ipv4":
        return rest.rpartition(":")[0]
    if kind == "ipv6":
        text = unquote(rest).rpartition("]")[0].removeprefix("[")
        return plain_address(text)
    return peer


def plain_address(text: str) -> str:
    """A numerical address in one writing: an IPv4 one never as IPv6; zones stay."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(address)


class Exemptions:
    """Which addresses the limits per address do not bind; remembers what it has looked up."""

    def __init__(self, networks: tuple[Network, ...], most: int = 10_000) -> None:
        """Takes `Limits.exempt`."""
        self._networks = networks
        self._most = most
        self._known: dict[str, bool] = {}

    def __contains__(self, address: str) -> bool:
        """Whether it is exempt; names that are no numbers (``unix:…``) are."""
        known = self._known.get(address)
        if known is None:
            known = self._known[address] = self._look_up(address)
            if len(self._known) > self._most:
                self._known.clear()
        return known

    def _look_up(self, address: str) -> bool:
        try:
            number = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            # A socket of this machine, or a call within the process.
            return True
        return any(number in network for network in self._networks)
