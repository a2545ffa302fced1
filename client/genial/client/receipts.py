"""After a game: fetch its record, compare it with what was seen, keep both."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from genial.client.deal import Deal, judge_deal, receipt
from genial.client.errors import GenialError, HostUnreachableError, StorageError
from genial.client.link import HostLink
from genial.client.text import _
from genial.client.updates import DealVerdict
from genial.engine.view import SeenEvent
from genial.wire.errors import Reason

_ATTEMPTS: Final = 20
_PAUSE_SECONDS: Final = 0.25
"""The end is published before the record is filed; a host gets these five seconds."""


async def verify(
    link: HostLink,
    table_id: str,
    seat: int | None,
    deal: Deal | None,
    game_id: str,
    seen: Sequence[tuple[int, SeenEvent]],
) -> DealVerdict:
    """Fetches the record of a finished game and judges it by what this client saw.

    Never raises: what goes wrong is among the verdict's problems.
    """
    try:
        record = await _fetch(link, game_id)
    except GenialError as error:
        sentence = _("the record could not be fetched: {reason}").format(reason=error.sentence)
        return DealVerdict(game_id, False, (sentence,), None, None)
    from genial.engine.record import judge

    judgement = await asyncio.to_thread(judge, record)
    problems = judge_deal(judgement, deal, seat, seen)
    content = receipt(
        deal,
        host_id=link.host.host_id,
        table_id=table_id,
        game_id=game_id,
        seat=seat,
        record=record,
        events_seen=len(seen),
        problems=problems,
    )
    record_path: Path | None = None
    receipt_path: Path | None = None
    verified = not problems
    try:
        record_path = link.store.keep_record(game_id, record)
        receipt_path = link.store.keep_receipt(game_id, seat, content)
    except StorageError as error:
        problems = [*problems, error.sentence]
    return DealVerdict(game_id, verified, tuple(problems), record_path, receipt_path)


async def _fetch(link: HostLink, game_id: str) -> bytes:
    """The record, however long the host is away; who waits no longer cancels it."""
    attempts = _ATTEMPTS
    while True:
        try:
            return await link.get_record(game_id)
        except HostUnreachableError:
            pass  # It comes back with all its games.
        except GenialError as error:
            attempts -= 1
            if error.reason != Reason.GAME_RUNNING or not attempts:
                raise
        await asyncio.sleep(_PAUSE_SECONDS)
