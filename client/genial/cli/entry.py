"""From arguments to an exit code; nothing that happens inside shows a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from genial.cli import crash, streams
from genial.cli.failure import Failure
from genial.cli.streams import printable
from genial.cli.tree import genial
from genial.client import languages
from genial.client.output import silence
from genial.client.text import _

_NOT_TEXT: Final = "surrogates not allowed"
"""Why a text cannot be encoded that came in as bytes of no encoding, and from nowhere else."""


def run(arguments: Sequence[str]) -> int:
    """Runs a command; see `genial.cli.main`."""
    # gRPC's own lines would stand in the middle of a screen, and whoever knocks at a host
    # without knowing TLS would fill its log. What matters reaches us as errors.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    languages.speak_as_set()
    try:
        result = genial.main(list(arguments), prog_name="genial", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        _complain(_usage_line(error))
        return 2
    except click.ClickException as error:
        _complain(f"genial: {error.format_message()}")
        return 1
    except Failure as failure:
        _complain(f"genial: {failure.sentence}")
        return 1
    except (click.Abort, KeyboardInterrupt):
        said = _("Stopped before it was done.")
        _complain(f"genial: {said}")
        return 1
    except streams.ReaderGoneError:
        silence(sys.stdout)
        return 1
    except streams.OutputError as fault:
        silence(sys.stdout)
        said = _("Standard output cannot be written: {reason}.").format(reason=fault.strerror)
        _complain(f"genial: {said}")
        return 1
    except BaseException as error:
        # Also a task that was cancelled, which is no Exception, and nobody's wish here.
        if isinstance(error, SystemExit):
            raise
        if isinstance(error, UnicodeEncodeError) and error.reason == _NOT_TEXT:
            said = _(
                "An argument or a variable of the environment is no UTF-8 text, so no host would"
                " understand it; write it in UTF-8."
            )
            _complain(f"genial: {said}")
            return 1
        if os.environ.get("GENIAL_TRACEBACK"):
            raise
        _complain(crash.report(error, " ".join(arguments[:1])))
        return 1
    return result if isinstance(result, int) else 0


def _usage_line(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx else "genial"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        # Its message would be the whole help.
        group = error.ctx.command
        known = ", ".join(group.list_commands(error.ctx)) if isinstance(group, click.Group) else ""
        said = _("Say what to do: {commands}.").format(commands=known)
        return f"{command}: {said} {_tried(command)}"
    with languages.gettext_follows():
        message = " ".join(error.format_message().split())
    return f"{command}: {message} {_tried(command)}"


def _tried(command: str) -> str:
    return _("Try: {command}").format(command=f"{command} --help")


def _complain(line: str) -> None:
    try:
        print(printable(line), file=sys.stderr, flush=True)
    except OSError:
        return  # Nobody reads it; the exit code still tells.
