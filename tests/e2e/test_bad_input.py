"""Whatever is wrong, one line says what, the exit code tells, and nothing else happens."""

from __future__ import annotations

import asyncio
import os
import socket
from functools import partial
from pathlib import Path

import pytest

from tests.e2e.processes import PlainPlayer, Program, environment, genial, running_host

PLAIN = "--plaintext"


def one_line(text: str) -> str:
    """The sentence on standard error, of which there is exactly one line."""
    assert text.endswith("\n")
    assert text.count("\n") == 1, text
    assert "Traceback" not in text
    return text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frobnicate"], "There is no command 'frobnicate'"),
        (["tables"], "Missing argument 'ADDRESS'"),
        (["create", "127.0.0.1", "--players", "7"], "--players"),
        (["create", "127.0.0.1", "--players", "3", "--mode", "partners"], "partners"),
        (["create", "127.0.0.1", "--first", "5"], "--first is a seat from 0 to 1"),
        (["create", "127.0.0.1", "--bots", "medium,medium,medium"], "3 bots do not fit"),
        (["create", "127.0.0.1", "--clock", "soon"], "like 10m+10s"),
        (["create", "127.0.0.1", "--partners-talk"], "--mode partners"),
        (["play", "--bots", "medium,medium"], "no seat for you"),
        (["play", "--clock", "25h"], "at most a day"),
        (["play", "--partners-talk", "--players", "4"], "--mode partners"),
        (["bot", "127.0.0.1", "t", "--level", "godlike"], "godlike"),
        ([], "Say what to do: play, "),
        (["record"], "Say what to do: check, fetch, show"),
        (["hosts", "--wait", "x"], "--wait"),
        (["hosts", "--wait", "nan"], "--wait"),
        (["bot", "127.0.0.1", "t", "--think", "nan"], "--think"),
        (["arena", "easy", "easy", "--think", "nan"], "--think"),
        (["create", "127.0.0.1", "--games", "100"], "--games"),
        (["record", "check"], "FILE"),
        (["join", "--name", "   "], "name"),
    ],
)
async def test_wrong_usage(arguments: list[str], said: str, tmp_path: Path) -> None:
    done = await genial(*arguments, home=tmp_path)
    assert done.code == 2
    assert said in one_line(done.err)
    assert "--help" in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "An address is needed"),
        ("127.0.0.1:99999", "a port is a number from 1 to 65535"),
        ("127.0.0.1:port", "a port is a number from 1 to 65535"),
        ("[127.0.0.1]:7718", "between the brackets belongs an IPv6 address"),
        ("fe80::1%eth0:x", "in brackets"),
        ("nowhere.invalid", "No host is known by nowhere.invalid"),
        ("nobody-by-that-name", "No host answers to nobody-by-that-name"),
        ("two words: no", "No host answers to two words: no"),
        ("127.0.0.1:1", "No host listens at 127.0.0.1:1"),
    ],
)
async def test_bad_address(address: str, said: str, tmp_path: Path) -> None:
    done = await genial("tables", address, PLAIN, home=tmp_path)
    assert done.code == 1
    assert said in one_line(done.err)
    assert done.out == ""


async def test_unknown_table_game_and_level(tmp_path: Path) -> None:
    async with running_host(tmp_path) as host:
        for arguments, said in (
            (("join", host.address, "--table", "nowhere", "--plain"), "There is no table nowhere"),
            (("watch", host.address, "nowhere", "--plain"), "There is no table nowhere"),
            (("bot", host.address, "nowhere"), "There is no table nowhere"),
            (("record", "fetch", host.address, "nothing"), "There is no game nothing"),
            (("create", host.address, "--bots", "godlike"), "There is no bot level godlike"),
            (("join", host.address, "--plain"), "No table with an open seat"),
        ):
            done = await genial(*arguments, PLAIN, home=tmp_path)
            assert done.code == 1, arguments
            assert said in one_line(done.err)
            assert done.out == ""
        tables = await genial("tables", host.address, "--json", PLAIN, home=tmp_path)
        assert tables.document == []
        games = await genial("games", host.address, "--json", PLAIN, home=tmp_path)
        assert games.document == []


async def test_full_table_several_tables_and_a_namesake(tmp_path: Path) -> None:
    async with running_host(tmp_path) as host:
        create = ("create", host.address, PLAIN)
        one = (await genial(*create, home=tmp_path)).out.strip()
        two = (await genial(*create, home=tmp_path)).out.strip()
        join = ("join", host.address, "--plain", PLAIN)
        several = await genial(*join, home=tmp_path)
        assert several.code == 1
        assert one in one_line(several.err)
        assert two in several.err
        ana = await Program.start(*join, "--table", one, "--name", "Ana", home=tmp_path)
        try:
            await ana.line(lambda line: line.startswith("You are ready"))
            # The table names the other one apart, and the end of the input leaves nothing behind.
            other = tmp_path / "other"
            namesake = await genial(*join, "--table", one, "--name", "Ana", home=other)
            assert namesake.code == 0
            assert "Ana 2 (you)" in namesake.out
            third = await genial(*join, "--table", one, "--name", "Eva", home=tmp_path / "third")
            assert third.code == 1
            assert "All seats of this table are taken" in one_line(third.err)
        finally:
            await ana.stop()


def says_one_of(words: list[str], line: str) -> bool:
    return any(word in line for word in words)


async def test_wrong_lines_cost_nothing(tmp_path: Path) -> None:
    async with running_host(tmp_path) as host:
        table = (await genial("create", host.address, PLAIN, home=tmp_path)).out.strip()
        join = ("join", host.address, "--plain", PLAIN, "--table", table, "--name")
        ana = await PlainPlayer.start(*join, "Ana", home=tmp_path)
        await ana.line(lambda line: line.startswith("You are ready"))
        max_ = await PlainPlayer.start(*join, "Max", home=tmp_path)
        try:
            await ana.line(lambda line: line == "> your turn")
            await max_.line(lambda line: line.startswith("Your tiles"))
            for typed, said in (
                ("place", "Say which tile and which two cells"),
                ("place XX D8 D9", "is no tile"),
                ("place RB Z8 D9", "is no cell"),
                ("place RB A1 O15", "is no cell"),
                ("place RR H8 H8", "on your rack|neighbours"),
                ("refill", "Place a tile first"),
                ("exchange", "Place a tile first"),
                ("exchange RB GO", "exchange RB GO is no command"),
                ("resign now", "resign now is no command"),
                ("leave the game?", "is no command"),
                ("place\tXX\tD8 D9", "is no tile"),
                ("moves -1", "is not a number"),
                ("say", "Say what"),
                ("\0\x1b[31m\u202e", "is no command"),
                ("x" * 100_000, "is no command"),
            ):
                known = len(ana.lines)
                ana.type(typed)
                await ana.line(partial(says_one_of, said.split("|")), known)
                # Input is due still, and scripts are told so.
                await ana.line(lambda line: line == "> your turn", known)
            known = len(max_.lines)
            max_.type("refill")
            await max_.line(lambda line: "It is not your turn" in line, known)
            ana.process.stdin.write(b"\xff\xfe broken\n")  # type: ignore[union-attr]
            known = len(ana.lines)
            await ana.line(lambda line: "is no command" in line, known)
            await ana.line(lambda line: line == "> your turn", known)
            assert not any("\x1b" in line for line in ana.lines)
            # Nothing has happened in the game.
            known = len(ana.lines)
            ana.type("# only a comment")
            ana.type("log 1")
            assert (await ana.line(lambda _line: True, known)).startswith("Your tiles")
        finally:
            await ana.stop()
            await max_.stop()


async def test_port_in_use(tmp_path: Path) -> None:
    async with running_host(tmp_path) as host:
        second = await genial(
            "host",
            "--bind",
            "127.0.0.1",
            "--port",
            str(host.port),
            "--no-announce",
            PLAIN,
            "--data",
            tmp_path / "second",
            home=tmp_path,
        )
        assert second.code == 1
        assert f"Port {host.port} is in use" in one_line(second.err)
        play = await genial(
            "play", "--plain", "--port", str(host.port), "--no-announce", PLAIN, home=tmp_path
        )
        assert play.code == 1
        assert f"Port {host.port} is in use" in one_line(play.err)


async def test_something_else_listens_there(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    done = await genial("tables", f"127.0.0.1:{port}", PLAIN, home=tmp_path)
    assert done.code == 1
    assert "no Genial host" in one_line(done.err)
    server.close()
    await server.wait_closed()


async def test_silent_port_is_given_up_soon(tmp_path: Path) -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen(1)
        port = mute.getsockname()[1]
        done = await genial("tables", f"127.0.0.1:{port}", PLAIN, home=tmp_path)
    assert done.code == 1
    one_line(done.err)


async def test_closed_streams(tmp_path: Path) -> None:
    """No standard input, and an output that nobody reads: no traceback."""
    async with running_host(tmp_path) as host:
        table = (await genial("create", host.address, PLAIN, home=tmp_path)).out.strip()
        command = '"$@" <&- | true; echo "code ${PIPESTATUS[0]}"'
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            command,
            "bash",
            *_program("join", host.address, "--table", table, "--plain", PLAIN),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(tmp_path),
        )
        out, err = await process.communicate()
        assert out.decode().strip() in ("code 0", "code 1")
        assert b"Traceback" not in err


async def test_fault_of_our_own_leaves_a_line_and_a_log(tmp_path: Path) -> None:
    # A folder in place of the settings file is nothing that anybody foresaw.
    broken = tmp_path / "site"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import genial.client.browse as b\n"
        "def broken(*a, **k): raise ZeroDivisionError('on purpose')\n"
        "b.Browser.__init__ = broken\n"
    )
    path = [str(broken), *filter(None, [os.environ.get("PYTHONPATH")])]
    process = await asyncio.create_subprocess_exec(
        *_program("hosts"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(tmp_path) | {"PYTHONPATH": os.pathsep.join(path)},
    )
    _out, err = await process.communicate()
    assert process.returncode == 1
    line = one_line(err.decode())
    assert "ZeroDivisionError: on purpose" in line
    assert "Traceback" in only_log(tmp_path, line)


def only_log(home: Path, line: str) -> str:
    (log,) = home.rglob("crash-*.log")
    assert line.endswith(f"{log}\n")
    return log.read_text()


async def test_record_that_cannot_be_written(tmp_path: Path) -> None:
    async with running_host(tmp_path) as host:
        table = ("create", host.address, "--bots", "medium,medium", PLAIN)
        await genial(*table, home=tmp_path)
        watcher = ("watch", host.address, (await _tables(host.address, tmp_path))[0], "--plain")
        assert (await genial(*watcher, PLAIN, home=tmp_path)).code == 0
        games = await genial("games", host.address, "--json", PLAIN, home=tmp_path)
        game = games.document[0]["game_id"]
        fetch = ("record", "fetch", host.address, game, PLAIN)
        done = await genial(*fetch, "-o", tmp_path / "no" / "such" / "dir", home=tmp_path)
        assert done.code == 1
        assert "cannot be written" in one_line(done.err)
        shown = await genial(*fetch, home=tmp_path)
        assert shown.out.startswith('{"record":"genial/1"')


async def _tables(address: str, home: Path) -> list[str]:
    found = await genial("tables", address, "--json", PLAIN, home=home)
    return [table["table_id"] for table in found.document]


def _program(*arguments: str) -> list[str]:
    from tests.e2e.processes import GENIAL

    return [*GENIAL, *arguments]


async def test_help_says_where_things_live(tmp_path: Path) -> None:
    done = await genial("--help", home=tmp_path)
    assert done.code == 0
    for word in ("data", "settings", "logs"):
        assert word in done.out
    assert str(tmp_path) in done.out
    # Nothing was made by asking.
    assert os.listdir(tmp_path) == []


async def test_version_imports_next_to_nothing(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *_program("--version")[:1],
        "-X",
        "importtime",
        *_program("--version")[1:],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(tmp_path),
    )
    out, err = await process.communicate()
    assert out.decode().startswith("genial 0.")
    imported = {line.rsplit("|", 1)[1].strip() for line in err.decode().splitlines()[1:]}
    heavy = {"click", "grpc", "zeroconf", "prompt_toolkit", "platformdirs", "asyncio"}
    assert not imported & heavy


async def test_bytes_of_no_encoding_are_no_fault_of_the_program(tmp_path: Path) -> None:
    bytes_ = os.fsdecode(b"\xff\xfe")
    async with running_host(tmp_path) as host:
        for arguments in (
            ["create", host.address, PLAIN, "--bots", bytes_],
            ["bot", host.address, bytes_, PLAIN],
            ["watch", host.address, bytes_, PLAIN, "--plain"],
            ["record", "fetch", host.address, bytes_, PLAIN],
        ):
            done = await genial(*arguments, home=tmp_path)
            assert done.code == 1
            assert "no UTF-8 text" in one_line(done.err)
        # The name that the system gives is nobody's mistake.
        table = await genial("create", host.address, PLAIN, home=tmp_path)
        join = ["join", host.address, PLAIN, "--plain", "--table", table.out.strip()]
        done = await genial(*join, home=tmp_path, variables={"LOGNAME": bytes_, "USER": bytes_})
        assert (done.code, done.err) == (0, "")
        assert "Seat 1: Player (you)." in done.out
