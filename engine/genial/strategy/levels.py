"""The levels by name.

A level decides for one seat. It is given what a player in that seat may know (`PlayerView`,
`Memory`) and random numbers, nothing else, so that it cannot look at another rack.
"""

from __future__ import annotations

import random
from typing import Final, Protocol

from genial.engine.game import Command
from genial.engine.view import PlayerView
from genial.strategy.baselines import GREEDY, MAXMIN, RANDOM
from genial.strategy.budget import Budget
from genial.strategy.memory import Memory
from genial.strategy.reference import Reference
from genial.strategy.search import Depth
from genial.strategy.temper import TEMPERAMENTS
from genial.strategy.thinking import Skill, Thinker


class UnknownLevelError(ValueError):
    """A name that no level has; the message lists those there are."""


class Level(Protocol):
    """Somebody who can play."""

    @property
    def name(self) -> str:
        """What people type."""

    @property
    def description(self) -> str:
        """Half a line of English."""

    @property
    def budget(self) -> Budget:
        """What a decision may cost unless the player says otherwise."""

    def choose(
        self, view: PlayerView, memory: Memory, rng: random.Random, budget: Budget
    ) -> Command:
        """The command to give now.

        Args:
            view: The game for the seat that decides; it is that seat's turn.
            memory: What the seat has seen of this game; may have gaps.
            rng: The only source of chance.
            budget: Limits of this decision.

        Returns:
            PlaceTile, ExchangeRack or RefillRack of `view.viewer`, which the rules allow.

        Raises:
            ValueError: The view is a spectator's, or the tiles are not dealt yet.
        """


_CLOSING_ROLLOUTS: Final = 120
"""How often an exchange is tried in rollouts by the levels that only look at what is there."""

_GLANCE: Final = Depth(shortlisted=48, candidates=2)

EASY: Final = Thinker(
    "easy",
    "for beginners: sees what is good, and often takes something else",
    Budget(seconds=0.2, rollouts=_CLOSING_ROLLOUTS),
    Skill(_GLANCE, tries_placements=False, slips=0.2),
)
MEDIUM: Final = Thinker(
    "medium",
    "a fair opponent who slips now and then",
    Budget(seconds=0.2, rollouts=_CLOSING_ROLLOUTS),
    Skill(_GLANCE, tries_placements=False, slips=0.1),
)
HARD: Final = Thinker(
    "hard",
    "takes what is best for now, and leaves you little",
    Budget(seconds=0.2, rollouts=_CLOSING_ROLLOUTS),
    Skill(_GLANCE, tries_placements=False),
)
EXPERT: Final = Thinker(
    "expert",
    "looks several turns ahead",
    Budget(seconds=1.0),
    Skill(),
)

_PLAIN: Final = (EASY, MEDIUM, HARD, EXPERT)

SHOWN: Final[tuple[Level, ...]] = (
    *_PLAIN,
    *(level.with_temperament(style) for level in _PLAIN for style in TEMPERAMENTS),
)
"""The levels for people: weakest first, then each in its temperaments."""

BASELINES: Final[tuple[Level, ...]] = (
    RANDOM,
    GREEDY,
    MAXMIN,
    Reference(0),
    Reference(200),
    Reference(1000),
)
"""Levels that stay as they are, so that strength can be measured against them."""

DEFAULT: Final = "medium"

_BY_NAME: Final = {level.name: level for level in (*SHOWN, *BASELINES)}


def level_named(name: str) -> Level:
    """The level of a name, in small letters.

    Raises:
        UnknownLevelError: There is none.
    """
    level = _BY_NAME.get(name)
    if level is None:
        raise UnknownLevelError(
            f"there is no level {name[:40]!r}: choose one of"
            f" {', '.join(level.name for level in (*_PLAIN, *BASELINES))};"
            f" with /{', /'.join(style.name for style in TEMPERAMENTS)} after the first four"
        )
    return level
