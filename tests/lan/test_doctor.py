"""`genial doctor` on healthy and broken networks; docs/doctor.md shows the same in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lan.doctoring import CASES, Case, findings
from tests.lan.namespaces import missing

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

WRONG = {
    "healthy": {},
    "no network": {"networks": "in no network"},
    "port taken": {"port 5353": "for itself", "hosts": "cannot be looked for"},
    "isolated": {"host": "no way there from here"},
    "forbidden": {"multicast": "cannot be sent", "hosts": "no network here allows multicast"},
    "vpn": {},
    "dead host": {"hosts": "answers at none of its addresses", "host": "nobody listens there"},
    "plaintext": {"host": "does not encrypt"},
    "no host": {"host": "no Genial host"},
}
"""What has to be called a problem on each network: everything that is wrong, and nothing else."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_says_what_is_wrong_and_nothing_else(case: Case, tmp_path: Path) -> None:
    with case.network(tmp_path / "data") as visit:
        code, found = findings(visit, tmp_path / "home")
    problems = {each["check"]: each for each in found if each["verdict"] == "problem"}
    assert code == (1 if problems else 0)
    assert set(problems) == set(WRONG[case.name]), problems
    for check, words in WRONG[case.name].items():
        assert words in problems[check]["what"]
        assert problems[check]["advice"] or "typing" in problems[check]["what"] or check == "host"
    looked_at = {each["check"] for each in found}
    assert {"networks", "port 5353", "firewall", "hosts", "versions", "terminal", "clock"} <= (
        looked_at
    )
    said = "\n".join(each["what"] for each in found)
    if case.name == "healthy":
        assert "multicast goes out and comes back (IPv4, IPv6)" in said
        assert "Others answer on this network" in said
        assert "Kitchen answers" in said
    if case.name == "vpn":
        assert "tun0 (10.8.0.2) looks like a VPN" in said
    if case.name == "isolated":
        assert "No other device answers" in said
