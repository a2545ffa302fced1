"""Which networks this computer is in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from genial.client.doctor.findings import Finding, Verdict
from genial.client.text import _, ngettext
from genial.wire.networks import Adapter, best_first

CHECK: Final = "networks"

_TUNNEL: Final = re.compile(
    r"^(tun|tap|wg|utun|ppp|ipsec|zt|tailscale|nordlynx|proton|cscotun|gpd)\d*|\bvpn\b|wireguard|"
    r"tailscale|zerotier|openvpn",
    re.IGNORECASE,
)
"""Names of adapters that lead into a VPN, on Linux and macOS by prefix, on Windows by word."""
_VIRTUAL: Final = re.compile(
    r"^(docker|br-|veth|virbr|vmnet|vboxnet|podman|lxc|lxd|cni|flannel|bridge|vEthernet)",
    re.IGNORECASE,
)
"""Names of adapters that lead to containers and virtual machines on this computer."""


def usable(adapters: Sequence[Adapter]) -> list[tuple[Adapter, list[str]]]:
    """Adapters that lead to others, each with its addresses, the likeliest first."""
    return [(adapter, best_first(adapter.usable)) for adapter in adapters if adapter.usable]


def is_tunnel(adapter: Adapter) -> bool:
    """Whether an adapter looks like a VPN's."""
    return _TUNNEL.search(adapter.name) is not None


def is_virtual(adapter: Adapter) -> bool:
    """Whether an adapter looks like one for containers or virtual machines."""
    return _VIRTUAL.search(adapter.name) is not None


def examine_adapters(adapters: Sequence[Adapter], fault: OSError | None = None) -> list[Finding]:
    """Whether there is a network at all, and what may stand in the way."""
    if fault is not None:
        return [
            Finding(
                CHECK,
                Verdict.BAD,
                _("The system does not tell which network adapters there are: {reason}.").format(
                    reason=fault.strerror or fault
                ),
                _("Join by typing the host's address: genial join ADDRESS"),
            )
        ]
    found = usable(adapters)
    real = [each for each in found if not is_tunnel(each[0]) and not is_virtual(each[0])]
    if not real:
        return [
            Finding(
                CHECK,
                Verdict.BAD,
                _("This computer is in no network that others could be in, too."),
                _("Join the Wi-Fi, or plug in the cable; then it works without a new start."),
                _("No network"),
                _("Join the Wi-Fi, or plug in a cable."),
            ),
            *_tunnels(found),
        ]
    shown = "; ".join(f"{adapter.name} {', '.join(some)}" for adapter, some in real)
    findings = [
        Finding(
            CHECK,
            Verdict.GOOD,
            ngettext(
                "In {count} network: {shown}", "In {count} networks: {shown}", len(real)
            ).format(count=len(real), shown=shown),
        )
    ]
    addresses = [
        each for adapter, _some in real for each in adapter.interfaces if each.version == 4
    ]
    if addresses and all(each.ip.is_link_local for each in addresses):
        findings.append(
            Finding(
                CHECK,
                Verdict.NOTE,
                _(
                    "No router has given this computer an address (it made one up: {address})."
                ).format(address=addresses[0].ip),
                _("Among laptops on one cable or switch that is enough; else check the router."),
                _("No router"),
                _("Check the cable, or the Wi-Fi."),
            )
        )
    return findings + _tunnels(found)


def _tunnels(found: Sequence[tuple[Adapter, list[str]]]) -> list[Finding]:
    return [
        Finding(
            CHECK,
            Verdict.NOTE,
            _("{adapter} ({address}) looks like a VPN.").format(
                adapter=adapter.name, address=addresses[0]
            ),
            _("If you do not find each other, turn it off on both laptops."),
            _("VPN: {adapter}").format(adapter=adapter.name),
            _("Turn it off on both laptops."),
        )
        for adapter, addresses in found
        if is_tunnel(adapter)
    ]
