"""Everything that a host can be told, and the TOML file that tells it.

The file has exactly the keys of `HostConfig` and of the classes in it; `read_config` names each
key that is unknown or holds what it cannot. Moments and lengths of time are written as in
``90s``, ``10m`` or ``1h30m``. Secrets are never written into the file itself, only where they
can be read, so that the file can be shown to others.
"""

# Without `from __future__ import annotations`: as texts, the bounds of numbers would be lost.

import re
import tomllib
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

from genial.engine.rules import Leaving, Mode, Preset, Rules
from genial.services.limits import Limits
from genial.services.lobby.passing import STAND_IN_LEVEL
from genial.services.lobby.standing import StandingTable
from genial.services.lobby.table import Options, Times
from genial.services.lobby.wording import NAME_LENGTH, clean
from genial.services.settings import BOTS, GAME, HISTORY, LOBBY, HostError, HostSettings
from genial.services.toml_values import Between, ConfigFault, Seconds, structure
from genial.wire.announcement import DEFAULT_PORT, MOST_NEIGHBOURS
from genial.wire.secret_files import SecretFileError, read_secret
from genial.wire.values import Clock

LARGEST_FILE: Final = 1024 * 1024

_SECRET: Final = re.compile("[!-~]{16,200}")
"""It travels in a header of HTTP, and whoever reaches the port may guess at it all night."""
_SECRET_FAULT: Final = (
    "must have 16 to 200 letters, digits or signs of ASCII, without spaces; `openssl rand -hex 32`"
    " makes one"
)

Level = Annotated[str, Between(1, 40)]


class Service(StrEnum):
    """The services of a host."""

    LOBBY = LOBBY
    GAME = GAME
    BOTS = BOTS
    HISTORY = HISTORY


class LogFormat(StrEnum):
    """How the log is written."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """From which importance on something is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class LogConfig:
    """The log.

    Attributes:
        format: For people, or a JSON object a line.
        level: From which importance on.
        file: Where it is written; None: standard error.
    """

    format: LogFormat = LogFormat.TEXT
    level: LogLevel = LogLevel.INFO
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class BotsConfig:
    """The host's own bots.

    Attributes:
        processes: That share their seats.
        stand_in: Level of those that play on for people who are away.
        names: What they are called; none: some names of our own.
    """

    processes: Annotated[int, Between(1, 64)] = 1
    stand_in: Level = STAND_IN_LEVEL
    names: tuple[Annotated[str, Between(1, NAME_LENGTH)], ...] = ()


_SECOND: Final = 1000
_USUAL: Final = Times()


@dataclass(frozen=True, slots=True)
class TimesConfig:
    """How long things may take at tables, in seconds.

    Attributes:
        grace: How long a player may be away before the table goes on without them.
        deal_step: How long each step of the verifiable deal may take.
        rematch: How long a table waits for a rematch after its last game.
        interlude: Pause before the next game of a match readies itself.
        unused: How long an open table may stand without anybody.
    """

    grace: Seconds = _USUAL.grace // _SECOND
    deal_step: Seconds = _USUAL.deal_step // _SECOND
    rematch: Seconds = _USUAL.rematch // _SECOND
    interlude: Seconds = _USUAL.interlude // _SECOND
    unused: Seconds = _USUAL.unused // _SECOND

    def times(self) -> Times:
        """The same for the lobby."""
        return Times(**{each.name: getattr(self, each.name) * _SECOND for each in fields(self)})


@dataclass(frozen=True, slots=True)
class TableConfig:
    """A table that is always open: as soon as its last seat is taken, another one stands ready.

    Attributes:
        name: What it is called in the list; two standing tables never share one.
        players: Seats; None: what is usual for the mode.
        bots: Levels of the bots that sit there, from the last seat downwards.
        first: The seat that begins the first game; None leaves it to chance.
        games: Games in a match; 0: as long as everybody wants a rematch.
        password_file: Holds the table's password; None: it has none.
    """

    name: Annotated[str, Between(1, 40)]
    mode: Mode = Mode.FREE
    preset: Preset = Preset.GENIAL
    players: Annotated[int, Between(1, 4)] | None = None
    bots: tuple[Level, ...] = ()
    first: Annotated[int, Between(0, 3)] | None = None
    leaving: Leaving = Leaving.BOT
    partners_talk: bool = False
    clock: Clock | None = None
    games: Annotated[int, Between(0, 99)] = 0
    spectators: bool = True
    hints: bool = True
    password_file: Path | None = None

    def __post_init__(self) -> None:
        """Checks what goes together.

        Raises:
            ConfigFault: Rules that there are not; more bots than seats; a seat too many.
        """
        try:
            rules = self.rules
        except ValueError as fault:
            key = "mode" if self.players is None else "players"
            raise ConfigFault(key, f"{fault}") from None
        if len(self.bots) >= rules.players:
            raise ConfigFault("bots", f"must leave one of the {rules.players} seats open")
        if self.first is not None and self.first >= rules.players:
            raise ConfigFault("first", f"must be a seat from 0 to {rules.players - 1}")

    @property
    def rules(self) -> Rules:
        """What is played.

        Raises:
            ValueError: There are no such rules.
        """
        usual = {Mode.FREE: 2, Mode.PARTNERS: 4, Mode.SOLO: 1}
        return Rules(
            preset=self.preset,
            mode=self.mode,
            players=usual[self.mode] if self.players is None else self.players,
            leaving=self.leaving,
            partners_talk=self.partners_talk if self.mode is Mode.PARTNERS else None,
        )

    def standing(self) -> StandingTable:
        """The same for the lobby.

        Raises:
            SecretFileError: The password cannot be read.
        """
        return StandingTable(
            self.name,
            Options(
                self.rules,
                self.first,
                self.clock,
                self.games,
                spectators_forbidden=not self.spectators,
                hints_forbidden=not self.hints,
            ),
            self.bots,
            "" if self.password_file is None else read_secret(self.password_file),
        )


@dataclass(frozen=True, slots=True)
class HostConfig:
    """Everything that a host can be told.

    Attributes:
        name: For people; empty: the computer's.
        port: To listen on; 0: any that is free.
        bind: Address to listen on; empty: all.
        data: Folder of everything that the host keeps; None: the user's own.
        announce: By mDNS.
        plaintext: Without TLS.
        certificate: File of key and certificate; None: in the data folder. Services that run
            apart share one.
        password_file: Holds the password that everybody has to know; None: nobody is asked.
        services: That run in this process.
        peers: Where the other services are, ``HOST:PORT``.
        secret_file: Holds the secret between services that are apart.
        draining: No new tables; those that run are played to their end.
        neighbours: Other hosts of the same party, ``HOST:PORT``, where mDNS does not reach from one
            to the other; players see the tables of all of them.
        tables: Tables that are always open.
    """

    name: Annotated[str, Between(0, 60)] = ""
    port: Annotated[int, Between(0, 65535)] = DEFAULT_PORT
    bind: str = ""
    data: Path | None = None
    announce: bool = True
    plaintext: bool = False
    certificate: Path | None = None
    password_file: Path | None = None
    services: tuple[Service, ...] = tuple(Service)
    peers: dict[Service, str] = field(default_factory=dict)
    secret_file: Path | None = None
    draining: bool = False
    neighbours: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    times: TimesConfig = field(default_factory=TimesConfig)
    bots: BotsConfig = field(default_factory=BotsConfig)
    log: LogConfig = field(default_factory=LogConfig)
    tables: tuple[TableConfig, ...] = ()


class ConfigError(Exception):
    """A configuration that cannot be used.

    Attributes:
        problems: A sentence for each, beginning with the key.
    """

    def __init__(self, problems: list[str]) -> None:
        """Keeps them all, so that one look at the file mends them all."""
        self.problems = problems
        super().__init__("; ".join(problems))


def read_config(path: Path) -> HostConfig:
    """The configuration of a TOML file; paths in it are relative to its folder.

    Raises:
        ConfigError: It cannot be read, or something in it cannot be used.
    """
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise ConfigError([f"{path} is larger than a configuration can be"])
        document = tomllib.loads(content.decode("utf-8"))
    except OSError as fault:
        raise ConfigError([f"{path} cannot be read: {fault.strerror}"]) from fault
    except UnicodeDecodeError as fault:
        raise ConfigError([f"{path} is not UTF-8"]) from fault
    except tomllib.TOMLDecodeError as fault:
        raise ConfigError([f"{path} is not TOML: {fault}"]) from fault
    config, problems = structure(document, HostConfig, path.parent.resolve())
    if config is not None:
        problems += check(config)
    if config is None or problems:
        raise ConfigError(problems)
    return config


def check(config: HostConfig) -> list[str]:
    """What in a configuration does not go together or is not there, a sentence each."""
    problems = [] if config.services else ["services: must name at least one"]
    problems += [
        f"peers.{service}: must be HOST:PORT, not {address!r}"
        for service, address in config.peers.items()
        if not _is_address(address)
    ]
    problems += [
        f"neighbours[{place}]: must be HOST:PORT, not {address!r}"
        for place, address in enumerate(config.neighbours)
        if not _is_address(address)
    ]
    if len(config.neighbours) > MOST_NEIGHBOURS:
        problems.append(f"neighbours: at most {MOST_NEIGHBOURS}, not {len(config.neighbours)}")
    apart = set(config.services) != set(Service) or config.peers
    if config.services and apart and config.secret_file is None:
        problems.append("secret_file: must be given when services run apart")
    names = [table.name.casefold() for table in config.tables]
    problems += [
        f"tables[{place}].name: {table.name!r} is the name of an earlier one"
        for place, table in enumerate(config.tables)
        if names.index(table.name.casefold()) < place
    ]
    if config.services and apart and not config.plaintext and config.certificate is None:
        problems.append("certificate: must be one file for all services that run apart")
    shown = {"name": config.name} if config.name else {}
    shown |= {f"tables[{place}].name": table.name for place, table in enumerate(config.tables)}
    problems += [
        f"{key}: must be readable on one line, not {name!r}"
        for key, name in shown.items()
        if not clean(name, len(name), "name")
    ]
    problems += [
        f"bots.names[{place}]: must be readable on one line, not {name!r}"
        for place, name in enumerate(config.bots.names)
        if clean(name, NAME_LENGTH, "name") != name
    ]
    problems += [
        f"bots.names[{place}]: {name!r} is there already"
        for place, name in enumerate(config.bots.names)
        if name in config.bots.names[:place]
    ]
    if config.tables and Service.LOBBY not in config.services:
        problems.append("tables: the lobby, which keeps them, does not run here (services)")
    if config.limits.call_burst < config.limits.calls_per_second:
        problems.append("limits.call_burst: must be at least limits.calls_per_second")
    secrets = [("password_file", config.password_file), ("secret_file", config.secret_file)]
    secrets += [
        (f"tables[{place}].password_file", table.password_file)
        for place, table in enumerate(config.tables)
    ]
    for key, path in secrets:
        if path is not None:
            try:
                text = read_secret(path)
            except SecretFileError as error:
                problems.append(f"{key}: {error}")
            else:
                if key == "secret_file" and not _SECRET.fullmatch(text):
                    problems.append(f"{key}: the first line of {path} {_SECRET_FAULT}")
    if not problems:
        try:
            settings_of(config, Path()).check()
        except HostError as error:
            problems.append(f"services, peers: {error}")
    return problems


def settings_of(config: HostConfig, data: Path) -> HostSettings:
    """The settings that a configuration amounts to.

    Args:
        config: As read, perhaps with the command line's options put in.
        data: The data directory where the configuration names none.

    Raises:
        SecretFileError: A password or secret cannot be read.
    """
    return HostSettings(
        data=config.data or data,
        name=config.name,
        port=config.port,
        bind=config.bind,
        services=frozenset(map(str, config.services)),
        peers={str(service): address for service, address in config.peers.items()},
        secret="" if config.secret_file is None else read_secret(config.secret_file),
        announce=config.announce,
        password=None if config.password_file is None else read_secret(config.password_file),
        plaintext=config.plaintext,
        certificate=config.certificate,
        times=config.times.times(),
        limits=config.limits,
        bot_processes=config.bots.processes,
        stand_in_level=config.bots.stand_in,
        bot_names=config.bots.names,
        draining=config.draining,
        standing=tuple(table.standing() for table in config.tables),
        neighbours=config.neighbours,
    )


def warnings(config: HostConfig) -> list[str]:
    """What works but is perhaps not what was meant, a sentence each."""
    said = []
    if config.plaintext:
        said.append("plaintext: everybody on the network can read along, seat tokens included")
        if config.password_file is not None:
            said.append(
                "password_file: without encryption players cannot send the password from other"
                " machines"
            )
    said += [
        f"{path}: others on this machine can read it; chmod 600 keeps them out"
        for path in (config.password_file, config.secret_file)
        if path is not None and path.stat().st_mode & 0o077
    ]
    return said


def _is_address(text: str) -> bool:
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    return bool(
        colon
        and host.strip("[]")
        and (bracketed or ":" not in host)
        and port.isascii()
        and port.isdigit()
        and 0 < int(port) < 65536
    )
