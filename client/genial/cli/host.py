"""`genial host`."""

from __future__ import annotations

from pathlib import Path

import click

from genial.cli.common import run
from genial.cli.failure import Failure
from genial.cli.tree import GenialCommand


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
@click.option("--plaintext", is_flag=True, help="Without encryption.")
@click.option("--no-announce", is_flag=True, help="Do not announce the host on the network.")
def host(
    name: str | None,
    port: int | None,
    bind: str | None,
    data: Path | None,
    plaintext: bool,
    no_announce: bool,
) -> int:
    """Host tables for the network, without a screen, until SIGINT or SIGTERM.

    \b
    Prints one line on standard output when it accepts calls:
    genial host ready id=… address=HOST:PORT fingerprint=… name=…
    """
    from genial.services.config import LogConfig
    from genial.services.host import HostReady, run_host
    from genial.services.logs import set_up
    from genial.services.settings import HostError, HostSettings
    from genial.wire.announcement import DEFAULT_PORT

    set_up(LogConfig())
    settings = HostSettings(
        data=data or default_data_dir("host"),
        name=name or "",
        port=DEFAULT_PORT if port is None else port,
        bind=bind or "",
        announce=not no_announce,
        plaintext=plaintext,
    )

    def tell(ready: HostReady) -> None:
        print(ready.line, flush=True)

    try:
        run(lambda: run_host(settings, tell))
    except HostError as error:
        raise Failure(str(error)) from error
    return 0


def default_data_dir(kind: str) -> Path:
    """Where a host keeps its data, `kind` being `host` or `play`."""
    import platformdirs

    return Path(platformdirs.user_data_dir("genial", appauthor=False)) / kind
