"""Every way to cheat that the verifiable deal is there for is caught by the clients who were
there, and by `record check` where the record alone can show it (rules, section 9)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from genial.client.record_files import check_file
from genial.client.session import DealProgress, DealStep, GameChanged
from genial.engine.record import Judgement, Verdict
from genial.services.lobby.table import Times
from tests.e2e.cheating import cheats
from tests.e2e.cheating.cheats import Cheat
from tests.e2e.cheating.evening import an_evening


def checked(content: bytes, folder: Path) -> Judgement:
    """What `genial record check` says of a record."""
    path = folder / "fetched.genial"
    path.write_bytes(content)
    return check_file(path)


async def test_an_honest_host_is_believed_by_both_and_their_receipts_say_so(
    tmp_path: Path,
) -> None:
    async with an_evening(tmp_path) as evening:
        await evening.begin()
        content = await evening.play(6)
        for person in evening.people:
            verdict = await person.verdict()
            assert (verdict.problems, verdict.verified) == ((), True)
            assert person.distrust() == []
            assert verdict.record_path is not None
            assert verdict.record_path.read_bytes() == content
            assert verdict.receipt_path is not None
            receipt = json.loads(verdict.receipt_path.read_text())
            assert receipt["verified"] is True
            steps = [update.step for update in person.heard if isinstance(update, DealProgress)]
            assert steps == [
                DealStep.COMMITTED,
                DealStep.HASH_SENT,
                DealStep.HASHES_SHOWN,
                DealStep.NONCE_SENT,
                DealStep.NONCES_CHECKED,
            ]
    assert checked(content, tmp_path).verdict is Verdict.VERIFIED


async def test_a_whole_honest_game_is_verified(tmp_path: Path) -> None:
    async with an_evening(tmp_path) as evening:
        await evening.begin()
        content = await evening.play()
        for person in evening.people:
            assert (await person.verdict()).problems == ()
    judgement = checked(content, tmp_path)
    assert judgement.verdict is Verdict.VERIFIED
    assert b'"reason":"board_full"' in content or b'"reason":"all_at_cap"' in content


@pytest.mark.parametrize(
    ("cheat", "told", "problem", "fault"),
    [
        pytest.param(
            cheats.swaps_a_draw,
            None,
            "line 5: these tiles do not follow from the shuffle",
            r"5: these tiles do not follow from the shuffle",
            id="swaps a draw",
        ),
        pytest.param(
            cheats.chooses_its_seed_and_shows_another_commitment,
            "the commitment was exchanged for another one",
            "the commitment was exchanged for another one",
            None,
            id="chooses its seed, shows another commitment",
        ),
        pytest.param(
            cheats.chooses_its_seed_and_keeps_the_commitment,
            None,
            "the seed does not fit the commitment",
            r"\d+: the seed does not fit the commitment",
            id="chooses its seed, keeps the commitment",
        ),
        pytest.param(
            cheats.chooses_a_nonce_after_the_reveal,
            "the nonce of seat 2 does not fit its hash",
            "the nonce of seat 2 does not fit its hash",
            r"1: the nonce of seat 1 does not fit its hash",
            id="chooses a nonce",
        ),
        pytest.param(
            cheats.chooses_a_nonce_and_its_hash_after_the_reveal,
            "nonce hashes were changed after they were shown",
            "the record's nonce hashes are not those that were shown",
            None,
            id="chooses a nonce and its hash",
        ),
        pytest.param(
            cheats.rewrites_history,
            None,
            "is not what was seen",
            None,
            id="rewrites history",
        ),
        pytest.param(
            cheats.renames_a_player,
            None,
            "the record's seats are not those that were shown before the deal",
            None,
            id="renames a player",
        ),
        pytest.param(
            cheats.rewrites_a_score,
            None,
            "is faulty: line",
            r"\d+: (points|scores) are \{.*\} by the rules",
            id="rewrites a score",
        ),
    ],
)
async def test_a_host_that_cheats_is_caught(
    cheat: Cheat,
    told: str | None,
    problem: str,
    fault: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Said while the deal is made (`told`), after the game (`problem`) by every client, and
    by `record check` (`fault`; None where the record stands by itself)."""
    cheat(monkeypatch)
    async with an_evening(tmp_path) as evening:
        await evening.begin()
        content = await evening.play(6)
        for person in evening.people:
            verdict = await person.verdict()
            assert not verdict.verified
            assert any(problem in each for each in verdict.problems), verdict.problems
            assert (told in person.distrust()) if told else not person.distrust()
            assert set(person.distrust()) <= set(verdict.problems)
            assert verdict.receipt_path is not None
            receipt = json.loads(verdict.receipt_path.read_text())
            assert receipt["verified"] is False
            assert receipt["problems"] == list(verdict.problems)
    judgement = checked(content, tmp_path)
    if fault is None:
        assert judgement.verdict is Verdict.VERIFIED
    else:
        assert judgement.verdict is Verdict.FAULTY
        assert re.fullmatch(fault, f"{judgement.line}: {judgement.sentence}")


async def test_a_commitment_that_is_used_again_gets_nobodys_nonce(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheats.uses_a_commitment_again(monkeypatch)
    async with an_evening(tmp_path, Times(deal_step=500)) as evening:
        await evening.begin()
        await evening.play(2)
        for person in evening.people:
            # The first deal is fair: nobody has seen its seed.
            assert (await person.verdict()).verified
        games = {person.session.game.game_id for person in evening.people if person.session.game}
        for person in evening.people:
            await person.session.rematch()
        for person in evening.people:
            assert "used before" in await person.distrusts()
        for person in evening.people:
            await person.until(
                lambda update: isinstance(update, DealProgress) and update.step is DealStep.VOID
            )
        for person in evening.people:
            again = [
                update
                for update in person.heard
                if isinstance(update, DealProgress) and update.game_number == 2
            ]
            assert DealStep.NONCE_SENT not in {update.step for update in again}
            assert {
                update.game_id for update in person.heard if isinstance(update, GameChanged)
            } == games


async def test_a_commitment_is_remembered_from_one_evening_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheats.uses_a_commitment_again(monkeypatch)
    async with an_evening(tmp_path) as evening:
        await evening.begin()
        await evening.play(1)
        for person in evening.people:
            assert (await person.verdict()).verified
    async with an_evening(tmp_path, Times(deal_step=500)) as evening:
        for person in evening.people:
            await person.session.set_ready()
        for person in evening.people:
            assert "used before" in await person.distrusts()
