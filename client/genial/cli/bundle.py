"""`genial bundle`."""

from __future__ import annotations

from pathlib import Path

import click

from genial.cli.common import warn
from genial.cli.failure import Failure
from genial.cli.tree import GenialCommand
from genial.client.text import _

SYSTEMS = ("linux", "macos", "windows", "here")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@click.command(cls=GenialCommand)
@click.argument("output", type=click.Path(path_type=Path), default=Path("genial-bundle.zip"))
@click.option(
    "--for",
    "systems",
    metavar="S,…",
    default="linux,macos,windows",
    show_default=True,
    help="Systems to install on; `here` is this one with this Python alone.",
)
@click.option(
    "--python",
    "pythons",
    metavar="V,…",
    default=",".join(PYTHONS),
    show_default=True,
    help="Versions of Python that are on those laptops.",
)
def bundle(output: Path, systems: str, pythons: str) -> int:
    """Put everything that an installation needs into OUTPUT, for laptops without the internet.

    OUTPUT is a folder, or one file if it ends in .zip. This laptop needs the internet for it; the
    others need only Python 3.11 or newer and one line: python3 OUTPUT
    """
    from genial.cli.bundling import BundleError, Target, make_bundle, targets_of

    wanted = [each.strip() for each in systems.split(",") if each.strip()]
    versions = [each.strip() for each in pythons.split(",") if each.strip()]
    for each in wanted:
        if each not in SYSTEMS:
            said = _("--for: there is no {system}; there are {known}.")
            raise click.UsageError(said.format(system=repr(each), known=", ".join(SYSTEMS)))
    for each in versions:
        if each not in PYTHONS:
            said = _("--python: {version} is none of {known}.")
            raise click.UsageError(said.format(version=repr(each), known=", ".join(PYTHONS)))
    targets = targets_of(wanted, versions)
    if not targets:
        raise click.UsageError(_("--for and --python: name at least one of each."))

    def tell(target: Target) -> None:
        print(f"fetching what {target} needs", flush=True)

    try:
        made = make_bundle(output, targets, tell)
    except BundleError as error:
        raise Failure(str(error)) from error
    for target, why in made.left_out:
        warn(f"left out: {target}: {why}")
    megabytes = made.size / 1_000_000
    print(f"{output}: {made.wheels} files, {megabytes:.0f} MB, for")
    for line in made.good_for:
        print(f"  {line}")
    print("Install from it, offline, with:")
    print(f"  python3 {output.name}      (Windows: py {output.name})")
    return 0
