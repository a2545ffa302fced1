"""Positions to draw: above all that of the design's mock-ups, built piece by piece."""

from __future__ import annotations

from google.protobuf.duration_pb2 import Duration

from genial.client.model import Hand, Line, Model, Play, Screen
from genial.client.settings import Settings
from genial.client.updates import GameChanged, Link
from genial.engine.board import Board, parse_cell
from genial.engine.moves import Phase, Placed
from genial.engine.rules import Rules, SeatKind, Track
from genial.engine.tiles import Symbol, Tile
from genial.engine.view import PlayerView, SeatView
from genial.v1 import game_pb2
from genial.v1.table_pb2 import (
    TABLE_STATE_ACTIVE,
    ChatMessage,
    Table,
)

# Rows A to O of the mock-ups' board; a dot is a free cell. The tile in hand (G6 H5) is not on it.
MOCKUP_BOARD = """
. . . . . . . .
. . R . . P . . Y
. . R R . . G G G G
. . R R . . . G G G G
B . R . . . . . G G G O
P O P G . . . . . G G . .
P P P P . . . . . R G . . .
P P P P . . . R . . . B B . .
Y P P . . . . O . . . . . .
O P P . . . P O . . . . .
R P B . . . . O . . . .
. . . . G . B O O . .
. P Y Y Y . G O O .
Y Y Y Y Y O O O O
. . . . . . . O
"""


def board_of(text: str, rules: Rules) -> Board:
    """The board whose cells are written row by row, a letter or a dot each."""
    letters = text.split()
    packed = bytes(0 if letter == "." else Symbol.from_letter(letter) for letter in letters)
    return Board.unpack(rules.zone, packed)


def track_of(text: str) -> Track:
    """A track from `R0 B0 Y6 P10 G11 O11`."""
    points = {word[0]: int(word[1:]) for word in text.split()}
    return tuple(points[letter] for letter in "RGBOYP")


def placed(seat: int, tile: str, cells: str, points: str, track: Track = (0,) * 6) -> Placed:
    """A placement from `M9 L9` and `O6`."""
    one, other = (parse_cell(name) for name in cells.split())
    earned = {word[0]: int(word[1:]) for word in points.split()}
    return Placed(
        seat,
        Tile.parse_oriented(tile),
        (one, other),
        tuple(earned.get(letter, 0) for letter in "RGBOYP"),
        track,
        0,
    )


NAMES = ("Ana", "Max", "Lena", "Tom")
TRACKS = (
    track_of("R0 B0 Y6 P10 G11 O11"),
    track_of("B0 Y0 R2 O7 P11 G18"),
    track_of("B0 R4 O5 G8 Y8 P11"),
    track_of("B1 R3 Y3 G9 O10 P18"),
)
PLAYS = (
    placed(0, "RP", "K1 K2", "P5"),
    placed(1, "RR", "D7 D8", "R2"),
    placed(2, "RR", "B9 C9", "R4"),
    placed(3, "RP", "E6 F5", "R3 P4"),
    placed(3, "OO", "M9 L9", "O6", TRACKS[3]),
)
RACK = ("GP", "RB", "OY", "OY", "RO", "BY")


def mockup_view() -> PlayerView:
    """The four-player position of the mock-ups, Ana to move."""
    rules = Rules(players=4)
    return PlayerView(
        rules=rules,
        revision=100,
        seats=tuple(
            SeatView(name, SeatKind.HUMAN, None, track, 6, False, latest)
            for name, track, latest in zip(
                NAMES, TRACKS, (PLAYS[0], PLAYS[1], PLAYS[2], PLAYS[4]), strict=True
            )
        ),
        first_seat=0,
        board=board_of(MOCKUP_BOARD, rules),
        bag_count=62,
        turn=0,
        phase=Phase.PLACE,
        bonus_owed=0,
        claimed=frozenset((Symbol.R, Symbol.G, Symbol.P, Symbol.O)),
        started=frozenset(range(4)),
        last_mover=3,
        ended=None,
        viewer=0,
        rack=tuple(sorted(Tile.parse(tile) for tile in RACK)),
        may_exchange=False,
    )


def message_for(view: PlayerView, clock: int | None = 522) -> game_pb2.GameView:
    """What the contract adds to a view: clocks and hints."""
    message = game_pb2.GameView(game_id="game", table_id="table", hints_allowed=True)
    for number, seat in enumerate(view.seats):
        shown = message.seats.add(seat=number, name=seat.name)
        if clock is not None:
            shown.clock_left.CopyFrom(Duration(seconds=clock))
    if clock is not None:
        message.clock.base.CopyFrom(Duration(seconds=600))
        message.clock.increment.CopyFrom(Duration(seconds=10))
    return message


def table_of(names: tuple[str, ...] = NAMES, state: int = TABLE_STATE_ACTIVE) -> Table:
    """A table with people on its seats; an empty name is a free seat."""
    table = Table(table_id="table", name="Kitchen table", state=state)  # type: ignore[arg-type]
    table.options.rules.players = len(names)
    table.options.clock.base.CopyFrom(Duration(seconds=600))
    table.options.clock.increment.CopyFrom(Duration(seconds=10))
    for number, name in enumerate(names):
        table.seats.add(
            seat=number,
            name=name,
            kind=game_pb2.SEAT_KIND_HUMAN if name else game_pb2.SEAT_KIND_OPEN,
            connected=bool(name),
            ready=bool(name),
            creator=number == 0,
        )
    return table


def mockup_model() -> Model:
    """The model whose screen the mock-ups show."""
    view = mockup_view()
    log: list[Play | ChatMessage] = [
        Play(number, play, NAMES[play.seat], calls=1 if number == 3 else 0)
        for number, play in enumerate(PLAYS)
    ]
    log.insert(2, ChatMessage(number=1, seat=2, name="Lena", text="leave me a green, please"))
    log.insert(5, ChatMessage(number=2, seat=1, name="Max", text="no promises"))
    return Model(
        settings=Settings(name="Ana"),
        screen=Screen.GAME,
        invite="192.168.1.20",
        line=Line(Link.CONNECTED, 0.0, "", 4),
        address="192.168.1.20",
        table=table_of(),
        seat=0,
        game=GameChanged("game", 100, view, (), False, message_for(view)),
        hand=Hand(
            tuple(Tile.parse(tile) for tile in RACK),
            chosen=0,
            anchor=parse_cell("G6"),
            direction=2,
        ),
        log=tuple(log),
        unread=2,
        since_turn=PLAYS[1:],
    )
