"""`genial host`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from genial.cli.access import chosen_password, password_option
from genial.cli.common import run, warn
from genial.cli.failure import Failure
from genial.cli.tree import GenialCommand
from genial.client.text import _

if TYPE_CHECKING:
    from genial.services.config import HostConfig
    from genial.services.host import HostReady
    from genial.services.settings import HostSettings


@click.command(cls=GenialCommand)
@click.option("--name", metavar="N", help="What the host is called. [default: this machine's name]")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="P",
    help="Where to listen; 0 takes a free port. [default: 7718]",
)
@click.option("--bind", metavar="A", help="The address to listen on. [default: all]")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where games, tables and the host's id are kept.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A TOML file with everything that can be set; options here come before it.",
)
@click.option("--check-config", is_flag=True, help="Only say whether everything is set right.")
@password_option("Ask everybody for the password in the first line of FILE.")
@click.option("--plaintext", is_flag=True, help="Without encryption.")
@click.option("--no-announce", is_flag=True, help="Do not announce the host on the network.")
@click.option(
    "--services",
    metavar="S,…",
    help="Run these alone of lobby, game, bots, history. [default: all]",
)
@click.option(
    "--peer",
    "peers",
    multiple=True,
    metavar="S=ADDRESS",
    help="Where a service is that runs elsewhere; may be given several times.",
)
@click.option(
    "--secret-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The secret between services that run apart, in the first line of FILE.",
)
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Key and certificate, made if missing; one for all services that run apart."
    " [default: in the data directory]",
)
@click.option("--draining", is_flag=True, help="Open no new tables; let the running ones end.")
@click.option(
    "--log-format",
    type=click.Choice(("text", "json")),
    help="Log lines for people, or a JSON object a line. [default: text]",
)
@click.option(
    "--log-level",
    type=click.Choice(("debug", "info", "warning", "error")),
    help="From which importance on. [default: info]",
)
def host(
    config: Path | None,
    check_config: bool,
    password_file: Path | None,
    no_announce: bool,
    **options: Any,
) -> int:
    """Host tables for the network, without a screen, until SIGINT or SIGTERM.

    Prints one line on standard output when it accepts calls:

    \b
    genial host ready id=… address=HOST:PORT fingerprint=… name=…
    """
    from genial.services.config import warnings
    from genial.services.host import run_host
    from genial.services.logs import set_up
    from genial.services.settings import HostError

    # A flag that is not given leaves it to the file.
    options["announce"] = False if no_announce else None
    options["password_file"] = password_file
    for flag in ("plaintext", "draining"):
        options[flag] = options[flag] or None
    chosen = _chosen(config, options)
    settings = _settings(chosen, asked=password_file is not None)
    if check_config:
        from genial.services.rehearsal import problems_here

        problems = problems_here(settings, chosen.log.file)
        if problems:
            raise Failure("; ".join(problems))
        for said in warnings(chosen):
            warn(said)
        print("The configuration is in order.")
        return 0
    try:
        set_up(chosen.log)
    except OSError as error:
        raise Failure(
            f"The log cannot be written to {chosen.log.file}: {error.strerror}."
        ) from error

    def tell(ready: HostReady) -> None:
        print(ready.line, flush=True)
        # Only now: a host that cannot be started says why, in one line.
        for said in warnings(chosen):
            warn(said)

    try:
        run(lambda: run_host(settings, tell))
    except HostError as error:
        raise Failure(str(error)) from error
    return 0


def _chosen(path: Path | None, options: dict[str, Any]) -> HostConfig:
    """The file's configuration with the options of the command line put in.

    Raises:
        Failure: The file cannot be used.
    """
    from genial.services.config import ConfigError, HostConfig, LogFormat, LogLevel, read_config

    try:
        config = HostConfig() if path is None else read_config(path)
    except ConfigError as error:
        raise Failure(f"{path}: {'; '.join(error.problems)}") from error
    log_format, log_level = options.pop("log_format"), options.pop("log_level")
    log = config.log
    if log_format:
        log = replace(log, format=LogFormat(log_format))
    if log_level:
        log = replace(log, level=LogLevel(log_level))
    services, peers = options.pop("services"), options.pop("peers")
    given = {key: value for key, value in options.items() if value is not None}
    if services is not None:
        names = services.split(",")
        given["services"] = tuple(_service(name.strip(), "--services") for name in names)
    if peers:
        given["peers"] = dict(map(_peer, peers))
    return replace(config, log=log, **given)


def _service(name: str, option: str) -> Any:
    from genial.services.config import Service

    if name not in tuple(Service):
        said = _("{option}: there is no service {name}; there are {known}.")
        known = ", ".join(Service)
        raise click.UsageError(said.format(option=option, name=repr(name), known=known))
    return Service(name)


def _peer(text: str) -> tuple[Any, str]:
    name, equals, address = text.partition("=")
    if not equals or not address:
        said = _("--peer {text}: write SERVICE=ADDRESS, like game=10.0.0.5:7718.")
        raise click.UsageError(said.format(text=text))
    return _service(name.strip(), "--peer"), address.strip()


def _settings(config: HostConfig, *, asked: bool) -> HostSettings:
    """What the host is started with.

    Args:
        config: The configuration, the command line's options put in.
        asked: Whether the command line named a file for the password.

    Raises:
        Failure: Something does not go together.
    """
    from genial.services.config import check, settings_of

    problems = check(config) + _unknown_levels(config)
    if problems:
        raise Failure("; ".join(problems))
    settings = settings_of(config, default_data_dir("host"))
    # The environment comes after the command line, and before the configuration's file.
    password = None if asked else chosen_password(None)
    return settings if password is None else replace(settings, password=password)


def _unknown_levels(config: HostConfig) -> list[str]:
    """Levels that no bot of this host's has; bots that run elsewhere may know others.

    The host itself knows no level, so a wrong one would come out in the middle of a game.
    """
    from genial.services.config import HostConfig, Service

    asked = {
        f"tables[{place}].bots[{number}]": level
        for place, table in enumerate(config.tables)
        for number, level in enumerate(table.bots)
    }
    if config.bots.stand_in != HostConfig().bots.stand_in:
        asked["bots.stand_in"] = config.bots.stand_in
    if not asked or Service.BOTS not in config.services:
        return []
    from genial.strategy.levels import SHOWN

    names = [level.name for level in SHOWN]
    return [
        f"{key}: there is no bot level {level!r}; choose one of {', '.join(names)}"
        for key, level in asked.items()
        if level not in names
    ]


def default_data_dir(kind: str) -> Path:
    """Where a host keeps its data, `kind` being `host` or `play`."""
    import platformdirs

    return Path(platformdirs.user_data_dir("genial", appauthor=False)) / kind
