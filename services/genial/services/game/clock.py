"""Thinking clocks by Fischer: a base for the game, an increment for each turn that ends.

Pure: whoever asks says what time it is, in milliseconds of a clock that never jumps and
that stands still while the host is down, because every run of the host brings its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from genial.wire.values import Clock


@dataclass(frozen=True, slots=True)
class Clocks:
    """The clocks of one game.

    Attributes:
        rule: Base and increment.
        left: Milliseconds left for each seat, as of `since`.
        turn: Whose clock it is; None once the game is over.
        since: When `turn`'s clock was last set going; None while nothing runs.
        paused: Whether the table has stopped the clocks.
    """

    rule: Clock
    left: tuple[int, ...]
    turn: int | None
    since: int | None = None
    paused: bool = False

    @classmethod
    def new(cls, rule: Clock, players: int, turn: int, now: int) -> Clocks:
        """All clocks full, the first seat's going."""
        return cls(rule, (rule.base_ms,) * players, turn, now)

    @classmethod
    def stored(cls, rule: Clock, left: tuple[int, ...], turn: int | None, paused: bool) -> Clocks:
        """The clocks as they were stored, standing still until `resume`."""
        return cls(rule, left, turn, None, paused)

    def resume(self, now: int) -> Clocks:
        """Going again, unless paused or over."""
        going = self.turn is not None and not self.paused
        return replace(self, since=now if going else None)

    def settle(self, now: int) -> Clocks:
        """The same clocks with what has passed taken off, as of `now`."""
        if self.since is None or self.turn is None:
            return self
        left = list(self.left)
        left[self.turn] = max(0, left[self.turn] - (now - self.since))
        return replace(self, left=tuple(left), since=now)

    def turn_to(self, turn: int | None, now: int) -> Clocks:
        """After an event: another seat's turn, the same still, or None: nobody's any more.

        A turn that ends earns its seat the increment, however it ended: so a seat whose
        clock had run out has at least that for its next turn.
        """
        settled = self.settle(now)
        if turn == self.turn:
            return settled
        left = list(settled.left)
        if self.turn is not None and turn is not None:
            left[self.turn] += self.rule.increment_ms
        return replace(settled, left=tuple(left), turn=turn).resume(now)

    def pause(self, paused: bool, now: int) -> Clocks:
        """Stopped, or set going again."""
        return replace(self.settle(now), paused=paused).resume(now)

    @property
    def flagged(self) -> int | None:
        """The seat whose turn it is without any time left; as of the last `settle`."""
        return self.turn if self.turn is not None and not self.left[self.turn] else None

    def due(self) -> int | None:
        """When the clock that is going runs out; None if none is going or it has."""
        if self.since is None or self.turn is None or not self.left[self.turn]:
            return None
        return self.since + self.left[self.turn]
