"""The doctor's judgements, on what systems of all kinds say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import ip_interface

import pytest

from genial.client.doctor.clock import compared_clocks, examine_clock
from genial.client.doctor.findings import Finding, Verdict
from genial.client.doctor.firewalls import linux, macos, windows
from genial.client.doctor.networks import examine_adapters
from genial.client.doctor.terminal import described
from genial.wire.networks import Adapter, on_link

WINDOWS_ON = "\r\nPrivate Profile Settings: \r\n-----\r\nState                  ON\r\nOk.\r\n"
WINDOWS_OFF = WINDOWS_ON.replace("ON", "OFF")


def adapter(name: str, *interfaces: str) -> Adapter:
    return Adapter(name, tuple(ip_interface(each) for each in interfaces))


LOOPBACK = adapter("lo", "127.0.0.1/8", "::1/128")


@pytest.mark.parametrize(
    ("finding", "verdict", "words"),
    [
        (linux("ENABLED=yes\n", False, []), Verdict.NOTE, "ufw allow 7718/tcp"),
        (linux("ENABLED=no\n", False, []), Verdict.GOOD, ""),
        (linux("", True, []), Verdict.NOTE, "firewall-cmd --permanent --add-port=7718/tcp"),
        (linux("", False, ["nftables"]), Verdict.NOTE, "TCP port 7718"),
        (linux("", False, []), Verdict.GOOD, ""),
        (windows(WINDOWS_ON), Verdict.NOTE, "netsh advfirewall firewall add rule name=Genial"),
        (windows(WINDOWS_OFF), Verdict.GOOD, ""),
        (windows(""), Verdict.GOOD, ""),
        (macos("Firewall is enabled. (State = 1) "), Verdict.NOTE, "System Settings"),
        (macos("Firewall is disabled. (State = 0)"), Verdict.GOOD, ""),
        (macos(""), Verdict.GOOD, ""),
    ],
)
def test_firewalls_of_each_system(finding: Finding, verdict: Verdict, words: str) -> None:
    assert finding.verdict is verdict
    assert words in finding.advice
    # What stands on the screen has room for so much.
    assert len(finding.title) <= 19
    assert len(finding.hint) <= 37


def verdicts(found: list[Finding]) -> list[Verdict]:
    return [each.verdict for each in found]


def test_networks() -> None:
    wifi = adapter("wlan0", "192.168.1.20/24", "fe80::1%3/64")
    vpn = adapter("utun4", "10.8.0.2/24")
    docker = adapter("docker0", "172.17.0.1/16")
    made_up = adapter("eth0", "169.254.7.8/16")
    assert verdicts(examine_adapters([LOOPBACK, wifi])) == [Verdict.GOOD]
    assert verdicts(examine_adapters([LOOPBACK])) == [Verdict.BAD]
    # Neither containers nor a VPN are a network that a friend could be in.
    assert verdicts(examine_adapters([LOOPBACK, docker])) == [Verdict.BAD]
    assert verdicts(examine_adapters([LOOPBACK, vpn])) == [Verdict.BAD, Verdict.NOTE]
    (good, note) = examine_adapters([LOOPBACK, wifi, vpn])
    assert "fe80::1%3" in good.what
    assert "utun4 (10.8.0.2) looks like a VPN" in note.what
    assert verdicts(examine_adapters([LOOPBACK, made_up])) == [Verdict.GOOD, Verdict.NOTE]
    (fault,) = examine_adapters([], OSError(1, "Operation not permitted"))
    assert "Operation not permitted" in fault.what


def test_what_lies_in_a_network_of_ours() -> None:
    near = on_link(
        [LOOPBACK, adapter("wlan0", "192.168.1.20/24", "2001:db8::5/64", "fe80::1%3/64")]
    )
    assert near("192.168.1.77")
    assert near("2001:db8::9")
    assert not near("192.168.2.77")
    assert not near("10.8.0.2")
    assert not near("127.0.0.1")
    assert not near("fe80::9%3")


def test_clocks() -> None:
    now = datetime.now(UTC)
    assert verdicts(examine_clock(now)) == [Verdict.GOOD]
    assert verdicts(examine_clock(datetime(2020, 1, 1, tzinfo=UTC))) == [Verdict.NOTE]
    assert compared_clocks(now + timedelta(seconds=59), now) is None
    ahead = compared_clocks(now + timedelta(minutes=5), now)
    assert ahead is not None
    assert "300 seconds ahead of" in ahead.what
    behind = compared_clocks(now - timedelta(days=1), now)
    assert behind is not None
    assert "86400 seconds behind" in behind.what


def test_terminals() -> None:
    assert described("xterm", 80, 24, "truecolor", "utf-8").verdict is Verdict.GOOD
    small = described("xterm", 79, 24, "truecolor", "utf-8")
    assert small.verdict is Verdict.NOTE
    assert "at least 80 by 24" in small.advice
    assert "ASCII" in described("linux", 80, 25, "16", "ISO-8859-1").advice
