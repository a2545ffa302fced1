"""How long a level may think about one decision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter


class InvalidBudgetError(ValueError):
    """A budget that allows no thinking at all."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one decision may cost; a level stops at whichever limit comes first.

    Attributes:
        seconds: Time by `clock`, None for no limit.
        rollouts: Games looked ahead, None for no limit. With rollouts alone the decision depends
            on view, memory and random numbers only, so it can be repeated.
        clock: Seconds: wall-clock time, or what tests and measurements think by.

    Raises:
        InvalidBudgetError: A limit is not above zero.
    """

    seconds: float | None = None
    rollouts: int | None = None
    clock: Callable[[], float] = perf_counter

    def __post_init__(self) -> None:
        """Checks the limits."""
        if self.seconds is not None and not 0 < self.seconds < 3600:
            raise InvalidBudgetError("thinking time is more than 0 and less than 3600 seconds")
        if self.rollouts is not None and self.rollouts < 1:
            raise InvalidBudgetError("a level looks ahead at least once")
