"""Whether mDNS works here: its port, multicast out and back, and whether anybody else answers."""

from __future__ import annotations

import asyncio
import errno
import secrets
import socket
import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from ipaddress import IPv6Interface, ip_address
from typing import Final

from genial.client.doctor.findings import Finding, Verdict
from genial.client.doctor.networks import is_tunnel, is_virtual, usable
from genial.client.doctor.ports import holders_of_udp
from genial.client.text import _
from genial.wire.announcement import SERVICE_TYPE
from genial.wire.networks import Adapter, Interface

PORT_CHECK: Final = "port 5353"
CHECK: Final = "multicast"

_PORT: Final = 5353
_GROUP4: Final = "224.0.0.251"
_GROUP6: Final = "ff02::fb"
_EVERYTHING: Final = "_services._dns-sd._udp.local."
"""What every device answers that speaks mDNS at all: printers, televisions, phones."""
_LISTEN_SECONDS: Final = 1.5
_PTR, _IN = 12, 1
_LARGEST: Final = 9000


@dataclass(slots=True)
class _Way:
    """One address to speak from."""

    adapter: Adapter
    interface: Interface
    fault: str = ""
    heard: bool = False


async def examine_multicast(adapters: Sequence[Adapter]) -> list[Finding]:
    """The port, then each network."""
    with ExitStack() as stack:
        ears = []
        try:
            ears.append(stack.enter_context(_listener(socket.AF_INET)))
        except OSError as fault:
            return [_port_taken(fault)]
        try:
            ears.append(stack.enter_context(_listener(socket.AF_INET6)))
        except OSError:
            ears = ears[:1]  # A computer without IPv6 finds hosts by IPv4.
        leading = [adapter for adapter, _addresses in usable(adapters)]
        ways = [_Way(adapter, each) for adapter in leading for each in _ways(adapter)]
        others = await _out_and_back(ears, ways)
    return [_port_free(), *_told(ways, others)]


def _ways(adapter: Adapter) -> Iterator[Interface]:
    """One address of each family is enough, if there is one; for IPv6 it has to have a scope."""
    for each in adapter.interfaces:
        if each.version == 4 and not each.ip.is_loopback:
            yield each
            break
    for each in adapter.interfaces:
        if isinstance(each, IPv6Interface) and each.scope_id is not None:
            yield each
            break


# --- sockets ------------------------------------------------------------------------------


def _listener(family: socket.AddressFamily) -> socket.socket:
    """Bound to mDNS's port as every program binds it that shares it.

    Raises:
        OSError: Somebody has it alone, or the system forbids it.
    """
    ears = socket.socket(family, socket.SOCK_DGRAM)
    try:
        ears.setblocking(False)
        ears.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "SO_REUSEPORT"):
            ears.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            ears.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        ears.bind(("", _PORT))
    except OSError:
        ears.close()
        raise
    return ears


async def _out_and_back(ears: Sequence[socket.socket], ways: Sequence[_Way]) -> set[str]:
    """Sends a question of our own on each way; notes whether it comes back.

    Returns:
        Who else answered.
    """
    marks: dict[bytes, _Way] = {}
    own = {str(each.ip) for way in ways for each in way.adapter.interfaces}
    others: set[str] = set()
    readers = [asyncio.create_task(_read(each, marks, own, others)) for each in ears]
    try:
        for way in ways:
            mark = f"doctor-{secrets.token_hex(8)}"
            marks[mark.encode()] = way
            family = socket.AF_INET if way.interface.version == 4 else socket.AF_INET6
            listening = next((each for each in ears if each.family == family), None)
            if listening is None:
                way.fault = _("no IPv6 here")
                continue
            try:
                _join(listening, way.interface)
                _send(way.interface, _question(mark))
            except OSError as fault:
                way.fault = fault.strerror or str(fault)
        await asyncio.sleep(_LISTEN_SECONDS)
    finally:
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
    return others


async def _read(
    ears: socket.socket, marks: dict[bytes, _Way], own: set[str], others: set[str]
) -> None:
    loop = asyncio.get_running_loop()
    while True:
        try:
            packet, (host, *_rest) = await loop.sock_recvfrom(ears, _LARGEST)
        except OSError:
            continue  # An answer that something could not be delivered; not what is asked here.
        for mark, way in marks.items():
            if mark in packet:
                way.heard = True
        plain = host.partition("%")[0]
        if host not in own and plain not in own and not ip_address(plain).is_loopback:
            others.add(plain)


def _join(ears: socket.socket, interface: Interface) -> None:
    try:
        if isinstance(interface, IPv6Interface):
            group = socket.inet_pton(socket.AF_INET6, _GROUP6)
            group += struct.pack("@I", _scope(interface))
            ears.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, group)
        else:
            group = socket.inet_aton(_GROUP4) + interface.ip.packed
            ears.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    except OSError as fault:
        if fault.errno != errno.EADDRINUSE:  # Two addresses on one adapter: joined already.
            raise


def _send(interface: Interface, packet: bytes) -> None:
    if isinstance(interface, IPv6Interface):
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as mouth:
            scope = _scope(interface)
            mouth.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, scope)
            mouth.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
            mouth.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 1)
            mouth.sendto(packet, (_GROUP6, _PORT, 0, scope))
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mouth:
        # From the port itself, so that whoever answers tells everybody.
        mouth.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "SO_REUSEPORT"):
            mouth.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        mouth.bind((str(interface.ip), _PORT))
        mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, interface.ip.packed)
        mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
        mouth.sendto(packet, (_GROUP4, _PORT))


def _scope(interface: IPv6Interface) -> int:
    scope = interface.scope_id or "0"
    return int(scope) if scope.isdigit() else socket.if_nametoindex(scope)


def _question(mark: str) -> bytes:
    """Who is there, for all services and for ours; and a name that tells it is our question."""
    names = (_EVERYTHING, SERVICE_TYPE, f"{mark}.{SERVICE_TYPE}")
    # RFC 1035, section 4.1: id, flags, and how many questions, answers, and so on.
    packet = struct.pack("!6H", 0, 0, len(names), 0, 0, 0)
    for name in names:
        labels = name.rstrip(".").encode().split(b".")
        packet += b"".join(bytes([len(label)]) + label for label in labels) + b"\0"
        packet += struct.pack("!2H", _PTR, _IN)
    return packet


# --- words --------------------------------------------------------------------------------


def _port_taken(fault: OSError) -> Finding:
    if fault.errno != errno.EADDRINUSE:
        return Finding(
            PORT_CHECK,
            Verdict.BAD,
            _("The system does not let Genial use UDP port 5353: {reason}.").format(
                reason=fault.strerror or fault
            ),
            _("Hosts cannot be found; join by typing the host's address: genial join ADDRESS"),
            _("Port 5353"),
            _("The system forbids it."),
        )
    holders = ", ".join(holders_of_udp(_PORT))
    what = _("Another program has UDP port 5353 for itself, so no host can be found or announced.")
    if holders:
        what += " " + _("It is {programs}.").format(programs=holders)
    return Finding(
        PORT_CHECK,
        Verdict.BAD,
        what,
        _(
            "End it, or let it share the port (avahi: disallow-other-stacks=no); or join by typing"
            " the host's address: genial join ADDRESS"
        ),
        _("Port 5353 is taken"),
        _("Close {programs}.").format(programs=holders) if holders else _("Close who has it."),
    )


def _port_free() -> Finding:
    holders = holders_of_udp(_PORT)
    what = (
        _("UDP port 5353 can be used, together with {programs}.").format(
            programs=", ".join(holders)
        )
        if holders
        else _("UDP port 5353 can be used.")
    )
    return Finding(PORT_CHECK, Verdict.GOOD, what)


def _told(ways: Sequence[_Way], others: set[str]) -> list[Finding]:
    if not ways:
        return []
    findings = [
        _adapter(adapter, [way for way in ways if way.adapter is adapter])
        for adapter in dict.fromkeys(way.adapter for way in ways)
    ]
    if not any(way.heard for way in ways):
        return findings
    if others:
        findings.append(
            Finding(
                CHECK,
                Verdict.GOOD,
                _("Others answer on this network: {devices}").format(devices=_few(sorted(others))),
            )
        )
    else:
        findings.append(
            Finding(
                CHECK,
                Verdict.NOTE,
                _("No other device answers: none is there, or the network keeps them apart."),
                _(
                    "Guest networks do that, and Wi-Fi with client isolation: use another network,"
                    " a cable, or a phone's hotspot."
                ),
                _("Nobody answers"),
                _("Guest Wi-Fi keeps laptops apart."),
            )
        )
    return findings


def _adapter(adapter: Adapter, ways: Sequence[_Way]) -> Finding:
    families = [f"IPv{way.interface.version}" for way in ways if way.heard]
    if families:
        return Finding(
            CHECK,
            Verdict.GOOD,
            _("{adapter}: multicast goes out and comes back ({families}).").format(
                adapter=adapter.name, families=", ".join(families)
            ),
        )
    # Nobody plays through a tunnel or a container's bridge; there it is only worth a note.
    aside = is_tunnel(adapter) or is_virtual(adapter)
    faults = ", ".join(dict.fromkeys(way.fault for way in ways if way.fault))
    what = (
        _("{adapter}: multicast cannot be sent ({reason}).").format(
            adapter=adapter.name, reason=faults
        )
        if faults
        else _("{adapter}: multicast that is sent does not come back.").format(adapter=adapter.name)
    )
    return Finding(
        CHECK,
        Verdict.NOTE if aside else Verdict.BAD,
        what,
        ""
        if aside
        else _(
            "A firewall or VPN on this computer may forbid it: allow UDP port 5353 in and out; or"
            " join by typing the host's address: genial join ADDRESS"
        ),
        "" if aside else _("No multicast"),
        "" if aside else _("A firewall or VPN forbids it here."),
    )


def _few(devices: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(devices[:most])
    return f"{shown}, …" if len(devices) > most else shown
