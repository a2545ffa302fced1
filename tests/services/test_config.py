"""The host's configuration: every key, every fault named, paths and secrets where they belong."""

from __future__ import annotations

import dataclasses
import ipaddress
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from genial.engine.rules import Leaving, Mode, Preset
from genial.services.config import (
    BotsConfig,
    ConfigError,
    HostConfig,
    LogConfig,
    LogFormat,
    LogLevel,
    Service,
    TableConfig,
    TimesConfig,
    read_config,
    settings_of,
    warnings,
)
from genial.services.limits import Limits
from genial.services.lobby.table import Times
from genial.services.settings import SERVICES, HostSettings
from genial.wire.secret_files import SecretFileError, read_secret
from genial.wire.values import Clock

Write = Callable[[str], Path]

EVERYTHING = """
name = "The cellar"
port = 7800
bind = "::1"
data = "games"
announce = false
plaintext = false
certificate = "tls/host.pem"
password_file = "password"
services = ["lobby", "bots"]
secret_file = "secret"
draining = true
neighbours = ["10.0.7.5:7718", "[fd00::7]:7718"]

[peers]
game = "10.0.0.5:7718"
history = "[fd00::5]:7718"

[limits]
tables = 20
tables_per_address = 3
watchers = 8
bots = 10
chat_per_minute = 10
calls_per_second = 50
call_burst = 100
wrong_passwords_per_minute = 3
streams_per_address = 20
connections_per_address = 10
connections = 200
calls_at_once = 500
request_bytes = 8192
exempt = ["127.0.0.1", "192.168.7.0/24"]

[times]
grace = "5m"
deal_step = "20s"
rematch = "90s"
interlude = "1s"
unused = "2d"

[bots]
processes = 2
stand_in = "easy"
names = ["Hal", "Deep Thought"]

[log]
format = "json"
level = "debug"
file = "log/host.log"

[[tables]]
name = "Quick game"
bots = ["medium"]
clock = "10m+10s"
games = 3
first = 1

[[tables]]
name = "Pairs"
mode = "partners"
preset = "official"
leaving = "skip"
partners_talk = true
spectators = false
hints = false
password_file = "password"
"""


APART = 'certificate = "host.pem"\n'
"""What services that run apart need, beside the secret."""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    for name in ("password", "secret"):
        (tmp_path / name).write_text(f"the-{name}-of-this-host\n")
        (tmp_path / name).chmod(0o600)
    (tmp_path / "short").write_text("swordfish\n")
    (tmp_path / "umlaut").write_text("a secret of the Grüne Insel\n", "utf-8")

    def written(text: str) -> Path:
        path = tmp_path / "host.toml"
        path.write_text(text, "utf-8")
        return path

    return written


def problems(path: Path) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read_config(path)
    return caught.value.problems


def test_an_empty_file_gives_every_default(write: Write) -> None:
    config = read_config(write(""))
    assert config == HostConfig()
    settings = settings_of(config, Path("/data"))
    assert settings == dataclasses.replace(HostSettings(Path("/data")), plaintext=False)
    assert settings.times == Times()
    assert set(Service) == set(SERVICES)


def test_every_key(write: Write, tmp_path: Path) -> None:
    config = read_config(write(EVERYTHING))
    settings = settings_of(config, Path("/elsewhere"))
    settings.check()
    assert (settings.name, settings.port, settings.bind) == ("The cellar", 7800, "::1")
    assert settings.data == tmp_path / "games"
    assert settings.certificate == tmp_path / "tls" / "host.pem"
    assert settings.password == "the-password-of-this-host"
    assert settings.secret == "the-secret-of-this-host"
    assert settings.services == {"lobby", "bots"}
    assert settings.peers == {"game": "10.0.0.5:7718", "history": "[fd00::5]:7718"}
    assert not settings.announce
    assert settings.draining
    assert settings.limits.request_bytes == 8192
    assert settings.limits.exempt == (
        ipaddress.ip_network("127.0.0.1"),
        ipaddress.ip_network("192.168.7.0/24"),
    )
    assert settings.times == Times(300_000, 20_000, 90_000, 1_000, 172_800_000)
    assert (settings.bot_processes, settings.stand_in_level) == (2, "easy")
    assert settings.bot_names == ("Hal", "Deep Thought")
    assert (config.log.format, config.log.level) == (LogFormat.JSON, LogLevel.DEBUG)
    assert config.log.file == tmp_path / "log" / "host.log"
    quick, pairs = config.tables
    assert (quick.clock, quick.games, quick.first) == (Clock(600_000, 10_000), 3, 1)
    assert quick.rules.players == 2
    assert (pairs.rules.mode, pairs.rules.preset) == (Mode.PARTNERS, Preset.OFFICIAL)
    assert (pairs.rules.players, pairs.rules.leaving) == (4, Leaving.SKIP)
    assert pairs.rules.partners_talk
    assert not pairs.spectators
    quick_standing, pairs_standing = settings.standing
    assert quick_standing.bot_levels == ("medium",)
    assert quick_standing.options.games == 3
    assert pairs_standing.options.spectators_forbidden
    assert pairs_standing.password == "the-password-of-this-host"
    assert "the-password" not in repr(pairs_standing)


def test_no_key_is_forgotten_here() -> None:
    """EVERYTHING sets every key that there is."""

    def keys(kind: type) -> set[str]:
        return {field.name for field in dataclasses.fields(kind)}

    document = tomllib.loads(EVERYTHING)
    hints = HostConfig()
    assert set(document) == keys(HostConfig)
    for section in ("limits", "times", "bots", "log"):
        assert set(document[section]) == keys(type(getattr(hints, section))), section
    assert {key for table in document["tables"] for key in table} == keys(TableConfig) - {"players"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('prot = 7718', "prot: there is no such key; port perhaps?"),
        ("xyzzy = 1", "xyzzy: there is no such key; there are name, port"),
        ("[limits]\ntabels = 5", "limits.tabels: there is no such key; tables perhaps?"),
        ("name = 5", "name: must be a text, not 5"),
        ("port = 70000", "port: must be from 0 to 65535, not 70000"),
        ('port = "7718"', "port: must be a whole number, not '7718'"),
        ("port = 77.18", "port: must be a whole number, not 77.18"),
        ("port = true", "port: must be a whole number, not true"),
        ("announce = 1", "announce: must be true or false, not 1"),
        ("limits = 5", "limits: must be a list or a table of keys"),
        ("tables = 5", "tables: must be a list, not 5"),
        ("peers = []", "peers: must be a list or a table of keys"),
        ("[limits]\ntables = 0", "limits.tables: must be from 1 to"),
        ("[limits]\ntables = -4", "limits.tables: must be from 1 to"),
        ("[limits]\nexempt = ['10.0.0.1/8']", "limits.exempt[0]: must be an address or network"),
        ("[limits]\ncall_burst = 5", "limits.call_burst: must be at least limits.calls_per_second"),
        ('[times]\ngrace = "soon"', 'times.grace: must be a length of time like "90s"'),
        ("[times]\ngrace = 90", "times.grace: must be a length of time"),
        ('[times]\ngrace = "0s"', "times.grace: must be more than nothing"),
        ('[log]\nformat = "xml"', "log.format: must be one of text, json, not 'xml'"),
        ('[bots]\nstand_in = ""', "bots.stand_in: must have 1 to 40 characters"),
        ('[bots]\nnames = ["Hal", ""]', "bots.names[1]: must have 1 to 24 characters"),
        ('[bots]\nnames = ["Ha\\tl"]', "bots.names[0]: must be readable on one line"),
        ('[bots]\nnames = ["Hal", "Hal"]', "bots.names[1]: 'Hal' is there already"),
        ('services = ["lobby", "gaem"]', "services[1]: must be one of lobby, game, bots, history"),
        ('[peers]\ngaem = "h:1"', "peers[gaem]: must be one of lobby"),
        ("services = []", "services: must name at least one"),
        (APART + 'services = ["lobby"]\nsecret_file = "secret"', "The service game is needed"),
        (
            APART + 'services = ["game"]\nsecret_file = "short"',
            "secret_file: the first line of",
        ),
        (
            APART + 'services = ["game"]\nsecret_file = "umlaut"',
            "must have 16 to 200 letters",
        ),
        (APART + 'services = ["game"]', "secret_file: must be given when services run apart"),
        (APART + '[peers]\ngame = "h:1"\n', "secret_file: must be given"),
        (
            APART + 'secret_file = "secret"\n[peers]\ngame = "h:1"',
            "The service game cannot run here and elsewhere",
        ),
        (
            APART + 'secret_file = "secret"\nservices = ["lobby"]\n[peers]\ngame = "nowhere"',
            "peers.game: must be HOST:PORT, not 'nowhere'",
        ),
        (
            APART + 'secret_file = "secret"\nservices = ["lobby"]\n[peers]\ngame = "fd00::5:7718"',
            "peers.game: must be HOST:PORT",
        ),
        (
            "services = ['game']\nsecret_file = 'secret'",
            "certificate: must be one file for all services",
        ),
        ('password_file = "nothing"', "password_file: "),
        ("[[tables]]\nplayers = 2", "tables[0].name: must be given"),
        ("[[tables]]\nname = 'a'\nplayers = 5", "tables[0].players: must be from 1 to 4"),
        ("[[tables]]\nname = 'a'\nmode = 'pairs'", "tables[0].mode: must be one of free, partners"),
        ("[[tables]]\nname = 'a'\nmode = 'partners'\nplayers = 3", "tables[0].players: "),
        ("[[tables]]\nname = 'a'\nclock = '5'", "tables[0].clock: "),
        ("[[tables]]\nname = 'a'\nfirst = 2", "tables[0].first: must be a seat from 0 to 1"),
        (
            "[[tables]]\nname = 'a'\nbots = ['easy', 'easy']",
            "tables[0].bots: must leave one of the 2 seats open",
        ),
        ("[[tables]]\nname = 'a'\n[[tables]]\nname = 'A'", "tables[1].name: 'A' is the name of"),
        ("[[tables]]\nname = 'a'\npassword_file = 'no'", "tables[0].password_file: "),
        (
            APART + "services = ['game']\nsecret_file = 'secret'\n[[tables]]\nname = 'a'",
            "tables: the lobby, which keeps them, does not run here",
        ),
        ("[bots]\nnames = 'Hal'", "bots.names: must be a list, not 'Hal'"),
        ("neighbours = 'h:1'", "neighbours: must be a list, not 'h:1'"),
        ("[[tables]]\nname = 'a'\nbots = 'x'", "tables[0].bots: must be a list, not 'x'"),
        ("name = '\u202e'", "name: must be readable on one line"),
        ("[[tables]]\nname = '\u202e'", "tables[0].name: must be readable on one line"),
        ("name =", "host.toml is not TOML: "),
        ("a = 1\na = 2", "host.toml is not TOML: "),
    ],
)  # fmt: skip
def test_each_fault_is_named(write: Write, text: str, problem: str) -> None:
    found = problems(write(text))
    assert len(found) == 1
    assert problem in found[0]
    assert "\n" not in found[0]


def test_all_faults_are_told_at_once(write: Write) -> None:
    found = problems(write("prot = 1\nname = 4\n[limits]\ntables = 0\n[log]\nlevel = 'loud'"))
    assert [line.partition(":")[0] for line in found] == [
        "limits.tables", "log.level", "name", "prot",
    ]  # fmt: skip


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "cannot be read" in problems(tmp_path / "none.toml")[0]
    assert "cannot be read" in problems(tmp_path)[0]
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    assert "not UTF-8" in problems(binary)[0]
    huge = tmp_path / "huge.toml"
    huge.write_bytes(b"#" * 2_000_000)
    assert "larger than" in problems(huge)[0]


@pytest.mark.parametrize(
    ("content", "secret"),
    [(b"word", "word"), (b"word\n", "word"), (b"word\r\n", "word"), (b" a b \nrest", " a b ")],
)
def test_a_secret_is_the_first_line(tmp_path: Path, content: bytes, secret: str) -> None:
    (tmp_path / "secret").write_bytes(content)
    assert read_secret(tmp_path / "secret") == secret


@pytest.mark.parametrize("content", [b"", b"\n", b"\nword", b"\xff", b"x" * 5000])
def test_what_is_no_secret(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret").write_bytes(content)
    with pytest.raises(SecretFileError, match=str(tmp_path)):
        read_secret(tmp_path / "secret")


def test_secrets_show_in_no_repr(write: Write) -> None:
    config = read_config(write(EVERYTHING))
    assert "the-password" not in repr(settings_of(config, Path("/data")))
    assert "the-secret" not in repr(settings_of(config, Path("/data")))


def test_warnings(write: Write, tmp_path: Path) -> None:
    assert warnings(read_config(write(""))) == []
    (tmp_path / "password").chmod(0o644)
    said = warnings(read_config(write('plaintext = true\npassword_file = "password"')))
    assert [line.partition(":")[0] for line in said] == [
        "plaintext", "password_file", str(tmp_path / "password"),
    ]  # fmt: skip


class TestHandbook:
    """docs/hosting.md shows the file as it is."""

    TEXT = (Path(__file__).parents[2] / "docs" / "hosting.md").read_text("utf-8")
    BLOCK = TEXT.partition("```toml\n")[2].partition("```")[0]

    def test_it_shows_the_defaults(self, write: Write) -> None:
        config = read_config(write(self.BLOCK))
        tables = config.tables
        assert dataclasses.replace(config, tables=()) == HostConfig()
        assert tables == (TableConfig("Quick game", players=2, first=0),)

    def test_it_shows_every_key(self) -> None:
        shown = tomllib.loads(re.sub(r"^# (\w+ = )", r"\1", self.BLOCK, flags=re.MULTILINE))
        for section, kind in (
            (shown, HostConfig),
            (shown["limits"], Limits),
            (shown["times"], TimesConfig),
            (shown["bots"], BotsConfig),
            (shown["log"], LogConfig),
            (shown["tables"][0], TableConfig),
        ):
            missing = {field.name for field in dataclasses.fields(kind)} - set(section)
            assert missing - {"peers"} == set()
