"""The plain client at a terminal, where somebody can be asked."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect

from genial.client.fingerprints import in_groups
from tests.e2e.processes import environment

DEADLINE = 60


def hear_interrupts() -> None:
    """A job in the background ignores Ctrl-C, and hands that on to what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def typed(home: Path, *arguments: str) -> Iterator[pexpect.spawn[str]]:
    child: pexpect.spawn[str] = pexpect.spawn(
        sys.executable,
        ["-m", "genial.cli", *arguments],
        env=environment(home) | {"TERM": "xterm"},
        encoding="utf-8",
        timeout=DEADLINE,
        echo=False,
        preexec_fn=hear_interrupts,
    )
    try:
        yield child
    finally:
        child.close(force=True)


def matched(child: pexpect.spawn[str]) -> str:
    """The first group of what was expected last."""
    assert isinstance(child.match, re.Match)
    return str(child.match.group(1))


def ended(child: pexpect.spawn[str]) -> int | None:
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


def test_name_is_asked_once_and_interrupting_is_no_failure(tmp_path: Path) -> None:
    play = ("play", "--plain", "--no-announce", "--plaintext")
    with typed(tmp_path, *play) as child:
        child.expect("Your name")
        child.sendline("Anaïs")
        child.expect("Anaïs \\(you\\)")
        child.expect("> your turn")
        child.sendline("rack")
        child.expect("Your tiles")
        child.sendintr()
        assert ended(child) == 0
        assert "Traceback" not in str(child.before)
    with typed(tmp_path, *play) as child:
        # Remembered, and back in the game that was left.
        assert child.expect(["Anaïs \\(you\\)", "Your name"]) == 0
        child.expect("> your turn")
        # The end of input, as Ctrl-D gives it.
        child.sendeof()
        assert ended(child) == 0


def test_quitting_with_a_friend_seated_asks_first(tmp_path: Path) -> None:
    play = ("play", "--plain", "--no-announce", "--plaintext", "--bots", "none", "--name", "Ana")
    with typed(tmp_path, *play) as child:
        child.expect("genial join (\\S+)\r\n")
        address = matched(child)
        join = ("join", address, "--plain", "--plaintext", "--name", "Max")
        with typed(tmp_path / "max", *join) as friend:
            child.expect("> your turn")
            child.sendline("quit")
            child.expect("Others are seated.*yes or no")
            child.sendline("no")
            child.expect("You stay")
            child.sendline("quit")
            child.expect("yes or no")
            child.sendline("yes")
            child.expect("The host stays")
            assert ended(child) == 0
            friend.expect("Ana is away")
            friend.sendline("resign")
            friend.expect("The game is over")
            assert ended(friend) == 1


def test_a_changed_certificate_is_accepted_by_typing_from_it(tmp_path: Path) -> None:
    host = ("host", "--port", "0", "--bind", "127.0.0.1", "--no-announce")
    data = tmp_path / "data"
    known = ""
    with typed(tmp_path / "host", *host, "--data", str(data)) as server:
        server.expect("address=(\\S+) fingerprint=([0-9a-f]+)")
        assert isinstance(server.match, re.Match)
        address, known = str(server.match.group(1)), str(server.match.group(2))
        with typed(tmp_path, "create", address) as child:
            assert ended(child) == 0
        server.kill(15)
        assert ended(server) == 0
    (data / "certificate.pem").unlink()
    again = (*host[:2], address.rpartition(":")[2], *host[3:], "--data", str(data))
    with typed(tmp_path / "host", *again) as server:
        server.expect("fingerprint=([0-9a-f]+)")
        fresh = matched(server)
        join = ("join", address, "--plain", "--name", "Ana")
        with typed(tmp_path, *join) as child:
            child.expect("shows another certificate than before")
            child.expect(in_groups(known))
            child.expect(in_groups(fresh))
            child.expect("type the first group")
            child.sendline("y")
            child.expect("not how the new fingerprint begins")
            child.expect("type the first group")
            child.sendline("")
            child.expect("was not trusted, so nothing was sent")
            assert ended(child) == 1
        with typed(tmp_path, *join) as child:
            child.expect("type the first group")
            child.sendline(fresh[:8])
            child.expect("Seat 1: Ana \\(you\\)")
            child.sendline("leave")
            assert ended(child) == 0
        with typed(tmp_path, *join) as child:
            # Remembered: nothing is asked any more.
            assert child.expect(["Seat 1: Ana \\(you\\)", "another certificate"]) == 0
            child.sendline("leave")
            assert ended(child) == 0
        server.kill(15)
        assert ended(server) == 0


def test_several_tables_are_offered_by_number_and_one_is_locked(tmp_path: Path) -> None:
    host = ("host", "--plaintext", "--port", "0", "--bind", "127.0.0.1", "--no-announce")
    with typed(tmp_path / "host", *host) as server:
        server.expect("address=(\\S+) ")
        address = matched(server)
        secret = tmp_path / "secret"
        secret.write_text("swordfish\n")
        create = ("create", address, "--plaintext", "--table-password-file", str(secret))
        for _table in range(2):
            with typed(tmp_path, *create) as child:
                assert ended(child) == 0
        join = ("join", address, "--plain", "--plaintext", "--name", "Ana")
        with typed(tmp_path, *join) as child:
            child.expect("Which table")
            child.sendintr()
            child.expect("No table was chosen")
            assert ended(child) == 1
        with typed(tmp_path, *join) as child:
            child.expect("Which table")
            child.sendline("7")
            child.expect("no number from 1 to 2")
            child.sendline("2")
            child.expect("asks for a password")
            child.expect("Password")
            child.sendline("swordfish")
            child.expect("Seat 1: Ana \\(you\\)")
            child.sendline("leave")
            assert ended(child) == 0
        server.kill(15)
        assert ended(server) == 0
