"""`genial backup` and `genial restore`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from genial.cli.failure import Failure
from genial.cli.host import default_data_dir
from genial.cli.tree import GenialCommand


def _data_option(about: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "--data",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help=f"{about} [default: the usual]",
    )


@click.command(cls=GenialCommand)
@click.argument("file", type=click.Path(path_type=Path))
@_data_option("The host's data directory.")
def backup(file: Path, data: Path | None) -> int:
    """Copy everything that a host keeps into FILE, while it runs: games, tables, certificate.

    FILE holds the host's private key; keep it where nobody else can read it.
    """
    from genial.services.backup import BackupError, back_up

    try:
        done = back_up(data or default_data_dir("host"), file)
    except BackupError as error:
        raise Failure(str(error)) from error
    print(f"{done.path}: {', '.join(done.parts)}, {done.size} bytes")
    return 0


@click.command(cls=GenialCommand)
@click.argument("file", type=click.Path(path_type=Path))
@_data_option("Where to put it; there must be no host's data yet.")
def restore(file: Path, data: Path | None) -> int:
    """Put the backup in FILE into a data directory, for `genial host` to go on with."""
    from genial.services.backup import BackupError
    from genial.services.backup import restore as put_back

    try:
        done = put_back(file, data or default_data_dir("host"))
    except BackupError as error:
        raise Failure(str(error)) from error
    print(f"{done.path}: {', '.join(done.parts)}")
    return 0
