"""The engine's reader of records and the independent one, asked together."""

from __future__ import annotations

from genial.engine.record import Judgement, Verdict, judge, render
from tests.referee import reader


def agreed(data: bytes, what: str = "", theirs: reader.Judgement | None = None) -> Judgement:
    """The judgement on which both readers agree, verdict and line; the engine's sentence.

    `theirs` is what the independent reader says, if it was asked already.
    """
    ours = judge(data)
    theirs = theirs or reader.judge(data)
    assert (ours.verdict.value, ours.line) == (theirs.verdict, theirs.line), (
        f"{what}: we say {ours.line}: {ours.sentence!r},"
        f" the referee {theirs.verdict} {theirs.line}: {theirs.sentence!r}"
    )
    if ours.verdict is Verdict.FAULTY:
        assert ours.record is None
        assert ours.line is not None
        assert ours.line >= 1
        assert ours.sentence
        assert ours.sentence == ours.sentence.strip().rstrip(".")
        assert ours.sentence.isprintable()
    else:
        assert ours.record is not None
        assert ours.line is None
        assert bool(ours.sentence) == (ours.verdict is Verdict.CONSISTENT)
        # Whatever stands can be written down again.
        render(ours.record).encode()
    return ours
