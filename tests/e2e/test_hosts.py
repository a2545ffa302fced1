"""How `genial hosts` tells of a host; finding them is tried on networks, in tests/lan."""

from __future__ import annotations

from dataclasses import replace

import pytest

from genial.cli.hosts import _line, as_document
from genial.client.found import FoundHost

HOST = FoundHost(
    "9f3c", "Kitchen", ("10.0.0.7", "fe80::1%2"), 7718, "5b0e", 2, 1, "v1", reachable=True
)


@pytest.mark.parametrize(
    ("host", "words"),
    [
        (HOST, "2 tables, 1 open seat"),
        (replace(HOST, tables=1, open_seats=0), "1 table, 0 open seats"),
        (replace(HOST, version="v2"), "speaks v2: upgrade this client"),
        (replace(HOST, reachable=False), "unreachable"),
        # Not asked yet when the time was up.
        (replace(HOST, reachable=None), "unreachable"),
    ],
)
def test_a_line_says_what_can_be_done_there(host: FoundHost, words: str) -> None:
    assert _line(host) == f"Kitchen  10.0.0.7:7718  {words}  id 9f3c"


def test_a_document_holds_what_the_help_promises() -> None:
    assert as_document(replace(HOST, reachable=None)) == {
        "name": "Kitchen",
        "id": "9f3c",
        "addresses": ["10.0.0.7", "fe80::1%2"],
        "port": 7718,
        "fingerprint": "5b0e",
        "reachable": False,
        "tables": 2,
        "open_seats": 1,
        "version": "v1",
    }
