"""What goes to a worker process and what comes back, pickled."""

from __future__ import annotations

from dataclasses import dataclass

from genial.engine.game import Command
from genial.engine.view import PlayerView
from genial.strategy.memory import Memory


@dataclass(frozen=True, slots=True)
class Request:
    """One decision to be made.

    Attributes:
        level: Name of the level that decides.
        view, memory: All that the seat knows.
        seed: Of the random numbers.
        seconds: Thinking time, None for the level's own.
    """

    level: str
    view: PlayerView
    memory: Memory
    seed: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """What was decided, or in a sentence why nothing was."""

    command: Command | None
    problem: str = ""
