"""`genial hosts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from genial.cli.common import SecondsRange, print_json, run, warn
from genial.cli.tree import GenialCommand
from genial.client.text import _, ngettext

if TYPE_CHECKING:
    from genial.client.browse import FoundHost

WAIT_SECONDS: Final = 2.0
"""As `genial.client.around.LOOK_SECONDS`, which would take long to import for a help text."""


@click.command(cls=GenialCommand)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option(
    "--wait",
    type=SecondsRange(0, 600),
    default=WAIT_SECONDS,
    show_default=True,
    metavar="S",
    help="Seconds to look for hosts.",
)
def hosts(as_json: bool, wait: float) -> int:
    """List the hosts on this network, dead ones told apart from live ones.

    \b
    With --json: [{"name", "id", "addresses", "port", "fingerprint", "reachable",
    "tables", "open_seats", "version"}]; none found: [].
    """
    from genial.client.around import look_around

    found, problem = run(lambda: look_around(wait))
    if problem:
        warn(problem)
    if as_json:
        print_json([as_document(host) for host in found])
        return 0
    if not found:
        print(
            _(
                "No host was found on this network. `genial play` or `genial host` starts one;"
                " `genial doctor` says whether something here keeps hosts from being found."
            )
        )
    for host in found:
        print(_line(host))
    return 0


def as_document(host: FoundHost) -> dict[str, Any]:
    """A host as `--json` tells it."""
    return {
        "name": host.name,
        "id": host.host_id,
        "addresses": list(host.addresses),
        "port": host.port,
        "fingerprint": host.fingerprint,
        "reachable": bool(host.reachable),
        "tables": host.tables,
        "open_seats": host.open_seats,
        "version": host.version,
    }


def _line(host: FoundHost) -> str:
    from genial.client.versions import protocol_hint

    if not host.reachable:
        state = _("unreachable")
    elif not (state := protocol_hint(host.version)):
        tables = ngettext("{count} table", "{count} tables", host.tables)
        seats = ngettext("{count} open seat", "{count} open seats", host.open_seats)
        tables, seats = tables.format(count=host.tables), seats.format(count=host.open_seats)
        state = f"{tables}, {seats}"
    return f"{host.name}  {host.address}  {state}  id {host.host_id}"
