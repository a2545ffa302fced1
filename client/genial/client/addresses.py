"""Addresses as people type them, and the socket addresses behind them."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import Final

from genial.client.errors import AddressError
from genial.client.text import _
from genial.wire.announcement import DEFAULT_PORT
from genial.wire.networks import best_first, usable_addresses

_BRACKETED: Final = re.compile(r"\[([^\[\]]*)\](?::(.*))?", re.DOTALL)
_HOST_NAME: Final = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A host by network name or number, with its port.

    Attributes:
        host: A DNS name, an IPv4 or an IPv6 address, the last with its zone (`%eth0`).
        port: 1 to 65535.
    """

    host: str
    port: int

    def __str__(self) -> str:
        """As it can be typed again."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Named:
    """A host's id or announced name; perhaps a DNS name as well (`endpoint`)."""

    text: str
    endpoint: Endpoint | None


def parse_address(text: str) -> Endpoint | Named:
    """Reads `host`, `host:port`, `[v6]:port`, `[fe80::1%eth0]:port`, an id or a name.

    A number or anything with a port is an endpoint; `localhost` and names with a dot
    are, too. Any other word may be an id, an announced name or a DNS name.

    Raises:
        AddressError: It is none of these.
    """
    text = text.strip()
    if not text:
        raise AddressError(_("An address is needed, like 192.168.1.20 or 192.168.1.20:7718."))
    bracketed = _BRACKETED.fullmatch(text)
    if bracketed:
        host, port = bracketed.groups()
        if not _is_number(host) or ":" not in host:
            raise AddressError(
                _("{address}: between the brackets belongs an IPv6 address.").format(address=text)
            )
        return Endpoint(host, DEFAULT_PORT if port is None else _parse_port(port, text))
    if _is_number(text):
        return Endpoint(text, DEFAULT_PORT)
    host, colon, port = text.rpartition(":")
    looks_like_port = " " not in port and _HOST_NAME.fullmatch(host) is not None
    if colon and (port.isdigit() or ":" in host or looks_like_port):
        if not (_is_number(host) or _HOST_NAME.fullmatch(host)) or ":" in host:
            raise AddressError(
                _(
                    "{address} is no address: write host:port, and an IPv6 address in"
                    " brackets, like [fe80::1%eth0]:7718."
                ).format(address=text)
            )
        return Endpoint(host, _parse_port(port, text))
    if text.lower() == "localhost":
        return Endpoint(text, DEFAULT_PORT)
    endpoint = Endpoint(text, DEFAULT_PORT) if _HOST_NAME.fullmatch(text) else None
    if endpoint is not None and "." in text:
        return endpoint
    return Named(text, endpoint)


async def socket_addresses(endpoint: Endpoint) -> list[str]:
    """The gRPC targets (`ipv4:…`, `ipv6:…`) that an endpoint stands for, in the system's order.

    Raises:
        AddressError: There is no such host.
    """
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressError(
            _(
                "No host is known by {name}; check the spelling, or type its number, like"
                " 192.168.1.20:7718."
            ).format(name=endpoint.host)
        ) from error
    targets = []
    for *_family_type_protocol_name, address in found:
        number = str(address[0])
        if len(address) == 4 and address[3] and "%" not in number:
            number += f"%{address[3]}"
        targets.append(target(number, endpoint.port))
    return list(dict.fromkeys(targets))


def target(number: str, port: int) -> str:
    """The gRPC target of a numerical address; an IPv6 zone stands after `%`."""
    if ":" in number:
        # A target is a URI, so the zone's percent sign is escaped.
        return f"ipv6:[{number.replace('%', '%25')}]:{port}"
    return f"ipv4:{number}:{port}"


def address_of(grpc_target: str) -> str:
    """A target of `target` as a person can type it."""
    _scheme, _colon, rest = grpc_target.partition(":")
    return rest.replace("%25", "%")


def for_friends(address: str) -> str:
    """What a friend on the network types to reach the host that answers here at `address`.

    A loopback address leads nowhere from another laptop: this machine's likeliest address
    takes its place. Empty if there is none. The usual port is left out.
    """
    try:
        where = parse_address(address)
    except AddressError:
        return address
    if isinstance(where, Named):
        return address
    if _is_loopback(where.host):
        likeliest = best_first(usable_addresses())
        if not likeliest:
            return ""
        where = Endpoint(likeliest[0], where.port)
    return str(where).removesuffix(f":{DEFAULT_PORT}")


def _is_loopback(host: str) -> bool:
    if not _is_number(host):
        return host.lower() == "localhost"
    return ipaddress.ip_address(host).is_loopback


def _is_number(host: str) -> bool:
    if ":" in host.partition("%")[2]:
        return False  # Python takes it for a zone's name; it is a port without brackets.
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _parse_port(port: str, address: str) -> int:
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) < 65536):
        raise AddressError(
            _("{address}: a port is a number from 1 to 65535, not {port}.").format(
                address=address, port=port or _("nothing")
            )
        )
    return int(port)
