"""The project's own host, made to cheat: each function bends it in one place and leaves the rest.

They stand for what somebody who runs a host can do by changing its code. The host believes
itself, stores what it made up, and renders its record from that.
"""

from __future__ import annotations

import dataclasses
import json
import secrets
from collections.abc import Callable, Sequence

import pytest

from genial.engine.game import Game, decide, evolve
from genial.engine.moves import (
    Command,
    Ended,
    Event,
    ExchangeRack,
    Phase,
    Placed,
    PlaceTile,
    RefillRack,
)
from genial.engine.record import Record, TimedEvent, judge, render
from genial.engine.rules import FirstBy
from genial.engine.shuffle import ShuffledBag, commitment, deal_key, nonce_hash, open_bag
from genial.services.game import setup
from genial.services.game.setup import Setup
from genial.services.history.handler import HistoryHandler
from genial.services.lobby.deal import Deal, DealPhase
from genial.services.lobby.lobby import RealChance
from genial.v1 import history_service_pb2
from genial.wire.serving import Call

Cheat = Callable[[pytest.MonkeyPatch], None]

CROOK = 1
"""The seat that the host favours."""


# --- the bag


def swaps_a_draw(patch: pytest.MonkeyPatch) -> None:
    """After the deal the next draw is another tile than the shuffle gives."""
    honest = Setup.new_game

    def new_game(self: Setup) -> Game:
        game = honest(self)
        assert isinstance(game.bag, ShuffledBag)
        tiles = list(game.bag.tiles)
        due = len(tiles) - 1 - game.rules.players * game.rules.rack_size
        other = next(place for place in range(due) if tiles[place] != tiles[due])
        tiles[due], tiles[other] = tiles[other], tiles[due]
        return dataclasses.replace(game, bag=dataclasses.replace(game.bag, tiles=tuple(tiles)))

    patch.setattr(Setup, "new_game", new_game)


# --- the seed


def _seed_that_suits(deal: Deal) -> bytes:
    """Of some seeds, the one that deals the favoured seat the most doubles."""
    nonces = [nonce for nonce in deal.nonces if nonce is not None]

    def doubles(seed: bytes) -> int:
        drawn = open_bag(deal_key(seed, nonces)).peek(12)
        return sum(tile.is_double for tile in drawn[6 * CROOK : 6 * CROOK + 6])

    return max((secrets.token_bytes(32) for _ in range(50)), key=doubles)


def _once_complete(
    patch: pytest.MonkeyPatch, change: Callable[[Deal], Deal], check: bool = True
) -> None:
    """Changes a deal the moment that it holds every nonce."""
    honest = Deal.reveal

    def reveal(self: Deal, seat: int, nonce: bytes) -> Deal:
        deal = honest(self, seat, nonce)
        complete = deal.phase is DealPhase.COMPLETE and self.phase is not DealPhase.COMPLETE
        return change(deal) if complete else deal

    patch.setattr(Deal, "reveal", reveal)
    if not check:
        patch.setattr(setup, "_check_shuffle", lambda shuffle, players: None)


def chooses_its_seed_and_shows_another_commitment(patch: pytest.MonkeyPatch) -> None:
    """After the reveal the seed is one that suits, and the commitment is exchanged for it."""
    _once_complete(patch, lambda deal: dataclasses.replace(deal, seed=_seed_that_suits(deal)))


def chooses_its_seed_and_keeps_the_commitment(patch: pytest.MonkeyPatch) -> None:
    """The same, but the commitment to the first seed stays on show."""
    shown: dict[tuple[bytes | None, ...], bytes] = {}

    def change(deal: Deal) -> Deal:
        shown[deal.hashes] = deal.commitment
        return dataclasses.replace(deal, seed=_seed_that_suits(deal))

    def shown_commitment(self: Deal) -> bytes:
        return shown.get(self.hashes, commitment(self.seed))

    patch.setattr(Deal, "commitment", property(shown_commitment))
    _once_complete(patch, change, check=False)


# --- a nonce of its own


def _nonce_that_suits(deal: Deal) -> bytes:
    others = list(deal.nonces)

    def doubles(nonce: bytes) -> int:
        others[CROOK] = nonce
        key = deal_key(deal.seed, [each for each in others if each is not None])
        return sum(tile.is_double for tile in open_bag(key).peek(12)[6 * CROOK : 6 * CROOK + 6])

    return max((secrets.token_bytes(32) for _ in range(50)), key=doubles)


def chooses_a_nonce_after_the_reveal(patch: pytest.MonkeyPatch) -> None:
    """The favoured seat's nonce is made up once the others' are known; its hash stays."""

    def change(deal: Deal) -> Deal:
        nonces = list(deal.nonces)
        nonces[CROOK] = _nonce_that_suits(deal)
        return dataclasses.replace(deal, nonces=tuple(nonces))

    _once_complete(patch, change, check=False)


def chooses_a_nonce_and_its_hash_after_the_reveal(patch: pytest.MonkeyPatch) -> None:
    """The same, and its hash is exchanged with it, so that the record stands by itself."""

    def change(deal: Deal) -> Deal:
        nonces, hashes = list(deal.nonces), list(deal.hashes)
        nonce = _nonce_that_suits(deal)
        nonces[CROOK], hashes[CROOK] = nonce, nonce_hash(nonce)
        return dataclasses.replace(deal, nonces=tuple(nonces), hashes=tuple(hashes))

    _once_complete(patch, change)


# --- the commitment


def uses_a_commitment_again(patch: pytest.MonkeyPatch) -> None:
    """Every deal has the same seed: whoever has seen one game knows it."""
    same = secrets.token_bytes(32)
    patch.setattr(RealChance, "secret", lambda self: same)


# --- the record


def _rewrites(patch: pytest.MonkeyPatch, rewrite: Callable[[bytes], bytes]) -> None:
    honest = HistoryHandler.get_record

    async def get_record(
        self: HistoryHandler, request: history_service_pb2.GetRecordRequest, call: Call
    ) -> history_service_pb2.GetRecordResponse:
        response = await honest(self, request, call)
        response.record = rewrite(response.record)
        return response

    patch.setattr(HistoryHandler, "get_record", get_record)


def rewrites_history(patch: pytest.MonkeyPatch) -> None:
    """The record tells of another last placement, and of a game that follows from it.

    By itself such a record stands: every draw follows from the seed. Only who was there
    knows better.
    """
    _rewrites(patch, lambda content: render(_another_ending(content)).encode())


def rewrites_a_score(patch: pytest.MonkeyPatch) -> None:
    """The record credits the favoured seat with more than its last placement earned."""

    def rewrite(content: bytes) -> bytes:
        lines = [json.loads(line) for line in content.splitlines()]
        place = next(
            line
            for line in reversed(lines[1:])
            if line["type"] == "place" and line["seat"] == CROOK
        )
        letter = place["tile"][0]
        place["scores"][letter] += 1
        place["points"][letter] = place["points"].get(letter, 0) + 1
        return b"".join(
            json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for line in lines
        )

    _rewrites(patch, rewrite)


def renames_a_player(patch: pytest.MonkeyPatch) -> None:
    """The record says that somebody else sat on seat 0."""

    def rewrite(content: bytes) -> bytes:
        first, _line, rest = content.partition(b"\n")
        header = json.loads(first)
        header["seats"][0]["name"] = "Somebody"
        return json.dumps(header, separators=(",", ":")).encode() + b"\n" + rest

    _rewrites(patch, rewrite)


def _another_ending(content: bytes) -> Record:
    """A record that differs from the favoured seat's last placement on, and stands."""
    record = judge(content).record
    assert record is not None
    assert record.seed is not None
    header = record.header
    bag = open_bag(deal_key(record.seed, header.nonces))
    if header.first_by is FirstBy.CHANCE:
        # Chance has used up a word, which shows as soon as the bag is shuffled again.
        _first_seat, bag = bag.first_seat(header.rules.players)
    game = Game.new(header.rules, header.seats, header.first_seat, bag)
    events = [timed.event for timed in record.events]
    last = max(
        place
        for place, event in enumerate(events)
        if isinstance(event, Placed) and event.seat == CROOK
    )
    for event in events[:last]:
        game = evolve(game, event)
    told: list[Event] = events[:last]
    placed = events[last]
    assert isinstance(placed, Placed)
    tile, cells = next(
        (tile, cells)
        for tile, cells in game.legal_placements(CROOK)
        if set(cells) != set(placed.cells)
    )
    command: Command = PlaceTile(CROOK, tile, cells)
    while not game.is_over:
        for event in decide(game, command):
            game = evolve(game, event)
            told.append(event)
        command = _something(game)
    assert isinstance(told[-1], Ended)
    stamps: Sequence[str | None] = [timed.at for timed in record.events]
    last_at = stamps[-1]
    timed = tuple(
        TimedEvent(n, event, stamps[n - 1] if n <= len(stamps) else last_at)
        for n, event in enumerate(told, 1)
    )
    return Record(header, timed, record.seed)


def _something(game: Game) -> Command:
    seat = game.turn
    if game.phase is Phase.CLOSE:
        return ExchangeRack(seat) if game.may_exchange(seat) else RefillRack(seat)
    placements = game.legal_placements(seat)
    return PlaceTile(seat, *placements[0]) if placements else RefillRack(seat)
