"""Firewalls of this computer, and how each is told to let Genial through.

Only what can be seen without an administrator's rights is looked at, so nothing found does not
mean that there is none.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from genial.client.doctor.findings import Finding, Verdict
from genial.client.text import _
from genial.wire.announcement import DEFAULT_PORT

CHECK: Final = "firewall"

_PATIENCE_SECONDS: Final = 3.0
_UFW: Final = Path("/etc/ufw/ufw.conf")
_FIREWALLD: Final = Path("/run/firewalld")
_MACOS: Final = "/usr/libexec/ApplicationFirewall/socketfilterfw"


def examine_firewalls(platform: str = sys.platform) -> list[Finding]:
    """The firewalls that are seen to be on. May take a second; blocks.

    Args:
        platform: As `sys.platform`.
    """
    if platform == "win32":
        return [windows(_output(["netsh", "advfirewall", "show", "currentprofile", "state"]))]
    if platform == "darwin":
        return [macos(_output([_MACOS, "--getglobalstate"]))]
    return [linux(_text(_UFW), _FIREWALLD.is_dir(), _rules())]


def linux(ufw: str, firewalld: bool, rules: Sequence[str]) -> Finding:
    """What is on under Linux.

    Args:
        ufw: Its configuration; empty if it is not installed.
        firewalld: Whether that runs.
        rules: Packet filters with rules of their own, where they can be seen.
    """
    if "ENABLED=yes" in ufw.replace(" ", ""):
        return _on("ufw", f"sudo ufw allow {DEFAULT_PORT}/tcp && sudo ufw allow 5353/udp")
    if firewalld:
        return _on(
            "firewalld",
            f"sudo firewall-cmd --permanent --add-port={DEFAULT_PORT}/tcp --add-service=mdns &&"
            " sudo firewall-cmd --reload",
        )
    if rules:
        return Finding(
            CHECK,
            Verdict.NOTE,
            _("This computer filters packets with {filters}.").format(filters=", ".join(rules)),
            _("Let TCP port {port} in, and UDP port 5353 in and out.").format(port=DEFAULT_PORT),
        )
    return _none()


def windows(state: str) -> Finding:
    """What `netsh advfirewall show currentprofile state` says, in whatever language."""
    words = state.split()
    # The state is the last word but the "Ok." of the end: ON or OFF, translated in some languages.
    if not words or any(word.upper() in ("OFF", "AUS", "DESACTIVADO", "INACTIF") for word in words):
        return _none()
    return Finding(
        CHECK,
        Verdict.NOTE,
        _("The Windows firewall is on."),
        _(
            "On the host's laptop allow Python on private networks (Windows asks at the first"
            " start), and make this network a private one in the settings. By hand:"
        )
        + f" netsh advfirewall firewall add rule name=Genial dir=in action=allow protocol=TCP"
        f" localport={DEFAULT_PORT}",
        _("Windows firewall"),
        _("Allow Python on private networks."),
    )


def macos(state: str) -> Finding:
    """What `socketfilterfw --getglobalstate` says."""
    if "enabled" not in state.lower() and "State = 1" not in state and "State = 2" not in state:
        return _none()
    return Finding(
        CHECK,
        Verdict.NOTE,
        _("The firewall of macOS is on."),
        _(
            "On the host's laptop allow incoming connections for Python: System Settings, Network,"
            " Firewall, Options."
        ),
        _("macOS firewall"),
        _("Let connections for Python in."),
    )


def _on(name: str, command: str) -> Finding:
    return Finding(
        CHECK,
        Verdict.NOTE,
        _("The firewall {name} is on.").format(name=name),
        _("On the host's laptop:") + f" {command}",
        _("Firewall: {name}").format(name=name),
        _("Let TCP {port} and UDP 5353 in.").format(port=DEFAULT_PORT),
    )


def _none() -> Finding:
    return Finding(CHECK, Verdict.GOOD, _("No firewall of this computer is seen to be on."))


def _rules() -> list[str]:
    """Only root sees them; for everybody else there are none."""
    found = []
    for name, command in (
        ("nftables", ["nft", "list", "ruleset"]),
        ("iptables", ["iptables", "-S"]),
    ):
        said = _output(command)
        if "drop" in said.lower() or "reject" in said.lower():
            found.append(name)
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""  # Not installed, or not ours to read.


def _output(command: Sequence[str]) -> str:
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""  # A tool that does not work tells nothing.
    return done.stdout if done.returncode == 0 else ""
