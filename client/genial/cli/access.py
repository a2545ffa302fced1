"""How the command line reaches hosts: encryption, passwords, hosts that are new or have changed."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from genial.cli.common import says_yes, typed_answer
from genial.cli.streams import printable
from genial.client.text import _

if TYPE_CHECKING:
    from genial.client.errors import PasswordNeededError
    from genial.client.known_hosts import KnownHost
    from genial.client.trust import Access, FirstContact, Greeting

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

PASSWORD_VARIABLE: Final = "GENIAL_PASSWORD"


@dataclass(frozen=True, slots=True)
class AccessOptions:
    """How hosts are to be reached, as typed; a command gets it as `access`.

    `typed` is a password that was asked for meanwhile, for the one host with `fingerprint`.
    """

    plaintext: bool
    fingerprint: str | None
    password_file: Path | None
    typed: str | None = None

    def make(self) -> Access:
        """The same for the client.

        Raises:
            click.ClickException: The password cannot be read.
            click.UsageError: The options do not go together, or the fingerprint is none.
        """
        from genial.client.fingerprints import MalformedFingerprintError, parse_fingerprint
        from genial.client.store import user_known_hosts, user_whereabouts
        from genial.client.trust import Access

        if self.plaintext and self.fingerprint is not None:
            raise click.UsageError(_("--fingerprint needs encryption; leave out --plaintext."))
        try:
            wanted = None if self.fingerprint is None else parse_fingerprint(self.fingerprint)
        except MalformedFingerprintError as error:
            raise click.UsageError(f"--fingerprint: {error}") from error
        password = self.typed or chosen_password(self.password_file)
        return Access(
            self.plaintext,
            wanted,
            password,
            greet,
            accept_change if _somebody_there() else None,
            user_known_hosts(),
            user_whereabouts(),
        )


def host_options(function: Decorated) -> Callable[..., Any]:
    """The options of every command that calls a host; the command gets them as `access`."""

    @functools.wraps(function)
    def with_access(
        *arguments: Any,
        plaintext: bool,
        fingerprint: str | None,
        password_file: Path | None,
        **options: Any,
    ) -> Any:
        access = AccessOptions(plaintext, fingerprint, password_file)
        return function(*arguments, access=access, **options)

    command: Callable[..., Any] = with_access
    for option in reversed(
        (
            click.option("--plaintext", is_flag=True, help="Connect without encryption."),
            click.option(
                "--fingerprint",
                metavar="FP",
                help="The only certificate to accept; it is remembered in place of any other.",
            ),
            password_option("The host's password, in the first line of FILE."),
        )
    ):
        command = option(command)
    return command


def password_option(about: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option for a file that holds a password."""
    return click.option(
        "--password-file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help=f"{about} [default: {PASSWORD_VARIABLE} of the environment]",
    )


def chosen_password(path: Path | None) -> str | None:
    """The password of a file, else of the environment; None: neither.

    Raises:
        click.ClickException: The file cannot be read.
    """
    from genial.wire.secret_files import SecretFileError, read_secret

    if path is None:
        return os.environ.get(PASSWORD_VARIABLE) or None
    try:
        return read_secret(path)
    except SecretFileError as error:
        raise click.ClickException(f"--password-file: {error}.") from error


def table_password_option(about: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option for a file that holds a table's password."""
    return click.option(
        "--table-password-file", type=click.Path(path_type=Path), metavar="FILE", help=about
    )


def table_password(path: Path | None) -> str:
    """The password of that file; empty: there is none.

    Raises:
        click.ClickException: The file cannot be read.
    """
    from genial.wire.secret_files import SecretFileError, read_secret

    try:
        return "" if path is None else read_secret(path)
    except SecretFileError as error:
        raise click.ClickException(f"--table-password-file: {error}.") from error


def with_typed_password(access: AccessOptions, error: PasswordNeededError) -> AccessOptions:
    """The same with a password that a person types, for the host that has asked for one.

    Its fingerprint is shown first: who is careful compares it before typing.

    Raises:
        PasswordNeededError: The person would rather not.
    """
    shown = error.metadata["shown"]
    question = _("{name} asks for a password.").format(name=error.metadata["name"])
    if shown:
        certificate = _("Its certificate has the fingerprint {fingerprint}; compare it first.")
        question = f"{question} {certificate.format(fingerprint=shown)}"
    password = hidden_answer(question)
    if not password:
        raise error
    return replace(access, typed=password, fingerprint=shown or access.fingerprint)


def hidden_answer(question: str) -> str:
    """What a person types at the terminal, unseen; empty: nothing."""
    print(printable(question), file=sys.stderr, flush=True)
    return typed_answer(_("Password"), hidden=True, err=True)


async def greet(contact: FirstContact) -> Greeting:
    """Shows a host that is new on standard error; asks, if a password depends on it."""
    from genial.client.trust import Greeting

    shown = contact_sentence(contact)
    print(f"genial: {shown}", file=sys.stderr, flush=True)
    if not contact.password_waits or not _somebody_there():
        return Greeting.REMEMBER
    same = says_yes(_("Is this what the host itself shows?"), err=True)
    return Greeting.CONFIRM if same else Greeting.REFUSE


def _somebody_there() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


async def accept_change(contact: FirstContact, before: KnownHost) -> bool:
    """Shows both fingerprints of a host that has changed; only typing from the new one accepts it.

    Raises:
        UntrustedHostError: The person does not.
    """
    from genial.client.fingerprints import change_explained, confirms
    from genial.client.trust import not_trusted

    shown = contact.fingerprint
    for line in change_explained(before.name, contact.address, before.fingerprint, shown):
        print(printable(line), file=sys.stderr)
    how = _("To accept it, type the first group of the new one; Enter alone refuses it")
    while typed := typed_answer(how, err=True).strip():
        if confirms(typed, shown):
            return True
        wrong = _("That is not how the new fingerprint begins; compare it once more.")
        print(printable(wrong), file=sys.stderr)
    raise not_trusted(contact)


def contact_sentence(contact: FirstContact) -> str:
    """A host that is new, in one line."""
    return _(
        "first contact with {name} at {address}; its certificate has the fingerprint {fingerprint},"
        " remembered from now on"
    ).format(name=contact.name, address=contact.address, fingerprint=contact.fingerprint)
