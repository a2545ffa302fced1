"""The commit-and-reveal of a deal (rules, section 9)."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genial.engine.shuffle import commitment, nonce_hash
from genial.services.lobby import commands, seating
from genial.services.lobby.deal import Deal, DealPhase
from genial.services.lobby.messages import shuffle_to_message, table_to_message
from genial.services.lobby.table import Progress, TableState
from genial.wire.errors import GenialError, Reason
from tests.services.lobby.tables import evening, nonce, playing, token

SEED = hashlib.sha256(b"seed").digest()


def fresh(players: int) -> Deal:
    return Deal.begin(1, 1, SEED, players, deadline=1000)


def seat_nonce(seat: int) -> bytes:
    return hashlib.sha256(b"%d" % seat).digest()


def take(deal: Deal, step: str, seat: int) -> tuple[Deal, str | None]:
    """The deal after a step, and for what reason it was refused."""
    try:
        match step:
            case "commit":
                return deal.commit(seat, nonce_hash(seat_nonce(seat)), 2000), None
            case "other commit":
                return deal.commit(seat, nonce_hash(b"x" * 32), 2000), None
            case "reveal":
                return deal.reveal(seat, seat_nonce(seat)), None
            case _:
                return deal.reveal(seat, b"y" * 32), None
    except GenialError as refusal:
        return deal, refusal.reason


steps = st.lists(
    st.tuples(
        st.sampled_from(["commit", "reveal", "other commit", "other reveal"]),
        st.integers(0, 3),
    ),
    max_size=60,
)


@given(players=st.integers(1, 4), steps=steps)
def test_whatever_clients_send_in_whatever_order_no_nonce_is_taken_before_all_hashes_are_shown(
    players: int, steps: list[tuple[str, int]]
) -> None:
    deal = fresh(players)
    for step, seat in steps:
        if seat >= players:
            continue
        before = deal
        deal, refusal = take(deal, step, seat)
        assert refusal in (None, "NONCE_GIVEN", "NONCE_TOO_EARLY", "NONCE_MISMATCH")
        assert refusal is None or deal is before
        # What was shown never changes.
        for old, new in zip(before.hashes + before.nonces, deal.hashes + deal.nonces, strict=True):
            assert old is None or old == new
        # A nonce is there only when all hashes are, and fits the hash of its seat.
        for hash_, revealed in zip(deal.hashes, deal.nonces, strict=True):
            if revealed is not None:
                assert None not in deal.hashes
                assert nonce_hash(revealed) == hash_
        shown = shuffle_to_message(deal)
        assert shown.commitment == commitment(SEED)
        assert not shown.seed
        assert bool(shown.nonces) == (None not in deal.hashes)
        assert SEED not in shown.SerializeToString()
        assert deal.seed == SEED
        assert (deal.phase is DealPhase.COMPLETE) == (None not in deal.nonces)
        assert (deal.deadline is None) == (deal.phase is DealPhase.COMPLETE)


def test_the_reveal_has_a_time_of_its_own() -> None:
    deal = fresh(2).commit(0, nonce_hash(seat_nonce(0)), 2000)
    assert deal.deadline == 1000
    assert deal.missing == (1,)
    deal = deal.commit(1, nonce_hash(seat_nonce(1)), 2000)
    assert deal.deadline == 2000
    assert deal.missing == (0, 1)


def test_the_same_hash_again_changes_nothing() -> None:
    deal = fresh(2).commit(0, nonce_hash(seat_nonce(0)), 2000)
    assert deal.commit(0, nonce_hash(seat_nonce(0)), 3000) is deal


@pytest.mark.parametrize("length", [0, 31, 33])
def test_hashes_and_nonces_of_another_length_are_refused_by_name(length: int) -> None:
    with pytest.raises(GenialError, match="nonce_hash"):
        fresh(2).commit(0, b"x" * length, 2000)
    with pytest.raises(GenialError, match="nonce"):
        fresh(2).reveal(0, b"x" * length)


def test_what_was_meant_for_another_deal_is_refused() -> None:
    table = evening()
    table.sit("Ana", "Max")
    table.ready("Ana", "Max")
    for game_number, deal in ((1, 2), (2, 1), (0, 0)):
        with pytest.raises(GenialError) as refusal:
            commands.commit_nonce(
                table.table,
                token("Ana"),
                game_number=game_number,
                deal=deal,
                nonce_hash=b"x" * 32,
                next_deadline=0,
            )
        assert refusal.value.reason == Reason.WRONG_DEAL


def test_a_deal_that_nobody_answers_is_void_disclosed_and_done_again_with_a_fresh_seed() -> None:
    table = evening()
    table.sit("Ana", "Max")
    table.ready("Ana", "Max")
    first = table.table.deal
    assert first is not None
    table.commit_all()
    table.wait(table.times.deal_step)
    assert table.is_in(TableState.DEALING)
    second = table.table.deal
    assert second is not None
    assert (first.number, second.number) == (1, 2)
    assert second.seed != first.seed
    assert None in second.hashes
    (void,) = table_to_message(table.table, Progress(), 0).void_deals
    assert void.shuffle.seed == first.seed
    assert commitment(void.shuffle.seed) == void.shuffle.commitment == first.commitment
    assert list(void.missing_seats) == [0, 1]


def test_who_lets_three_deals_pass_is_no_longer_ready() -> None:
    table = evening()
    table.sit("Ana", "Max")
    table.ready("Ana", "Max")
    for _ in range(3):
        deal = table.table.deal
        assert deal is not None
        table.settle(
            commands.commit_nonce(
                table.table,
                token("Ana"),
                game_number=1,
                deal=deal.number,
                nonce_hash=nonce_hash(nonce("Ana", deal.number)),
                next_deadline=0,
            )
        )
        table.wait(table.times.deal_step)
    assert table.is_in(TableState.OPEN)
    assert [seat.ready for seat in table.table.seats] == [True, False]
    table.ready("Max")
    assert table.table.deal is not None
    assert table.table.deal.number == 4


def test_who_only_asks_from_time_to_time_is_dealt_to_and_has_to_answer() -> None:
    table = evening()
    table.sit("Ana", "Max", connected=False)
    table.ready("Ana", "Max")
    assert table.is_in(TableState.DEALING)
    table.wait(table.times.deal_step)
    assert table.is_in(TableState.OPEN)
    assert not any(seat.ready for seat in table.table.seats)
    table.ready("Ana", "Max")
    table.start()
    assert table.is_in(TableState.ACTIVE)


def test_a_bot_from_elsewhere_that_answers_no_deal_loses_its_seat() -> None:
    table = evening()
    table.sit("Robot", level="medium")
    table.sit("Ana")
    table.ready("Ana")
    for _ in range(3):
        deal = table.table.deal
        assert deal is not None
        table.settle(
            commands.commit_nonce(
                table.table,
                token("Ana"),
                game_number=1,
                deal=deal.number,
                nonce_hash=nonce_hash(nonce("Ana", deal.number)),
                next_deadline=0,
            )
        )
        table.wait(table.times.deal_step)
    assert table.table.open_seats == (0,)
    assert table.table.seats[1].ready


def test_leaving_in_the_middle_of_a_deal_discloses_it() -> None:
    table = evening()
    table.sit("Ana", "Max")
    table.ready("Ana", "Max")
    deal = table.table.deal
    assert deal is not None
    table.settle(seating.leave(table.table, token("Max"), table.now, table.chance))
    assert table.is_in(TableState.OPEN)
    assert table.table.open_seats == (1,)
    assert table.table.void_deals[0].deal.disclosed
    assert table.table.void_deals[0].deal.seed == deal.seed


def test_the_seed_is_shown_when_the_game_is_over_and_not_before() -> None:
    table = playing("Ana", "Max")
    assert not table_to_message(table.table, Progress(), 0).shuffle.seed
    deal = table.table.deal
    assert deal is not None
    table.end(((0,), (1,)), 9, 5)
    assert table_to_message(table.table, Progress(), 0).shuffle.seed == deal.seed


def test_every_game_has_a_commitment_of_its_own() -> None:
    table = playing("Ana", "Max", games=3)
    commitments = set()
    for _ in range(3):
        assert table.table.deal is not None
        commitments.add(table.table.deal.commitment)
        table.end(((0,), (1,)), 9, 5)
        table.wait(table.times.interlude)
        if table.is_in(TableState.DEALING):
            table.start()
    assert len(commitments) == 3
