"""Players for tests: at random, greedily, or for their lowest counter; and what is no move."""

from __future__ import annotations

import random

from genial.engine.board import axial_of
from genial.engine.game import (
    Command,
    EndEarly,
    ExchangeRack,
    Game,
    Phase,
    PlaceTile,
    RefillRack,
    Resign,
    SkipTurn,
    TakeOverSeat,
)
from genial.engine.rules import EndReason, SeatKind


def random_placement(game: Game, rng: random.Random) -> PlaceTile:
    """Any placement of the seat on turn."""
    one, other = rng.choice(game.legal_pairs(game.turn))
    tile = rng.choice(game.racks[game.turn])
    way = tile if rng.random() < 0.5 else tile.flipped
    return PlaceTile(game.turn, way, (axial_of(one), axial_of(other)))


def greedy_placement(game: Game, rng: random.Random, *, level: bool = False) -> PlaceTile:
    """A placement that finds the most; with `level`, points for low counters are worth more."""
    track, cap = game.track(game.turn), game.rules.cap
    weight = [0, *((cap - counter) ** 2 if level else counter < cap for counter in track)]
    lines = game.board.line_values()
    worth = [[points * weight[symbol] for points in row] for symbol, row in enumerate(lines)]
    ways = {way for tile in game.racks[game.turn] for way in (tile, tile.flipped)}
    pairs = game.legal_pairs(game.turn)
    # Whichever of equals comes first is taken, so chance says where to begin.
    start = rng.randrange(len(pairs))
    best = -1
    for one, other in pairs[start:] + pairs[:start]:
        for way in ways:
            value = worth[way[0]][one] + worth[way[1]][other]
            if value > best:
                best, chosen = value, (way, (axial_of(one), axial_of(other)))
    return PlaceTile(game.turn, *chosen)


STYLES = ("random", "greedy", "level")


def next_command(game: Game, rng: random.Random, style: str) -> Command:
    """What a player of this style does now; half of the racks that may be exchanged are."""
    if game.phase in (Phase.PLACE, Phase.BONUS):
        if style == "random":
            return random_placement(game, rng)
        return greedy_placement(game, rng, level=style == "level")
    if rng.random() < 0.5 and game.may_exchange(game.turn):
        return ExchangeRack(game.turn)
    return RefillRack(game.turn)


def incident(game: Game, rng: random.Random) -> Resign | TakeOverSeat | SkipTurn | EndEarly:
    """Something that is no move, allowed or not."""
    seat = rng.randrange(game.rules.players)
    roll = rng.random()
    if roll < 0.1:
        return Resign(seat)
    if roll < 0.5:
        kind = rng.choice(list(SeatKind))
        return TakeOverSeat(seat, "Eve", kind, "easy" if kind is SeatKind.BOT else None)
    if roll < 0.97:
        return SkipTurn(game.turn if rng.random() < 0.8 else seat)
    return EndEarly(rng.choice(list(EndReason)))
