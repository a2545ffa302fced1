"""Models of the list of tables, of what it asks, and of a table before its game."""

from __future__ import annotations

from dataclasses import replace

from genial.client.doctor.findings import Finding, Verdict
from genial.client.form import TableForm
from genial.client.messages import Connect, DoorShut, Sit
from genial.client.model import (
    Browse,
    Door,
    DoorKind,
    Entry,
    HeldSeat,
    Line,
    Model,
    Overlay,
    Purpose,
    Remark,
    Screen,
    TableRow,
)
from genial.client.settings import Settings
from genial.client.update import update
from genial.v1 import game_pb2
from genial.v1.table_pb2 import (
    TABLE_STATE_ACTIVE,
    TABLE_STATE_OPEN,
    TABLE_STATE_SHELVED,
    ChatMessage,
    Table,
)

from .positions import table_of


def put_away_room() -> Model:
    table = table_of(("Ana", "Max", "", ""), TABLE_STATE_SHELVED)
    return replace(room(), table=table, log=(Remark("The table is put away."),))


def door(**changes: object) -> Model:
    """A host's password is asked for on the list of tables."""
    certificate = "4f8c0e21b7a95d36" * 4
    asked = Door(DoorKind.HOST, "Tom", Connect("192.168.1.21"), certificate)
    model, _effects = update(lobby(), DoorShut(replace(asked, **changes)))  # type: ignore[arg-type]
    return model


def typing_password() -> Model:
    return replace(door(), entry=Entry(Purpose.PASSWORD, "sesame", 6))


def table_door() -> Model:
    sit = Sit("192.168.1.22", "Quick one", "Lena")
    wrong = "That is not the password of this table; ask who opened it."
    return door(kind=DoorKind.TABLE, name="Quick one", then=sit, certificate="", wrong=wrong)


def changed_door() -> Model:
    """A host that is known shows another certificate; the first group was mistyped once."""
    wrong = "That is not how the new fingerprint begins; compare it once more."
    before, address = "9b02d7e4615c8fa3" * 4, "192.168.1.21:7718"
    return door(kind=DoorKind.CHANGED, before=before, address=address, wrong=wrong)


def small_table(name: str, names: tuple[str, ...], tiles: int = 0) -> Table:
    table = table_of(names, TABLE_STATE_ACTIVE if tiles else TABLE_STATE_OPEN)
    table.table_id = name
    table.name = name
    table.placements = tiles
    return table


def lobby() -> Model:
    kitchen = small_table("Kitchen table", ("Ana", "Max", "", ""))
    kitchen.watchers = 1
    balcony = small_table("Balcony", ("Tom", "Eva", "Kim", "Jo"), 3)
    rows = (
        TableRow("a", "Ana", "192.168.1.20", kitchen),
        TableRow("a", "Ana", "192.168.1.20", small_table("Sofa", ("Ben", "bot"), 12)),
        TableRow("t", "Tom", "192.168.1.21", balcony),
        TableRow("e", "Eva", "192.168.1.22", small_table("Quick one", ("Eva", ""))),
        TableRow("j", "old laptop", "192.168.1.23", None, False, 0.0),
    )
    held = (HeldSeat("g", "192.168.1.24", "g", "Garden table", 1, True, "Lena"),)
    return Model(
        settings=Settings(name="Lena"),
        browse=Browse(rows, 3, 0, 0.0, held),
        now=40.0,
    )


def lobby_empty() -> Model:
    return Model(settings=Settings(name="Lena"), now=12.0, can_host=True)


def lobby_examined() -> Model:
    findings = (
        Finding(
            "port 5353", Verdict.BAD, "Taken.", "", "Port 5353 is taken", "Close avahi-daemon."
        ),
        Finding(
            "networks", Verdict.NOTE, "A VPN.", "", "VPN: tun0", "Turn it off on both laptops."
        ),
    )
    model = lobby_empty()
    return replace(model, browse=replace(model.browse, findings=findings))


def typing_address() -> Model:
    return replace(lobby_empty(), entry=Entry(Purpose.ADDRESS, "192.168.1.2", 11))


def room() -> Model:
    table = table_of(("Ana", "Max", "Bot 1", ""), TABLE_STATE_OPEN)
    table.seats[1].ready = False
    table.seats[2].kind = game_pb2.SEAT_KIND_BOT
    table.seats[2].level = "medium"
    return Model(
        settings=Settings(name="Ana"),
        screen=Screen.ROOM,
        table=table,
        seat=0,
        invite="192.168.1.20",
        address="192.168.1.20",
        line=Line(round_trip=4),
        log=(
            Remark("Max sits down."),
            ChatMessage(number=1, seat=1, name="Max", text="hello, one more and we can begin"),
        ),
    )


def new_table() -> Model:
    form = TableForm("192.168.1.20", players=4, bots=2, clock=(600, 10), games=3)
    return replace(lobby(), overlay=Overlay.NEW_TABLE, form=form, scroll=3)
