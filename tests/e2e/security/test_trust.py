"""Certificates and passwords, as people meet them on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from genial.wire.metadata import host_password_entry
from tests.e2e.processes import HostProcess, Program, genial
from tests.e2e.security.hosts import bots_finish_a_game, encrypted_host

FINGERPRINT = re.compile(r"[0-9a-f]{64}")


def at(host: HostProcess) -> str:
    return f"127.0.0.1:{host.port}"


def known_hosts(home: Path) -> Path:
    """The one file of that name."""
    (found,) = home.rglob("known_hosts.json")
    return found


async def test_first_contact_shows_remembers_and_then_is_silent(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path) as host:
        assert FINGERPRINT.fullmatch(host.fingerprint)
        first = await genial("tables", at(host), home=tmp_path)
        assert first.code == 0
        assert host.fingerprint in first.err
        assert first.err.count("\n") == 1
        again = await genial("tables", at(host), home=tmp_path)
        assert (again.code, again.err) == (0, "")
        known = known_hosts(tmp_path)
        assert host.fingerprint in known.read_text()
        assert known.stat().st_mode & 0o077 == 0


async def test_the_certificate_is_the_same_after_a_restart(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path) as host:
        before = host.fingerprint
    async with encrypted_host(tmp_path) as host:
        assert host.fingerprint == before
    certificate = tmp_path / "data" / "certificate.pem"
    assert certificate.stat().st_mode & 0o777 == 0o600


async def test_a_changed_certificate_is_refused_until_it_is_accepted(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path) as host:
        before, port = host.fingerprint, host.port
        assert (await genial("tables", at(host), home=tmp_path)).code == 0
    (tmp_path / "data" / "certificate.pem").unlink()
    async with encrypted_host(tmp_path, port=port) as host:
        assert host.fingerprint != before
        refused = await genial("tables", at(host), home=tmp_path)
        assert refused.code == 1
        for told in (
            before,
            host.fingerprint,
            f"--fingerprint {host.fingerprint}",
            "Ask the owner",
        ):
            assert told in refused.err
        assert refused.err.count("\n") == 1
        accepted = await genial(
            "tables", at(host), "--fingerprint", host.fingerprint, home=tmp_path
        )
        assert (accepted.code, accepted.err) == (0, "")
        assert (await genial("tables", at(host), home=tmp_path)).code == 0


async def test_a_wrong_fingerprint_reaches_nobody(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path, "--log-level", "debug") as host:
        wrong = "0" * 64
        refused = await genial("create", at(host), "--fingerprint", wrong, home=tmp_path)
        assert refused.code == 1
        assert "not the one you asked for" in refused.err
        assert host.fingerprint in refused.err
        # As people copy it: upper case, with colons.
        pairs = ":".join(host.fingerprint[i : i + 2] for i in range(0, 64, 2)).upper()
        listed = await genial("tables", at(host), "--json", "--fingerprint", pairs, home=tmp_path)
        assert listed.document == []
        assert wrong not in known_hosts(tmp_path).read_text()


@pytest.mark.parametrize("fingerprint", ["abc", "x" * 64, ""])
async def test_no_fingerprint_at_all_is_wrong_usage(tmp_path: Path, fingerprint: str) -> None:
    done = await genial("tables", "127.0.0.1:1", "--fingerprint", fingerprint, home=tmp_path)
    assert done.code == 2
    assert "64 hexadecimal digits" in done.err


async def test_encrypted_and_open_are_told_apart(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path) as host:
        done = await genial("tables", at(host), "--plaintext", home=tmp_path)
        assert done.code == 1
        assert "leave out --plaintext" in done.err
        assert host.fingerprint in done.err
    async with encrypted_host(tmp_path, "--plaintext") as host:
        assert host.fingerprint == "-"
        done = await genial("tables", at(host), home=tmp_path)
        assert done.code == 1
        assert "does not encrypt" in done.err
        assert "add --plaintext" in done.err
        assert (await genial("tables", at(host), "--plaintext", home=tmp_path)).code == 0


async def test_a_password_goes_only_to_who_is_known(tmp_path: Path) -> None:
    secret = "mellon äöü"
    (tmp_path / "right").write_text(f"{secret}\n")
    (tmp_path / "wrong").write_text("friend\n")
    async with encrypted_host(
        tmp_path, "--password-file", tmp_path / "right", "--log-level", "debug"
    ) as host:
        none = await genial("tables", at(host), home=tmp_path)
        assert none.code == 1
        assert "asks for a password" in none.err
        assert "--password-file" in none.err
        stranger = tmp_path / "stranger"
        stranger.mkdir()
        held = await genial(
            "tables", at(host), "--password-file", tmp_path / "right", home=stranger
        )
        assert held.code == 1
        assert "The password was not sent" in held.err
        assert host.fingerprint in held.err
        for _ in range(2):
            known = await genial(
                "tables", at(host), "--password-file", tmp_path / "right", home=stranger
            )
            assert (known.code, known.err) == (0, "")
        typed = await genial(
            *("tables", at(host), "--fingerprint", host.fingerprint),
            home=tmp_path / "nobody",
            variables={"GENIAL_PASSWORD": secret},
        )
        assert typed.code == 0
        wrong = await genial(
            "tables", at(host), "--password-file", tmp_path / "wrong", home=stranger
        )
        assert wrong.code == 1
        assert "not the password of this host" in wrong.err
        # The host's own bots come in by it as well.
        await bots_finish_a_game(host, (host_password_entry(secret),))
        log = "\n".join(host.lines)
        assert secret not in log
        assert "friend" not in log
        assert "sent a wrong password" in log


async def test_a_password_in_the_open_stays_on_this_machine(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("mellon\n")
    async with encrypted_host(
        tmp_path, "--plaintext", "--password-file", tmp_path / "word"
    ) as host:
        done = await genial(
            *("tables", at(host), "--plaintext", "--password-file", tmp_path / "word"),
            home=tmp_path,
        )
        assert done.code == 0
        assert "without encryption players cannot send the password" in "\n".join(host.lines)


async def test_a_proxy_in_the_environment_is_left_alone(tmp_path: Path) -> None:
    proxies = dict.fromkeys(
        ("http_proxy", "https_proxy", "grpc_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"),
        "http://127.0.0.1:9",
    )
    async with encrypted_host(tmp_path, variables=proxies) as host:
        made = await genial(
            "create", at(host), "--bots", "medium,medium", home=tmp_path, variables=proxies
        )
        assert made.code == 0, made.err
        await bots_finish_a_game(host)


async def test_a_running_client_notices_that_somebody_else_answers(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path) as host:
        port = host.port
        made = await genial("create", at(host), home=tmp_path)
        watching = await Program.start(
            "watch", at(host), made.out.strip(), "--plain", home=tmp_path
        )
        await watching.line(lambda line: "watch" in line.lower() or "Table" in line)
    other = tmp_path / "other"
    other.mkdir()
    async with encrypted_host(other, port=port):
        await watching.line(lambda line: "Another certificate is shown" in line)
        assert await watching.ended() == 1


async def test_a_damaged_certificate_stops_the_host_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "certificate.pem").write_text("rubbish")
    done = await genial(
        "host", "--no-announce", "--port", "0", "--data", tmp_path / "data", home=tmp_path
    )
    assert done.code == 1
    assert "damaged" in done.err.splitlines()[-1]


async def test_check_config(tmp_path: Path) -> None:
    config = tmp_path / "host.toml"
    config.write_text("prot = 1\n[limits]\ntables = 'many'\n")
    wrong = await genial("host", "--check-config", "--config", config, home=tmp_path)
    assert wrong.code == 1
    assert wrong.err.count("\n") == 1
    for told in (
        "host.toml",
        "prot: there is no such key; port perhaps?",
        "limits.tables: must be",
    ):
        assert told in wrong.err
    config.write_text(
        "bind = '999.1.1.1'\ndata = 'host.toml'\n[log]\nfile = '.'\n[bots]\nstand_in = 'easy'\n"
    )
    here = await genial("host", "--check-config", "--config", config, home=tmp_path)
    assert (here.code, here.out) == (1, "")
    for told in ("bind: '999.1.1.1' is no address", "data: ", "host.toml is a file", "log.file: "):
        assert told in here.err
    config.write_text("[bots]\nstand_in = 'grandmaster'\n[[tables]]\nname = 'A'\nbots = ['x']\n")
    levels = await genial("host", "--check-config", "--config", config, home=tmp_path)
    assert levels.code == 1
    for told in ("bots.stand_in: there is no bot level 'grandmaster'", "tables[0].bots[0]: "):
        assert told in levels.err
    config.write_text("port = 0\nannounce = false\n[[tables]]\nname = 'Always'\n")
    right = await genial("host", "--check-config", "--config", config, home=tmp_path)
    assert (right.code, right.out) == (0, "The configuration is in order.\n")
    async with encrypted_host(tmp_path, "--config", config, "--log-format", "json") as host:
        listed = await genial("tables", at(host), "--json", home=tmp_path)
        assert [table["name"] for table in listed.document] == ["Always"]
        log = [line for line in host.lines if not line.startswith("genial host ready ")]
        assert log
        for line in log:
            assert json.loads(line)["level"], line


async def test_a_table_has_a_password_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("sesame\n")
    word = ("--table-password-file", tmp_path / "word")
    async with encrypted_host(tmp_path) as host:
        made = await genial("create", at(host), *word, home=tmp_path)
        table = ("--table", made.out.strip(), "--plain")
        without = await genial("join", at(host), *table, home=tmp_path, typed="quit\n")
        assert without.code == 1
        assert "asks for a password. Give it with --table-password-file" in without.err
        within = await genial("join", at(host), *table, *word, home=tmp_path, typed="quit\n")
        assert within.code == 0, within.err
