"""Links to hosts for the screen, with the passwords that were typed for them.

A certificate that has changed is taken for the host's own only once a person has said so.
A password goes only to the certificate that it was typed for. A host that was first met while
the client runs gets none, not even the one of the environment, before its fingerprint was
compared: the list meets whoever announces itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace

from genial.client.errors import CertificateChangedError, GenialError, PasswordNeededError
from genial.client.known_hosts import KnownHost
from genial.client.link import HostLink, connect
from genial.client.messages import Connect, CreateTable, Effect, Sit, Told, Watch
from genial.client.model import Door, DoorKind
from genial.client.store import Store
from genial.client.text import _
from genial.client.trust import Access, FirstContact, Greeting
from genial.wire.errors import Reason


@dataclass(frozen=True, slots=True)
class OwnHost:
    """A host on this laptop: how we reach it, and what a friend types."""

    address: str
    invite: str
    access: Access


HostStarter = Callable[[], Awaitable[OwnHost]]
"""Starts a host on this laptop."""


class Doorkeeper:
    """Makes the links of one player's screen."""

    def __init__(
        self, access: Access, tell: Callable[[Told], None], strangers: Collection[str] = ()
    ) -> None:
        """Takes how hosts are to be reached, and whom to tell of those that are new.

        The password of `access`, if there is one, is for every host that is known already;
        `strangers` are certificates that were met a moment ago and compared by nobody.
        """
        self._access = replace(
            access, password=None, greeter=self._greet, accepter=self._is_accepted
        )
        self._common = access.password
        self._tell = tell
        self._new = set(strangers)
        self._typed: dict[str, str] = {}
        self._refused: set[str] = set()
        self._changed: dict[str, tuple[FirstContact, KnownHost]] = {}
        self._accepted: set[tuple[str, str]] = set()

    async def connect(
        self, address: str, *, store: Store | None = None, announced: str | None = None
    ) -> HostLink:
        """As `link.connect`, with the password for that host if there is one.

        Raises:
            CertificateChangedError: It has changed, and nobody has accepted that.
            PasswordNeededError: There is none, it must not be sent yet, or it is wrong.
            GenialError: Whatever else `link.connect` raises.
        """
        try:
            return await connect(address, store=store, access=self._access, announced=announced)
        except PasswordNeededError as error:
            asked = error
        certificate = asked.metadata["shown"]
        password = self._password_for(certificate)
        if password is None:
            raise asked
        # To the certificate that was shown and judged just now, and to no other.
        access = replace(self._access, password=password, fingerprint=certificate or None)
        link = await connect(address, store=store, access=access)
        try:
            # Who it is a host tells everybody; this it tells only who knows the password.
            await link.list_tables()
        except GenialError as error:
            await link.close()
            if error.reason != Reason.BAD_HOST_PASSWORD:
                raise
            self._typed.pop(certificate, None)
            self._refused.add(certificate)
            raise PasswordNeededError(error.sentence, **asked.metadata, wrong=True) from error
        except BaseException:
            await link.close()
            raise
        return link

    def _password_for(self, certificate: str) -> str | None:
        if certificate in self._typed:
            return self._typed[certificate]
        if certificate in self._new or certificate in self._refused:
            return None
        return self._common

    async def _greet(self, contact: FirstContact) -> Greeting:
        self._new.add(contact.fingerprint)
        sentence = _("{name} is new here. Fingerprint of its certificate: {fingerprint}")
        self._tell(Told(sentence.format(name=contact.name, fingerprint=contact.fingerprint)))
        return Greeting.REMEMBER

    async def _is_accepted(self, contact: FirstContact, before: KnownHost) -> bool:
        self._changed[contact.fingerprint] = contact, before
        # By that host, and once: it is remembered then.
        accepted = contact.host_id, contact.fingerprint
        if accepted not in self._accepted:
            return False
        self._accepted.remove(accepted)
        return True

    def accept(self, host_id: str, certificate: str) -> None:
        """Takes what a person has accepted: the host and the fingerprint of a `Door`.

        Not the host that has shown this certificate last: it may have shown it as another since.
        """
        self._accepted.add((host_id, certificate))

    def give(self, certificate: str, password: str) -> None:
        """Takes a password that a person typed for a host.

        Args:
            certificate: The fingerprint that the host showed; empty without encryption.
            password: As typed; empty: the fingerprint was compared, and the password of all
                hosts may be sent.
        """
        self._new.discard(certificate)
        if password:
            self._typed[certificate] = password

    def door(self, error: GenialError, effect: Effect | None) -> Door | None:
        """What a person has to be asked before an effect can be tried again; None: nothing."""
        if not isinstance(effect, Connect | Sit | Watch | CreateTable):
            return None
        if isinstance(error, CertificateChangedError):
            shown = error.metadata.get("shown", "")
            if shown not in self._changed:
                # It changed while the line was open; who connects again is asked.
                return None
            contact, before = self._changed[shown]
            return Door(
                DoorKind.CHANGED,
                before.name,
                effect,
                contact.fingerprint,
                before.fingerprint,
                contact.address,
                contact.host_id,
            )
        if isinstance(error, PasswordNeededError):
            certificate = error.metadata["shown"]
            return Door(
                DoorKind.HOST,
                error.metadata["name"],
                effect,
                certificate,
                fresh=certificate in self._new,
                wrong=error.sentence if "wrong" in error.metadata else "",
                given=self._common is not None and certificate not in self._refused,
            )
        if error.reason == Reason.BAD_TABLE_PASSWORD and isinstance(effect, Sit):
            wrong = error.sentence if effect.password else ""
            return Door(DoorKind.TABLE, effect.table_name, effect, wrong=wrong)
        return None
