"""`genial doctor`."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from genial.cli.access import AccessOptions, host_options
from genial.cli.common import print_json, run
from genial.cli.tree import GenialCommand
from genial.client import text

if TYPE_CHECKING:
    from genial.client.doctor.findings import Finding

_VERDICT_WIDTH = 9
_CHECK_WIDTH = 12


@click.command(cls=GenialCommand)
@click.argument("address", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@host_options
def doctor(address: str | None, as_json: bool, access: AccessOptions) -> int:
    """Say what keeps hosts from being found or reached, and what to do about it.

    Looks at networks, multicast, port 5353, firewalls, hosts, clock, terminal and versions; with
    ADDRESS also whether that host is reached. Changes nothing. Exits 1 if there is a problem.

    \b
    With --json: [{"check", "verdict", "what", "advice"}]; verdict is one of ok, note, problem.
    """
    from genial.client.doctor.examine import examine
    from genial.client.doctor.findings import Verdict
    from genial.client.store import user_known_hosts

    if as_json:
        # For programs, which know one language.
        text.install(None)
    findings = run(lambda: examine(address, access=access.make(), known=user_known_hosts()))
    if as_json:
        print_json([as_document(finding) for finding in findings])
    else:
        for finding in findings:
            print("\n".join(lines(finding)))
    return 1 if any(finding.verdict is Verdict.BAD for finding in findings) else 0


def as_document(finding: Finding) -> dict[str, Any]:
    """A finding as `--json` tells it."""
    return {
        "check": finding.check,
        "verdict": finding.verdict,
        "what": finding.what,
        "advice": finding.advice,
    }


def lines(finding: Finding) -> list[str]:
    """A finding for people: verdict, check, what was found; below it what to do."""
    margin = _VERDICT_WIDTH + _CHECK_WIDTH
    head = f"{finding.verdict:<{_VERDICT_WIDTH}}{finding.check:<{_CHECK_WIDTH}}"
    shown = _wrapped(finding.what, head, " " * margin)
    if finding.advice:
        shown += _wrapped(finding.advice, f"{' ' * margin}-> ", " " * (margin + 3))
    return shown


def _wrapped(text: str, first: str, others: str) -> list[str]:
    if not sys.stdout.isatty():
        return [first + text]
    width = max(60, shutil.get_terminal_size().columns)
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
