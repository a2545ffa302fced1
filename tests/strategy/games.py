"""Games for the tests of strategy: dealt, and played by levels that see what seats may see."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from genial.engine.game import (
    Command,
    DealRacks,
    Event,
    Game,
    Seat,
    decide,
    evolve,
)
from genial.engine.rules import Mode, Preset, Rules, SeatKind
from genial.engine.shuffle import ShuffledBag, open_bag
from genial.engine.view import project, view_for
from genial.strategy.levels import Level
from genial.strategy.memory import Memory

EVERY_MODE = [
    Rules(preset=preset, mode=mode, players=players)
    for preset in Preset
    for mode, players in [
        (Mode.FREE, 2),
        (Mode.FREE, 3),
        (Mode.FREE, 4),
        (Mode.PARTNERS, 4),
        (Mode.SOLO, 1),
    ]
]
RULES_NAMES = [f"{rules.preset}-{rules.mode}-{rules.players}" for rules in EVERY_MODE]


def undealt(rules: Rules, seed: int) -> Game:
    """A game whose bag follows from a seed; the first seat varies with it."""
    seats = [Seat(f"Seat {seat}", SeatKind.BOT) for seat in range(rules.players)]
    return Game.new(rules, seats, seed % rules.players, open_bag(seed.to_bytes(32, "big")))


def dealt(rules: Rules, seed: int) -> Game:
    """The same with racks in hand."""
    game = undealt(rules, seed)
    for event in decide(game, DealRacks()):
        game = evolve(game, event)
    return game


def bag_of(game: Game) -> ShuffledBag:
    """The game's bag, whose order is known here."""
    assert isinstance(game.bag, ShuffledBag)
    return game.bag


class Table:
    """A game with a memory for each seat."""

    def __init__(self, rules: Rules, seed: int) -> None:
        self.game = undealt(rules, seed)
        self.memories = [Memory() for _ in range(rules.players)]
        self.events: list[Event] = []
        self.give(DealRacks())

    def give(self, command: Command) -> None:
        """Carry out a command; every seat sees of it what it may."""
        for event in decide(self.game, command):
            self.game = evolve(self.game, event)
            self.events.append(event)
            for seat, memory in enumerate(self.memories):
                memory.observe(project(event, seat))

    def step(self, level: Level, rng: random.Random) -> Command:
        """The seat whose turn it is decides by `level`, and its command is carried out."""
        seat = self.game.turn
        view = view_for(self.game, seat)
        command = level.choose(view, self.memories[seat], rng, level.budget)
        self.give(command)
        return command

    def play(
        self,
        levels: Sequence[Level],
        rng: random.Random,
        stop: Callable[[Game], bool] = lambda game: False,
    ) -> Game:
        """Play on, seat by seat, to the end or until `stop`."""
        while not self.game.is_over and not stop(self.game):
            self.step(levels[self.game.turn], rng)
        return self.game
