"""Whole games of the referee, with simple players."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.referee.naive import RACK, NaiveGame, Placement
from tests.referee.shuffle import standard_tiles

Policy = Callable[[NaiveGame, random.Random], Placement]
"""Chooses one of the legal placements of the seat whose turn it is."""


def random_policy(game: NaiveGame, rng: random.Random) -> Placement:
    """Any legal placement, all equally likely."""
    return rng.choice(game.legal_placements(game.turn))


def greedy_policy(game: NaiveGame, rng: random.Random) -> Placement:
    """A legal placement that counts the most points now; chance decides between equals."""
    placements = game.legal_placements(game.turn)
    worth = [sum(game.points_of(letters, cells).values()) for letters, cells in placements]
    best = max(worth)
    return rng.choice([p for p, w in zip(placements, worth, strict=True) if w == best])


def play_game(
    players: int,
    rng: random.Random,
    *,
    policy: Policy = random_policy,
    preset: str = "genial",
    mode: str = "free",
) -> NaiveGame:
    """Play a whole game to its end; half the racks that may be exchanged are exchanged.

    `rng` shuffles the bag (this is not the verifiable one) and names the first seat.
    """
    bag = standard_tiles()
    rng.shuffle(bag)
    size = 1 if mode == "solo" else RACK
    racks = [[bag.pop() for _ in range(size)] for _ in range(players)]
    game = NaiveGame(preset, mode, players, rng.randrange(players), racks)
    while not game.finished:
        seat = game.turn
        if game.may_place():
            letters, cells = policy(game, rng)
            game.place(seat, letters, cells)
        elif rng.random() < 0.5 and game.may_exchange():
            drawn = [bag.pop() for _ in range(min(RACK, len(bag)))]
            bag += game.exchange(seat, drawn)
            rng.shuffle(bag)
        else:
            game.refill(seat, [bag.pop() for _ in range(game.missing(seat))])
    return game
