"""A game: commands are judged by `decide`, events are followed by `evolve`.

State is what events made it: `evolve` needs no randomness, since a draw is an event.
One place for each rule: turns and phases here; what may be placed and exchanged in
`legality`, lines and cells in `board`, tracks, stops and ranking in `rules`, the order
of the bag in `shuffle`. The state is defined in `state`, commands and events in
`moves`; all can be imported from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from genial.engine.board import Board, index_of, mask_has_pair
from genial.engine.legality import (
    claimed_by,
    closing_refusal,
    exchange_refusal,
    placement_refusal,
)
from genial.engine.moves import (
    SEATED_COMMANDS,
    Cells,
    Command,
    DealRacks,
    Dealt,
    EndEarly,
    Ended,
    Event,
    Exchanged,
    ExchangeRack,
    Phase,
    Placed,
    PlaceTile,
    Refilled,
    RefillRack,
    Resign,
    Resigned,
    Seat,
    Skipped,
    SkipTurn,
    TakenOver,
    TakeOverSeat,
)
from genial.engine.refusal import Refusal, Refused
from genial.engine.rules import (
    EndReason,
    Leaving,
    Mode,
    SeatKind,
    ranking,
    score,
)
from genial.engine.shuffle import Bag
from genial.engine.state import Game
from genial.engine.tiles import Tile

__all__ = [
    "SEATED_COMMANDS",
    "Cells",
    "Command",
    "DealRacks",
    "Dealt",
    "EndEarly",
    "Ended",
    "Event",
    "ExchangeRack",
    "Exchanged",
    "Game",
    "Phase",
    "PlaceTile",
    "Placed",
    "RefillRack",
    "Refilled",
    "Resign",
    "Resigned",
    "Seat",
    "SkipTurn",
    "Skipped",
    "TakeOverSeat",
    "TakenOver",
    "decide",
    "evolve",
    "replay",
]


# --- decide -------------------------------------------------------------------------


def decide(game: Game, command: Command) -> tuple[Event, ...]:
    """The events that follow from a command, without applying them.

    Draws are taken from the bag as its order stands, so a bag whose order is hidden
    can only be followed, not decided on.

    Raises:
        Refused: The rules do not allow the command now.
        HiddenOrderError: Tiles are due from a bag of unknown order.
    """
    match command:
        case PlaceTile():
            return _decide_placement(game, command)
        case RefillRack(seat):
            check_refill(game, seat)
            return (Refilled(seat, game.bag.peek(draw_count(game, seat))),)
        case ExchangeRack(seat):
            returned = check_exchange(game, seat)
            return (Exchanged(seat, returned, game.bag.peek(exchange_count(game))),)
        case Resign(seat):
            return _decide_resignation(game, seat)
        case SkipTurn(seat):
            check_skip(game, seat)
            return (Skipped(seat, game.bag.peek(draw_count(game, seat))),)
        case TakeOverSeat(seat, name, kind, level):
            check_takeover(game, seat, kind)
            return (TakenOver(seat, name, kind, level),)
        case EndEarly(reason):
            check_early_end(game, reason)
            return (ending(game, reason),)
        case DealRacks():
            return _decide_deal(game)
    assert_never(command)


def draw_count(game: Game, seat: int) -> int:
    """Tiles that bring a seat's rack back to full, or what the bag still gives."""
    return min(game.rules.rack_size - len(game.racks[seat]), len(game.bag))


def exchange_count(game: Game) -> int:
    """Tiles drawn in an exchange: a full rack, or what the bag still gives."""
    return min(game.rules.rack_size, len(game.bag))


def _decide_deal(game: Game) -> tuple[Event, ...]:
    if game.phase is not Phase.DEAL:
        raise Refused(Refusal.ALREADY_DEALT)
    size = game.rules.rack_size
    drawn = game.bag.peek(size * game.rules.players)
    order = game.turn_order()
    return tuple(
        Dealt(seat, drawn[place * size : (place + 1) * size]) for place, seat in enumerate(order)
    )


def check_running(game: Game, seat: int | None = None) -> None:
    """Raises Refused unless the game is dealt, not over, and has that seat."""
    if game.phase is Phase.OVER:
        raise Refused(Refusal.GAME_OVER)
    if game.phase is Phase.DEAL:
        raise Refused(Refusal.NOT_DEALT)
    if seat is not None and not 0 <= seat < game.rules.players:
        raise Refused(Refusal.NO_SUCH_SEAT, seat=str(seat))


def _check_turn(game: Game, seat: int) -> None:
    check_running(game, seat)
    if seat in game.resigned:
        raise Refused(Refusal.SEAT_RESIGNED)
    if game.turn != seat:
        raise Refused(Refusal.NOT_YOUR_TURN)


def judge_placement(game: Game, command: PlaceTile) -> Placed:
    """The event of a placement by the rules.

    Raises:
        Refused: The placement is not allowed.
    """
    seat, tile, cells = command.seat, command.tile, command.cells
    _check_turn(game, seat)
    if game.phase is Phase.CLOSE:
        raise Refused(Refusal.ALREADY_PLACED)
    rack = game.racks[seat]
    if tile.canonical not in rack:
        raise Refused(Refusal.TILE_NOT_ON_RACK, tile=str(tile.canonical))
    refused = placement_refusal(game.board, game.claimed, seat in game.started, cells)
    if refused is not None:
        raise refused
    rules = game.rules
    before = game.track(seat)
    first, second = game.board.points(tile, cells)
    track, reached = score(before, ((tile[0], first), (tile[1], second)), rules.cap)
    points = tuple([new - old for new, old in zip(track, before, strict=True)])
    owed = 0
    if rules.has_bonus and len(rack) > 1 and min(track) < rules.cap:
        owed = game.bonus_owed - (game.phase is Phase.BONUS) + reached
        if owed and not room_after(game.board, cells):
            owed = 0
    return Placed(seat, tile, cells, points, track, owed)


def room_after(board: Board, cells: Cells) -> bool:
    """Whether a tile can still be placed once these two cells are taken."""
    taken = 1 << index_of(cells[0]) | 1 << index_of(cells[1])
    return mask_has_pair(board.free & ~taken)


def _decide_placement(game: Game, command: PlaceTile) -> tuple[Event, ...]:
    placed = judge_placement(game, command)
    if game.rules.mode is not Mode.SOLO and not game.resigned and not _ends(game, placed):
        return (placed,)
    after = evolve(game, placed)
    reason = reason_to_end(after)
    if reason is not None:
        return placed, ending(after, reason)
    if game.rules.mode is Mode.SOLO:
        # Nothing to choose: the next tile is drawn with the placement.
        return placed, Refilled(placed.seat, after.bag.peek(draw_count(after, placed.seat)))
    return (placed,)


def _ends(game: Game, placed: Placed) -> bool:
    """Whether a placement ends a running game that nobody has resigned from.

    It is what `reason_to_end` says of the game after it, found without making that game.
    """
    return min(placed.track) >= game.rules.cap or not room_after(game.board, placed.cells)


def reason_to_end(game: Game) -> EndReason | None:
    """Why the game is over as it stands, if it is (rules, sections 4 and 7)."""
    cap = game.rules.cap
    if any(min(track) >= cap for track in game.tracks):
        return EndReason.ALL_AT_CAP
    if not game.board.has_room():
        return EndReason.BOARD_FULL
    if game.resigned and len(_teams_left(game)) <= (game.rules.mode is not Mode.SOLO):
        return EndReason.RESIGNED
    return None


def _teams_left(game: Game) -> set[int]:
    gone = {game.rules.team_of(seat) for seat in game.resigned}
    return {team for team in range(len(game.rules.teams)) if team not in gone}


def ending(game: Game, reason: EndReason) -> Ended:
    """The last event of a game that ends as it stands."""
    return Ended(
        reason,
        ranking(game.rules, game.tracks, game.resigned),
        tuple(game.track(seat) for seat in range(game.rules.players)),
    )


def check_refill(game: Game, seat: int) -> None:
    """Raises Refused unless this seat may end its turn by a refill now."""
    check_running(game, seat)
    if game.rules.mode is Mode.SOLO and game.phase is Phase.PLACE:
        raise Refused(Refusal.DRAWN_BY_ITSELF)
    _check_turn(game, seat)
    refused = closing_refusal(game.turn, game.phase, game.bonus_owed, seat)
    if refused is not None:
        raise refused


def check_exchange(game: Game, seat: int) -> tuple[Tile, ...]:
    """The rack to be returned, canonical, if this seat may exchange it now.

    Raises:
        Refused: It may not.
    """
    _check_turn(game, seat)
    refused = exchange_refusal(
        game.rules,
        game.board,
        game.turn,
        game.phase,
        game.bonus_owed,
        seat,
        game.track(seat),
        game.racks[seat],
    )
    if refused is not None:
        raise refused
    return game.rack(seat)


def check_skip(game: Game, seat: int) -> None:
    """Raises Refused unless the table may end this seat's turn now."""
    check_running(game, seat)
    if game.rules.leaving is not Leaving.SKIP or game.rules.mode is Mode.SOLO:
        raise Refused(Refusal.SKIP_NOT_IN_RULES)
    _check_turn(game, seat)


def check_takeover(game: Game, seat: int, kind: SeatKind) -> None:
    """Raises Refused unless somebody of this kind may take over the seat."""
    check_running(game, seat)
    if seat in game.resigned:
        raise Refused(Refusal.SEAT_RESIGNED)
    if kind is SeatKind.BOT and game.rules.leaving is not Leaving.BOT:
        raise Refused(Refusal.TAKEOVER_NOT_IN_RULES)


def check_early_end(game: Game, reason: EndReason) -> None:
    """Raises Refused unless the table may end the game for this reason now."""
    check_running(game)
    if reason not in (EndReason.AGREED, EndReason.ABANDONED):
        raise Refused(Refusal.NOT_AN_EARLY_END)
    if not game.had_human:
        raise Refused(Refusal.NOBODY_TO_AGREE)


def check_resignation(game: Game, seat: int) -> None:
    """Raises Refused unless this seat may resign now."""
    check_running(game, seat)
    if seat in game.resigned:
        raise Refused(Refusal.SEAT_RESIGNED)


def _decide_resignation(game: Game, seat: int) -> tuple[Event, ...]:
    check_resignation(game, seat)
    resigned = Resigned(seat)
    after = evolve(game, resigned)
    reason = reason_to_end(after)
    return (resigned,) if reason is None else (resigned, ending(after, reason))


# --- evolve -------------------------------------------------------------------------


def evolve(game: Game, event: Event) -> Game:
    """The game after an event. Judges nothing but that the bag gives what was drawn.

    Raises:
        DrawMismatchError: The bag does not give the drawn tiles.
    """
    match event:
        case Placed():
            return _after_placement(game, event)
        case Refilled(seat, drawn) | Skipped(seat, drawn):
            racks = _with_rack(game.racks, seat, game.racks[seat] + drawn)
            return _next_turn(game, racks, game.bag.take(drawn))
        case Exchanged(seat, returned, drawn):
            bag = game.bag.take(drawn).put_back(returned)
            return _next_turn(game, _with_rack(game.racks, seat, drawn), bag)
        case Dealt(seat, drawn):
            dealt = sum(1 for rack in game.racks if rack) + 1
            return replace(
                game,
                racks=_with_rack(game.racks, seat, drawn),
                bag=game.bag.take(drawn),
                phase=Phase.PLACE if dealt == game.rules.players else Phase.DEAL,
                revision=game.revision + 1,
            )
        case Resigned(seat):
            after = replace(game, resigned=(*game.resigned, seat), revision=game.revision + 1)
            if game.turn != seat or not set(range(game.rules.players)) - set(after.resigned):
                return after
            return replace(after, turn=_turn_after(after, seat), phase=Phase.PLACE, bonus_owed=0)
        case TakenOver(seat, name, kind, level):
            seats = list(game.seats)
            seats[seat] = Seat(name, kind, level)
            return replace(
                game,
                seats=tuple(seats),
                had_human=game.had_human or kind is SeatKind.HUMAN,
                revision=game.revision + 1,
            )
        case Ended():
            return replace(
                game, phase=Phase.OVER, bonus_owed=0, ended=event, revision=game.revision + 1
            )
    assert_never(event)


def replay(game: Game, events: Iterable[Event]) -> Game:
    """The game after all these events."""
    for event in events:
        game = evolve(game, event)
    return game


def _with_rack(
    racks: tuple[tuple[Tile, ...], ...], seat: int, rack: tuple[Tile, ...]
) -> tuple[tuple[Tile, ...], ...]:
    return (*racks[:seat], rack, *racks[seat + 1 :])


def _turn_after(game: Game, seat: int) -> int:
    players = game.rules.players
    for step in range(1, players + 1):
        following = (seat + step) % players
        if following not in game.resigned:
            return following
    return seat


def _next_turn(game: Game, racks: tuple[tuple[Tile, ...], ...], bag: Bag) -> Game:
    return Game(
        rules=game.rules,
        seats=game.seats,
        first_seat=game.first_seat,
        board=game.board,
        racks=racks,
        tracks=game.tracks,
        bag=bag,
        turn=_turn_after(game, game.turn),
        phase=Phase.PLACE,
        bonus_owed=0,
        claimed=game.claimed,
        started=game.started,
        resigned=game.resigned,
        revision=game.revision + 1,
        latest=game.latest,
        last_mover=game.last_mover,
        had_human=game.had_human,
        ended=game.ended,
    )


def _after_placement(game: Game, event: Placed) -> Game:
    seat = event.seat
    rack = list(game.racks[seat])
    rack.remove(event.tile.canonical)
    team = game.rules.team_of(seat)
    claimed, started = game.claimed, game.started
    if seat not in started:
        started = started | {seat}
        touched = claimed_by(event.cells)
        if touched is not None:
            claimed = claimed | {touched}
    return Game(
        rules=game.rules,
        seats=game.seats,
        first_seat=game.first_seat,
        board=game.board.place(event.tile, event.cells),
        racks=_with_rack(game.racks, seat, tuple(rack)),
        tracks=(*game.tracks[:team], event.track, *game.tracks[team + 1 :]),
        bag=game.bag,
        turn=seat,
        phase=Phase.BONUS if event.bonus_owed else Phase.CLOSE,
        bonus_owed=event.bonus_owed,
        claimed=claimed,
        started=started,
        resigned=game.resigned,
        revision=game.revision + 1,
        latest=(*game.latest[:seat], event, *game.latest[seat + 1 :]),
        last_mover=seat,
        had_human=game.had_human,
        ended=game.ended,
    )
