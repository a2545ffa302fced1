"""What is said to people about the deal: its steps, and what came of checking it."""

from __future__ import annotations

from genial.client.text import _
from genial.client.updates import DealProgress, DealStep, DealVerdict


def deal_sentence(progress: DealProgress) -> str:
    """A step of the deal, where people need to hear of it; empty for the quiet ones."""
    match progress.step:
        case DealStep.NONCES_CHECKED:
            return _("The deal is fixed, and nobody could choose it.")
        case DealStep.VOID:
            return _(
                "Deal {deal} is void, because somebody did not answer; the next one follows."
            ).format(deal=progress.deal)
        case DealStep.DISTRUSTED:
            return _("Do not trust this deal: {problem}.").format(problem=progress.problem)
        case _quiet:
            return ""


def verdict_sentences(verdict: DealVerdict) -> list[str]:
    """What came of checking the deal, and where the record is kept."""
    if verdict.verified:
        said = [_("deal verified")]
    else:
        said = [_("deal not verified: {problem}").format(problem=p) for p in verdict.problems]
    if verdict.record_path is not None:
        said.append(_("The record is kept in {path}.").format(path=verdict.record_path))
    return said
