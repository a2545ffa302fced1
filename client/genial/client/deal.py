"""The verifiable deal, as one client watches over it (rules, section 9); no I/O.

    table messages -> DealWatch.see_table -> steps: what to send, what to tell
    game views     -> DealWatch.see_game
    the record     -> judge_deal -> what does not fit, a sentence each

What a host must not do is kept as a problem and told at the end as well; after one,
nothing more is revealed for that deal.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from genial.client.text import _
from genial.client.updates import DealStep
from genial.engine.moves import TakenOver
from genial.engine.rules import Rules, SeatKind
from genial.engine.shuffle import SCHEME, SECRET_BYTES, commitment, nonce_hash
from genial.engine.view import SeenEvent, project
from genial.v1.game_pb2 import GameView, Shuffle
from genial.v1.table_pb2 import Table, TableState
from genial.wire.values import SEAT_KINDS, rules_from_message, rules_to_message

if TYPE_CHECKING:
    from genial.engine.record import Judgement, Record

_DEALING: Final = (TableState.TABLE_STATE_DEALING, TableState.TABLE_STATE_ACTIVE)


@dataclass(frozen=True, slots=True)
class SendHash:
    """The session sends the hash of its nonce."""

    game_number: int
    deal: int
    nonce_hash: bytes


@dataclass(frozen=True, slots=True)
class SendNonce:
    """The session reveals its nonce."""

    game_number: int
    deal: int
    nonce: bytes


@dataclass(frozen=True, slots=True)
class Tell:
    """The session tells its reader."""

    game_number: int
    deal: int
    step: DealStep
    problem: str = ""


Step = SendHash | SendNonce | Tell


@dataclass(frozen=True, slots=True)
class Setting:
    """What was fixed and shown before the first hash: rules, who sits where, who begins.

    Attributes:
        rules: The rules' message, serialised: equality is all that is asked of it.
        seats: Name, kind (the contract's number) and level of each seat.
        first_seat: The seat that begins, None if chance decides.
    """

    rules: bytes
    seats: tuple[tuple[str, int, str], ...]
    first_seat: int | None


@dataclass(slots=True)
class Deal:
    """What one client knows of one deal; everything but `nonce` was shown by the host.

    Attributes:
        seat: The own seat, as far as this client takes part: None for spectators, and where a
            bot answers the deal for somebody who is away.
    """

    game_number: int
    number: int
    commitment: bytes
    setting: Setting
    nonce: bytes
    seat: int | None = None
    hashes: tuple[bytes, ...] = ()
    nonces: tuple[bytes, ...] = ()
    revealed: bool = False
    voided: bool = False
    game_id: str = ""
    problems: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """For the seat's file: a client that crashed knows its nonce again."""
        return {
            "game_number": self.game_number,
            "deal": self.number,
            "commitment": self.commitment.hex(),
            "rules": self.setting.rules.hex(),
            "seats": [list(seat) for seat in self.setting.seats],
            "first_seat": self.setting.first_seat,
            "nonce": self.nonce.hex(),
            "seat": self.seat,
            "hashes": [value.hex() for value in self.hashes],
            "nonces": [value.hex() for value in self.nonces],
            "revealed": self.revealed,
            "game_id": self.game_id,
            "problems": self.problems,
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Deal | None:
        """The deal of a seat's file, or None if the file holds none."""
        try:
            return cls(
                game_number=int(kept["game_number"]),
                number=int(kept["deal"]),
                commitment=bytes.fromhex(kept["commitment"]),
                setting=Setting(
                    rules=bytes.fromhex(kept["rules"]),
                    seats=tuple((str(n), int(k), str(lv)) for n, k, lv in kept["seats"]),
                    first_seat=kept["first_seat"],
                ),
                nonce=bytes.fromhex(kept["nonce"]),
                seat=kept["seat"],
                hashes=tuple(bytes.fromhex(value) for value in kept["hashes"]),
                nonces=tuple(bytes.fromhex(value) for value in kept["nonces"]),
                revealed=bool(kept["revealed"]),
                game_id=str(kept["game_id"]),
                problems=[str(problem) for problem in kept["problems"]],
            )
        except (KeyError, TypeError, ValueError):
            return None


class DealWatch:
    """Watches one table's deals, from a seat or (seat None) as a spectator.

    Args:
        seat: The own seat; it may change from one deal to the next.
        is_fresh: Remembers a commitment and says whether it was never shown before;
            gets the commitment, the game's number and the deal's.
        new_nonce: 32 fresh random bytes.
        kept: The deal that was in progress when this client last ran, if any.
    """

    def __init__(
        self,
        seat: int | None,
        is_fresh: Callable[[bytes, int, int], bool],
        new_nonce: Callable[[], bytes],
        kept: Deal | None = None,
    ) -> None:
        self.seat = seat
        self.deal = kept
        self._is_fresh = is_fresh
        self._new_nonce = new_nonce
        self._resumed = kept is not None
        self._last: Deal | None = None

    def see_table(self, table: Table) -> list[Step]:
        """Takes the table as shown now; returns what to do, in order."""
        steps: list[Step] = []
        self._see_void_deals(table, steps)
        if table.state not in _DEALING or not table.shuffle.commitment:
            return steps
        shuffle = table.shuffle
        deal = self.deal
        if deal is None or (deal.game_number, deal.number) != (table.game_number, shuffle.deal):
            if table.state == TableState.TABLE_STATE_ACTIVE:
                # The game was dealt before this client came: there is nothing to watch over.
                return steps
            deal = self._begin(table, steps)
        if table.state == TableState.TABLE_STATE_DEALING and _setting(table) != deal.setting:
            self._distrust(deal, _("rules or seats were changed after the commitment"), steps)
        if self._resumed:
            self._resumed = False
            self._send_again(deal, table, steps)
        self._see_shuffle(deal, shuffle, steps)
        if table.state == TableState.TABLE_STATE_ACTIVE and not deal.game_id:
            deal.game_id = table.game_id
        return steps

    def see_game(self, view: GameView) -> list[Step]:
        """Takes the shuffle that a game's view shows; returns what to tell."""
        steps: list[Step] = []
        if not view.shuffle.commitment:
            return steps
        deal = self.deal_of(view.game_id)
        if deal is None:
            deal = self.deal
            if deal is None or deal.game_id or deal.voided:
                return steps
            if view.match_game != deal.game_number:
                return steps  # Another game, such as the last one of the table.
            deal.game_id = view.game_id
        self._see_shuffle(deal, view.shuffle, steps)
        if len(deal.nonces) != len(deal.setting.seats):
            self._distrust(deal, _("the game began before all nonces were shown"), steps)
        return steps

    def deal_of(self, game_id: str) -> Deal | None:
        """The deal that a game was played from, if this client watched over it."""
        for deal in (self.deal, self._last):
            if deal is not None and deal.game_id == game_id:
                return deal
        return None

    # --- the steps -------------------------------------------------------------------

    def _begin(self, table: Table, steps: list[Step]) -> Deal:
        shuffle = table.shuffle
        if self.deal is not None and self.deal.game_id:
            # Its record may still be on the way when the next deal begins.
            self._last = self.deal
        deal = self.deal = Deal(
            game_number=table.game_number,
            number=shuffle.deal,
            commitment=shuffle.commitment,
            setting=_setting(table),
            nonce=self._new_nonce(),
            seat=self.seat,
        )
        steps.append(self._tell(deal, DealStep.COMMITTED))
        if shuffle.scheme != SCHEME or len(shuffle.commitment) != SECRET_BYTES:
            self._distrust(deal, _("the host shuffles by a scheme that is unknown here"), steps)
        elif not self._is_fresh(deal.commitment, deal.game_number, deal.number):
            self._distrust(
                deal,
                _("the host shows a commitment that it has used before, so it knows the deal"),
                steps,
            )
        elif shuffle.nonces:
            self._distrust(deal, _("nonces were revealed before our hash was sent"), steps)
        if deal.seat is not None and not deal.problems:
            steps.append(SendHash(deal.game_number, deal.number, nonce_hash(deal.nonce)))
            steps.append(self._tell(deal, DealStep.HASH_SENT))
        return deal

    def _send_again(self, deal: Deal, table: Table, steps: list[Step]) -> None:
        """After a crash nobody knows whether hash and nonce had gone out."""
        if deal.seat is None or deal.problems or table.state != TableState.TABLE_STATE_DEALING:
            return
        steps.append(SendHash(deal.game_number, deal.number, nonce_hash(deal.nonce)))
        if deal.revealed:
            steps.append(SendNonce(deal.game_number, deal.number, deal.nonce))

    def _see_shuffle(self, deal: Deal, shuffle: Shuffle, steps: list[Step]) -> None:
        if shuffle.commitment != deal.commitment:
            self._distrust(deal, _("the commitment was exchanged for another one"), steps)
            return
        hashes, nonces = tuple(shuffle.nonce_hashes), tuple(shuffle.nonces)
        seats = len(deal.setting.seats)
        if _complete(hashes, seats):
            self._see_hashes(deal, hashes, steps)
        if any(nonces) and deal.hashes:
            for seat, (nonce, digest) in enumerate(zip(nonces, deal.hashes, strict=False)):
                if nonce and not hmac.compare_digest(nonce_hash(nonce), digest):
                    self._distrust(deal, _nonce_misfit(seat), steps)
            if _complete(nonces, seats) and not deal.nonces:
                deal.nonces = nonces
                if not deal.problems:
                    steps.append(self._tell(deal, DealStep.NONCES_CHECKED))
        if deal.nonces and _complete(nonces, seats) and nonces != deal.nonces:
            self._distrust(deal, _("nonces were changed after they were shown"), steps)

    def _see_hashes(self, deal: Deal, hashes: tuple[bytes, ...], steps: list[Step]) -> None:
        if deal.hashes:
            if hashes != deal.hashes:
                self._distrust(deal, _("nonce hashes were changed after they were shown"), steps)
            return
        if deal.seat is not None and hashes[deal.seat] != nonce_hash(deal.nonce):
            self._distrust(deal, _("the host shows another hash for our seat"), steps)
        if len(set(hashes)) < len(hashes):
            self._distrust(deal, _("two seats show the same nonce hash"), steps)
        deal.hashes = hashes
        steps.append(self._tell(deal, DealStep.HASHES_SHOWN))
        if deal.seat is not None and not deal.problems and not deal.revealed:
            deal.revealed = True
            steps.append(SendNonce(deal.game_number, deal.number, deal.nonce))
            steps.append(self._tell(deal, DealStep.NONCE_SENT))

    def _see_void_deals(self, table: Table, steps: list[Step]) -> None:
        deal = self.deal
        if deal is None or deal.voided or deal.game_number != table.game_number:
            return
        for void in table.void_deals:
            if void.shuffle.deal != deal.number:
                continue
            deal.voided = True
            steps.append(self._tell(deal, DealStep.VOID))
            if void.shuffle.commitment != deal.commitment or (
                commitment(void.shuffle.seed) != deal.commitment
            ):
                self._distrust(
                    deal, _("the seed told for the void deal does not fit its commitment"), steps
                )

    def _distrust(self, deal: Deal, problem: str, steps: list[Step]) -> None:
        if problem not in deal.problems:
            deal.problems.append(problem)
            steps.append(replace(self._tell(deal, DealStep.DISTRUSTED), problem=problem))

    def _tell(self, deal: Deal, step: DealStep) -> Tell:
        return Tell(deal.game_number, deal.number, step)


def _complete(values: Sequence[bytes], seats: int) -> bool:
    return len(values) == seats and all(len(value) == SECRET_BYTES for value in values)


def _setting(table: Table) -> Setting:
    first = table.next_first_seat if table.HasField("next_first_seat") else None
    return Setting(
        rules=_rules_bytes(rules_from_message(table.options.rules)),
        seats=tuple((seat.name, int(seat.kind), seat.level) for seat in table.seats),
        first_seat=first,
    )


def _rules_bytes(rules: Rules) -> bytes:
    return rules_to_message(rules).SerializeToString(deterministic=True)


def _nonce_misfit(seat: int) -> str:
    return _("the nonce of seat {seat} does not fit its hash").format(seat=seat + 1)


def judge_deal(
    judgement: Judgement,
    deal: Deal | None,
    seat: int | None,
    seen: Sequence[tuple[int, SeenEvent]],
) -> list[str]:
    """What does not fit between a record and what one client saw; empty: deal verified.

    Args:
        judgement: Of the record, with the record in it.
        deal: What the client knows of the deal, None if it came later.
        seat: The client's seat now, None for a spectator.
        seen: The events seen while the game ran, by number.
    """
    # A record is judged once, at the end; until then its reader need not be loaded.
    from genial.engine.record import Verdict

    problems = list(deal.problems) if deal else []
    if judgement.verdict is not Verdict.VERIFIED:
        place = "" if judgement.line is None else _("line {line}: ").format(line=judgement.line)
        problems.append(
            _("the record is {verdict}: {place}{sentence}").format(
                verdict=judgement.verdict.value, place=place, sentence=judgement.sentence
            )
        )
    if deal is None:
        problems.append(
            _("this client was not there when the tiles were dealt; the record alone was checked")
        )
    record = judgement.record
    if record is not None:
        if deal is not None:
            problems += _compare_with_deal(record, deal)
        # Who was away at the end may have come back to another seat of the table since.
        dealt = seat if deal is None or deal.seat is None else deal.seat
        problems += compare_events(record, dealt, seen, moved=dealt != seat)
    return problems


def _compare_with_deal(record: Record, deal: Deal) -> list[str]:
    header, seat = record.header, deal.seat
    problems = []
    if header.game_id != deal.game_id:
        problems.append(_("the record is of another game"))
    if header.commitment != deal.commitment:
        problems.append(_("the record's commitment is not the one that was shown"))
    if header.nonce_hashes != deal.hashes:
        problems.append(_("the record's nonce hashes are not those that were shown"))
    if seat is not None and (
        len(header.nonces) <= seat or header.nonces[seat] != deal.nonce or not deal.revealed
    ):
        problems.append(_("the record's nonce for our seat is not the one that we gave"))
    if deal.nonces and header.nonces != deal.nonces:
        problems.append(_("the record's nonces are not those that were shown"))
    shown = tuple((name, kind, level) for name, kind, level in deal.setting.seats)
    told = tuple(
        (told_seat.name, int(SEAT_KINDS.to_message[told_seat.kind]), told_seat.level or "")
        for told_seat in header.seats
    )
    if shown != told:
        problems.append(_("the record's seats are not those that were shown before the deal"))
    if _rules_bytes(header.rules) != deal.setting.rules:
        problems.append(_("the record's rules are not those that were shown before the deal"))
    first = deal.setting.first_seat
    if first is not None and header.first_seat != first:
        problems.append(_("the record begins with another seat than was shown before the deal"))
    return problems


def compare_events(
    record: Record,
    viewer: int | None,
    seen: Sequence[tuple[int, SeenEvent]],
    *,
    moved: bool = False,
) -> list[str]:
    """Where a record tells another story than was seen; each event by its number.

    Args:
        record: Of the game.
        viewer: The seat that it was seen from, None for a spectator.
        seen: The events, by number.
        moved: Whether that seat was not ours any more for some of them.
    """
    told = {timed.n: _comparable(project(timed.event, viewer)) for timed in record.events}
    public = told
    if viewer is not None and (moved or _was_played_for(record, viewer)):
        # Meanwhile our own draws were hidden from us as from all others.
        public = {timed.n: _comparable(project(timed.event, None)) for timed in record.events}
    problems = []
    for n, event in seen:
        if n not in told:
            problems.append(_("event {n} was seen but is not in the record").format(n=n))
        elif _comparable(event) not in (told[n], public[n]):
            problems.append(_("event {n} is not what was seen").format(n=n))
    missed = sorted(set(told) - {n for n, _event in seen})
    if missed and seen:
        # Seen by nobody here is no proof of a lie, but it is said.
        problems.append(
            _("events were not seen as they happened: {numbers}").format(
                numbers=", ".join(map(str, missed))
            )
        )
    return problems


def _was_played_for(record: Record, seat: int) -> bool:
    """Whether a bot played a person's seat for a while, or from the start."""
    taken = (timed.event for timed in record.events if isinstance(timed.event, TakenOver))
    began = record.header.seats[seat : seat + 1]
    return any(each.kind is SeatKind.BOT for each in began) or any(e.seat == seat for e in taken)


def _comparable(event: SeenEvent) -> SeenEvent:
    """Without a bot's level, for which a takeover in a record has no place."""
    return replace(event, level=None) if isinstance(event, TakenOver) else event


def receipt(
    deal: Deal | None,
    *,
    host_id: str,
    table_id: str,
    game_id: str,
    seat: int | None,
    record: bytes,
    events_seen: int,
    problems: Sequence[str],
) -> dict[str, Any]:
    """What a client keeps of a deal beside the record, as JSON."""
    return {
        "receipt": "genial/1",
        "game_id": game_id,
        "host_id": host_id,
        "table_id": table_id,
        "seat": seat,
        "commitment": deal.commitment.hex() if deal else None,
        "nonce_hashes": [value.hex() for value in deal.hashes] if deal else None,
        "nonces": [value.hex() for value in deal.nonces] if deal else None,
        "own_nonce": deal.nonce.hex() if deal and deal.seat is not None else None,
        "events_seen": events_seen,
        "record_sha256": hashlib.sha256(record).hexdigest(),
        "verified": not problems,
        "problems": list(problems),
    }
