"""A host that shows another certificate than before: refused, explained, accepted on the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from genial.client import messages as m
from genial.client.doorkeeper import Doorkeeper
from genial.client.errors import CertificateChangedError
from genial.client.fingerprints import in_groups
from genial.client.found import FoundHost
from genial.client.known_hosts import KnownHosts
from genial.client.link import connect
from genial.client.model import Browse, Door, DoorKind, Entry, Model, Purpose
from genial.client.session import Access, MemoryStore
from genial.client.trust import FirstContact, Greeting, Trust, meet
from genial.client.update import update
from genial.services.host import HostReady
from tests.client.test_finder import Air
from tests.services.host.hosts import hosting, local

from .hands import press, text_of
from .lobby_scenes import lobby
from .terminal import sitting

pytestmark = pytest.mark.usefixtures("air")

BEFORE = "0123456789abcdef" * 4
NOW = "fedcba9876543210" * 4
SECRET = "sesame"
ADDRESS = "10.0.0.4:7718"
HOST = "kitchen-host"
DOOR = Door(DoorKind.CHANGED, "Kitchen", m.Connect(ADDRESS), NOW, BEFORE, ADDRESS, HOST)


def asked() -> Model:
    return update(lobby(), m.DoorShut(DOOR))[0]


def test_it_is_explained_with_both_fingerprints() -> None:
    shown = text_of(asked())
    assert "Kitchen at 10.0.0.4:7718 shows another certificate than before." in shown
    assert shown.index(in_groups(BEFORE)) < shown.index(in_groups(NOW))
    for told in ("somebody else answers in its place", "Nothing was sent", "Ask the owner"):
        assert told in " ".join(shown.split())


@pytest.mark.parametrize("key", ["y", "enter", "space", "f"])
def test_no_single_key_accepts_it(key: str) -> None:
    model, effects = press(asked(), key, "enter")
    assert not effects
    assert model.door is not None


def test_the_first_group_of_the_new_one_accepts_it() -> None:
    model, effects = press(asked(), *NOW[:8], "enter")
    assert effects == [m.AcceptCertificate(HOST, NOW), DOOR.then]
    assert (model.door, model.entry, model.busy) == (None, None, True)


def test_the_remembered_one_does_not_and_that_is_said() -> None:
    model, effects = press(asked(), *BEFORE[:8], "enter")
    assert not effects
    assert "That is not how the new fingerprint begins" in text_of(model)
    assert model.entry == Entry(Purpose.FINGERPRINT)
    assert press(model, *NOW[:8], "enter")[1] == [m.AcceptCertificate(HOST, NOW), DOOR.then]


@pytest.mark.parametrize("key", ["escape", "c-c"])
def test_whoever_leaves_it_has_accepted_nothing(key: str) -> None:
    model, effects = press(asked(), *NOW[:8], key)
    assert not effects
    assert (model.door, model.entry) == (None, None)
    assert "It was not accepted, and nothing was sent." in text_of(model)


def test_the_list_says_so_and_enter_explains() -> None:
    row = replace(lobby().browse.rows[-1], note="long words", changed=True, silent_since=None)
    model = replace(lobby(), browse=Browse((row,), 1))
    assert "another certificate: Enter" in text_of(model)
    model, effects = press(model, "enter")
    assert effects == [m.Connect(row.address)]


async def test_what_is_accepted_is_of_the_host_that_was_shown() -> None:
    """Though its owner has shown the same certificate under another known host's id meanwhile."""
    keeper = Doorkeeper(Access(), lambda message: None, ())
    known = KnownHosts()
    effect = m.Connect(ADDRESS)
    shown = FirstContact(HOST, "Kitchen", ADDRESS, NOW, False)
    other = replace(shown, host_id="cellar-host", name="Cellar")
    for contact in (shown, other):
        known.remember(contact.host_id, BEFORE, contact.name)
    access = replace(keeper._access, known=known)

    async def refusal(contact: FirstContact) -> CertificateChangedError:
        with pytest.raises(CertificateChangedError) as caught:
            await meet(contact, known, access, None)
        return caught.value

    door = keeper.door(await refusal(shown), effect)
    assert door is not None
    await refusal(other)
    keeper.accept(door.host_id, door.certificate)
    await refusal(other)
    assert await meet(shown, known, access, None) is Trust.CONFIRMED
    cellar = known.find("cellar-host")
    assert cellar is not None
    assert cellar.fingerprint == BEFORE


# --- at real hosts ------------------------------------------------------------------


async def _confirm(_contact: FirstContact) -> Greeting:
    return Greeting.CONFIRM


@asynccontextmanager
async def changed(home: Path, store: MemoryStore) -> AsyncIterator[tuple[str, HostReady]]:
    """A host with a password that was met by `store` before, and has lost its certificate since.

    Yields the fingerprint of before, and the host.
    """
    settings = local(home / "host", name="Kitchen", plaintext=False, password=SECRET)
    async with hosting(settings) as (_host, ready):
        yes = Access(password=SECRET, greeter=_confirm)
        await (await connect(ready.address, store=store, access=yes)).close()
        assert ready.fingerprint is not None
        before = ready.fingerprint
    (home / "host" / "certificate.pem").unlink()
    async with hosting(settings) as (_host, ready):
        yield before, ready


async def test_it_is_accepted_on_the_spot(tmp_path: Path) -> None:
    """And only then asks for its password, which the one before had been given."""
    store = MemoryStore()
    async with (
        changed(tmp_path, store) as (before, ready),
        sitting(None, tmp_path, store=store) as ana,
    ):
        assert ready.fingerprint is not None
        await ana.sees("or type an address")
        ana.type(ready.address)
        await ana.press("\r", in_groups(ready.fingerprint))
        await ana.sees(in_groups(before))
        await ana.press("\r\ry\r", "That is not how the new fingerprint begins")
        known = store.known_hosts.find(ready.host_id)
        assert known is not None
        assert known.fingerprint == before
        ana.type(ready.fingerprint[:8])
        await ana.press("\r", "The host Kitchen asks for a password.")
        known = store.known_hosts.find(ready.host_id)
        assert known is not None
        assert known.fingerprint == ready.fingerprint
        ana.type(SECRET)
        await ana.press("\r", "no table yet")


async def test_one_that_is_found_says_so_in_its_row(tmp_path: Path, air: Air) -> None:
    """And a password of the environment goes there once the change is accepted."""
    store = MemoryStore()
    async with (
        changed(tmp_path, store) as (_before, ready),
        sitting(None, tmp_path, store=store, access=Access(password=SECRET)) as ana,
    ):
        assert ready.fingerprint is not None
        where, _colon, port = ready.address.rpartition(":")
        shown = FoundHost(
            *(ready.host_id, "Kitchen", (where,), int(port), ready.fingerprint, 0, 0, "v1"),
            reachable=True,
        )
        air.show(shown)
        await ana.sees("another certificate: Enter")
        await ana.press("\r", in_groups(ready.fingerprint))
        await ana.press("\x1b", "It was not accepted, and nothing was sent.")
        await ana.press("\r", in_groups(ready.fingerprint))
        ana.type(ready.fingerprint[:8])
        await ana.press("\r", "no table yet")
