"""A review as text and as JSON."""

from __future__ import annotations

from typing import Any

from genial.client.text import _, ngettext
from genial.engine.board import cell_name
from genial.engine.tiles import LETTERS
from genial.strategy.advice import Advice, Reason, Weighed, Why
from genial.strategy.review import Moment, Review


def why_sentence(why: Why) -> str:
    """Why the best placement was better than the one that was made."""
    match why.reason:
        case Reason.POINTS if why.points > 0:
            return _("missed {points} for {symbol}").format(points=why.points, symbol=why.symbol)
        case Reason.POINTS:
            return _("spread its points less well over the counters")
        case Reason.THEIR_LINES if why.seats > 1:
            return _("left {symbol} open for {count} players").format(
                symbol=why.symbol, count=why.seats
            )
        case Reason.THEIR_LINES:
            return _("left {symbol} open for the other side").format(symbol=why.symbol)
        case Reason.OWN_LINES:
            return _("spoilt its own lines in {symbol}").format(symbol=why.symbol)
        case Reason.RACK:
            return _("used up a tile that will be missed")
        case Reason.SAME:
            return _("as good as any")


def placement_text(weighed: Weighed) -> str:
    """A placement as it is typed: `RB D8 D9`."""
    one, other = weighed.cells
    return f"{weighed.tile} {cell_name(one)} {cell_name(other)}"


def points_text(points: tuple[int, ...]) -> str:
    """Points by letter: `R 2, B 1`; `0` for none."""
    return ", ".join(f"{letter} {n}" for letter, n in zip(LETTERS, points, strict=True) if n) or "0"


def value_text(value: float, solo: bool) -> str:
    """A chance in per cent, or an expected lowest counter."""
    return f"{value:.1f}" if solo else f"{100 * value:.0f}%"


def moment_lines(moment: Moment, review: Review) -> list[str]:
    """One placement: what it was, what it gave away, what would have been better."""
    advice, solo = moment.advice, review.is_solo
    played = advice.played
    if played is None:
        return []
    name = review.seats[moment.placed.seat].name
    chances = " ".join(value_text(chance, solo) for chance in moment.chances)
    head = (
        f"{moment.n:>4}  {name}: {placement_text(played)} ({points_text(played.points)})"
        f" {value_text(played.chance, solo)}  [{chances}]"
    )
    if not advice.gave_away:
        return [head]
    lost = value_text(advice.gave_away, solo)
    lines = [f"{head}  -{lost}: {why_sentence(advice.why)}"]
    word = _("better")
    lines += [
        f"        {word}: {placement_text(better)} ({points_text(better.points)})"
        f" {value_text(better.chance, solo)}"
        for better in advice.better
    ]
    return lines


def summary_lines(review: Review) -> list[str]:
    """A line or two for each player."""
    lines = []
    for summary in review.summaries():
        name = review.seats[summary.seat].name
        count = ngettext(
            "{name}: {count} placement, {good} of them as good as any, gave away {lost}",
            "{name}: {count} placements, {good} of them as good as any, gave away {lost}",
            summary.placements,
        )
        lost = (
            f"{summary.gave_away:.1f}"
            if review.is_solo
            else _("{wins} wins").format(wins=f"{summary.gave_away:.2f}")
        )
        lines.append(
            count.format(name=name, count=summary.placements, good=summary.best, lost=lost)
        )
        if summary.worst is not None and summary.worst.advice.played is not None:
            lines.append(
                _("    most at {n}: {placement}, which {why}").format(
                    n=summary.worst.n,
                    placement=placement_text(summary.worst.advice.played),
                    why=why_sentence(summary.worst.advice.why),
                )
            )
    return lines


def review_text(review: Review) -> str:
    """The whole review, every line ended."""
    names = ", ".join(seat.name for seat in review.seats)
    if review.is_solo:
        head = _("In brackets: the lowest counter to be expected.")
    else:
        head = _("In brackets: the chances of winning of {names}, as all racks tell.").format(
            names=names
        )
    lines = [head, ""]
    for moment in review.moments:
        lines += moment_lines(moment, review)
    return "\n".join([*lines, "", *summary_lines(review)]) + "\n"


def _weighed_json(weighed: Weighed) -> dict[str, Any]:
    return {
        "tile": str(weighed.tile),
        "cells": [[cell.q, cell.r] for cell in weighed.cells],
        "points": {x: n for x, n in zip(LETTERS, weighed.points, strict=True) if n},
        "chance": round(weighed.chance, 4),
    }


def _advice_json(advice: Advice) -> dict[str, Any]:
    return {
        "played": None if advice.played is None else _weighed_json(advice.played),
        "gave_away": round(advice.gave_away, 4),
        "why": why_sentence(advice.why),
        "reason": advice.why.reason.value,
        "symbol": advice.why.symbol,
        "best": [_weighed_json(better) for better in advice.best],
    }


def review_json(review: Review) -> dict[str, Any]:
    """The review as a document; keys as docs/bots.md tells."""
    return {
        "mode": review.rules.mode.value,
        "players": review.rules.players,
        "names": [seat.name for seat in review.seats],
        "placements": [
            {
                "n": moment.n,
                "seat": moment.placed.seat,
                "chances": [round(chance, 4) for chance in moment.chances],
                **_advice_json(moment.advice),
            }
            for moment in review.moments
        ],
        "summaries": [
            {
                "seat": summary.seat,
                "placements": summary.placements,
                "as_good_as_any": summary.best,
                "gave_away": round(summary.gave_away, 4),
                "worst": None if summary.worst is None else summary.worst.n,
            }
            for summary in review.summaries()
        ],
    }
