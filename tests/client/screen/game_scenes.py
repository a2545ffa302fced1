"""Models of a table in its game, and after it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from google.protobuf.timestamp_pb2 import Timestamp

from genial.client.app import opened_message
from genial.client.model import (
    Ask,
    Celebration,
    Entry,
    Hand,
    Line,
    Model,
    Overlay,
    Purpose,
    Remark,
    Screen,
)
from genial.client.record_files import open_record
from genial.client.replaying import go
from genial.client.settings import Settings
from genial.client.update import update
from genial.client.updates import DealVerdict, GameChanged, Link
from genial.engine.board import Board, parse_cell
from genial.engine.moves import Ended, Phase
from genial.engine.rules import EndReason, Mode, Rules, SeatKind
from genial.engine.tiles import Symbol, Tile
from genial.engine.view import PlayerView, SeatView
from genial.v1 import game_pb2
from genial.v1.game_service_pb2 import GameSummary
from genial.v1.table_pb2 import (
    TABLE_STATE_SHELVED,
)

from .positions import (
    NAMES,
    message_for,
    mockup_model,
    mockup_view,
    placed,
    table_of,
    track_of,
)

VECTORS = Path(__file__).parents[2] / "vectors" / "good"


def seen(model: Model, view: PlayerView, clock: int | None = 522) -> Model:
    """The model with another view of the game."""
    game = GameChanged("game", view.revision, view, (), False, message_for(view, clock))
    return replace(model, game=game, seat=view.viewer, watching=view.viewer is None)


def board_screen() -> Model:
    model = mockup_model()
    return replace(
        model, log=tuple(e for e in model.log if getattr(e, "text", "") != "no promises")
    )


def players(count: int) -> Model:
    """A position of two or three players in the middle of their game."""
    rules = Rules(players=count)
    board = Board.start(rules.zone)
    for tile, cells in (("RB", "D8 D9"), ("GG", "D13 E12"), ("YO", "L4 L5"), ("PP", "H4 H5")):
        one, other = (parse_cell(cell) for cell in cells.split())
        board = board.place(Tile.parse_oriented(tile), (one, other))
    tracks = (
        track_of("R1 G3 B0 O2 Y4 P7"),
        track_of("R4 G2 B5 O0 Y1 P2"),
        track_of("R0 G0 B3 O4 Y2 P6"),
    )
    latest = placed(1, "PP", "H4 H5", "P3", tracks[1])
    view = PlayerView(
        rules=rules,
        revision=12,
        seats=tuple(
            SeatView(
                NAMES[seat],
                SeatKind.HUMAN if seat != 1 else SeatKind.BOT,
                "medium" if seat == 1 else None,
                tracks[seat],
                6,
                False,
                latest if seat == 1 else None,
            )
            for seat in range(count)
        ),
        first_seat=0,
        board=board,
        bag_count=120 - 8 - 6 * count,
        turn=0,
        phase=Phase.PLACE,
        bonus_owed=0,
        claimed=frozenset(Symbol),
        started=frozenset(range(count)),
        last_mover=1,
        ended=None,
        viewer=0,
        rack=tuple(Tile.parse(tile) for tile in ("RG", "RP", "GB", "BO", "OY", "YP")),
        may_exchange=False,
    )
    model = seen(mockup_model(), view, clock=None)
    hand = Hand(view.rack, 4, parse_cell("L6"), 4)
    return replace(
        model,
        table=table_of(NAMES[:count]),
        hand=hand,
        log=model.log[-3:],
        since_turn=(latest,),
        unread=0,
    )


def first_tile() -> Model:
    """Nothing placed yet: only cells near the start symbols can be reached."""
    rules = Rules(players=2)
    model = players(2)
    view = model.view
    assert view is not None
    fresh = replace(
        view,
        board=Board.start(rules.zone),
        seats=tuple(replace(seat, track=(0,) * 6, latest=None) for seat in view.seats),
        claimed=frozenset(),
        started=frozenset(),
        last_mover=None,
        bag_count=108,
    )
    model = seen(model, fresh, clock=None)
    return replace(
        model, hand=Hand(view.rack, 0, parse_cell("D8"), 0), log=(), since_turn=(), unread=0
    )


def illegal() -> Model:
    model = board_screen()
    return replace(model, hand=replace(model.hand, anchor=parse_cell("G4"), direction=0))


def heat() -> Model:
    return replace(board_screen(), heat=True)


def closing() -> Model:
    view = replace(
        mockup_view(),
        phase=Phase.CLOSE,
        may_exchange=True,
        rack=tuple(Tile.parse(tile) for tile in ("GP", "OY", "OY", "GO", "PY")),
    )
    model = seen(board_screen(), view)
    slots = ("GP", None, "OY", "OY", "GO", "PY")
    return replace(
        model,
        hand=Hand(tuple(Tile.parse(tile) if tile else None for tile in slots)),
        since_turn=(),
    )


def asked() -> Model:
    return replace(closing(), question=Ask.EXCHANGE)


def bonus() -> Model:
    view = replace(mockup_view(), phase=Phase.BONUS, bonus_owed=1)
    model = seen(board_screen(), view)
    return replace(model, celebration=Celebration("Ana", True, (Symbol.P,), 5.0))


def reconnecting() -> Model:
    return replace(board_screen(), line=Line(Link.RECONNECTING, 0.0, "", 4), now=3.2, heard=3.2)


def spectator() -> Model:
    view = replace(mockup_view(), viewer=None, rack=(), turn=1)
    return replace(seen(board_screen(), view), hand=Hand())


def waiting() -> Model:
    return seen(board_screen(), replace(mockup_view(), turn=2))


def put_away() -> Model:
    """A table whose game waits for another evening, as one of its players sees it."""
    model = board_screen()
    table = table_of(state=TABLE_STATE_SHELVED)
    assert model.game is not None
    model.game.message.clocks_paused = True
    return replace(model, table=table, log=(*model.log, Remark("The table is put away.")))


def pause_asked() -> Model:
    """Max and Tom ask to pause the clocks."""
    model = waiting()
    table = table_of()
    for seat in (1, 3):
        table.seats[seat].agrees_to_pause = True
    return replace(model, table=table)


def paused() -> Model:
    model = pause_asked()
    assert model.table is not None
    assert model.game is not None
    for seat in model.table.seats:
        seat.agrees_to_pause = True
    model.game.message.clocks_paused = True
    return replace(model, log=(*model.log, Remark("The clocks are paused.")))


def partners() -> Model:
    view = mockup_view()
    rules = Rules(mode=Mode.PARTNERS, players=4)
    joint = (track_of("R9 G18 B7 O21 Y14 P36"), track_of("R11 G25 B4 O17 Y12 P30"))
    seats = tuple(replace(seat, track=joint[number % 2]) for number, seat in enumerate(view.seats))
    return seen(board_screen(), replace(view, rules=rules, seats=seats))


def solitaire() -> Model:
    model = players(2)
    view = model.view
    assert view is not None
    rules = Rules(mode=Mode.SOLO, players=1)
    alone = replace(
        view,
        rules=rules,
        seats=view.seats[:1],
        rack=(Tile.parse("OY"),),
        started=frozenset((0,)),
        last_mover=None,
        bag_count=114,
    )
    model = seen(model, alone, clock=None)
    return replace(
        model,
        table=table_of(NAMES[:1]),
        hand=Hand((Tile.parse("OY"),), 0, parse_cell("L6"), 4),
        log=(),
        since_turn=(),
        unread=0,
    )


def end() -> Model:
    """The mock-ups' end of the game: Ana wins by her weakest colour."""
    tracks = (
        track_of("Y11 B12 R18 G18 O18 P18"),
        track_of("O7 Y12 B14 R18 G18 P18"),
        track_of("Y8 B11 O12 R18 G18 P18"),
        track_of("O10 B12 Y13 G16 R18 P18"),
    )
    view = mockup_view()
    rules = view.rules
    packed = bytearray(view.board.packed())
    # 75 tiles: a board on which nothing fits any more.
    free = [index for index, content in enumerate(packed) if not content]
    for number, index in enumerate(free[: 2 * 75 - (len(packed) - 6 - len(free))]):
        packed[index] = number % 6 + 1
    ended = Ended(EndReason.BOARD_FULL, ((0,), (3,), (2,), (1,)), tracks)
    view = replace(
        view,
        board=Board.unpack(rules.zone, bytes(packed)),
        seats=tuple(
            replace(seat, track=track) for seat, track in zip(view.seats, tracks, strict=True)
        ),
        phase=Phase.OVER,
        ended=ended,
    )
    table = table_of()
    table.next_first_seat = 1
    for seat in table.seats:
        seat.ready = seat.seat in (1, 2)
    for name, won in (("Ana", 24), ("Tom", 0), ("Lena", 0), ("Max", 0)):
        table.standings.add(name=name, won_twelfths=won)
    model = seen(mockup_model(), view)
    game = model.game
    assert game is not None
    game.message.match_game = 2
    game.message.match_games = 3
    race = {
        0: (0,) * 11 + (0, 2, 5, 6, 9, 9, 10, 11),
        3: (0,) * 7 + (1, 1, 1, 1, 5, 5, 5, 6, 8, 8, 9, 10)[:11],
        2: (0,) * 7 + (2, 2, 2, 5, 5, 6, 6, 8, 8, 8),
        1: (0,) * 9 + (0, 0, 4, 5, 5, 6, 7, 7, 7),
    }
    return replace(
        model,
        screen=Screen.END,
        table=table,
        race=race,
        verdict=DealVerdict(
            "game", True, (), Path("/home/ana/genial/2026-11-29-kitchen-2.genial"), None
        ),
        invite="",
    )


# The beginning of what comes of looking at the first vector for two.
REVIEW = """\
In brackets: the chances of winning of P0, P1, as all racks tell.

   3  P0: OO L8 L9 (O 2) 52%  [59% 41%]
   5  P1: RP H4 I3 (P 1) 38%  [57% 43%]
   7  P0: BP I4 J3 (P 2) 49%  [61% 39%]  -3%: left P open for the other side
        better: PB J3 K3 (P 2) 52%
   9  P1: RB H5 I5 (R 1, B 1) 34%  [55% 45%]  -2%: spoilt its own lines in Y
        better: GY K3 L3 (Y 1) 36%
        better: OY K3 L3 (Y 1) 36%
        better: RB G5 H5 (R 1, B 1) 36%
  11  P0: RB H6 I6 (R 2, B 2) 58%  [61% 39%]
  13  P1: GO J11 K10 (O 2) 31%  [64% 36%]
  15  P0: GO J10 K9 (G 1, O 3) 60%  [69% 31%]  -2%: left R open for the other side
        better: RO H7 H8 (R 3) 62%
  17  P1: YG I10 I11 (G 2) 23%  [72% 28%]  -7%: spoilt its own lines in R
        better: YO J9 K8 (O 4) 29%
        better: OY K8 L7 (O 4) 29%
        better: YO K7 K8 (O 4) 29%
"""


def review() -> Model:
    """A finished game looked at again."""
    return replace(over(Overlay.REVIEW, end()), review=tuple(REVIEW.splitlines()))


def chatting() -> Model:
    return replace(board_screen(), entry=Entry(Purpose.CHAT, "not that one", 12), unread=0)


def over(overlay: Overlay, model: Model | None = None) -> Model:
    return replace(model or board_screen(), overlay=overlay)


def replaying() -> Model:
    """The third vector, in the middle of the game."""
    opened = open_record(VECTORS / "free-4-genial-greedy-9.genial")
    model, _effects = update(Model(settings=Settings(name="Ana")), opened_message(opened))
    return go(model, 120)


def lesson() -> Model:
    return replace(first_tile(), lesson=3)


def history() -> Model:
    games = tuple(
        GameSummary(
            game_id=str(number),
            state=game_pb2.GAME_STATE_RUNNING if number == 0 else game_pb2.GAME_STATE_FINISHED,
            started_at=Timestamp(seconds=1_796_000_000 - 5000 * number),
            names=("Ana", "Max", "Lena", "Tom")[: 2 + number % 3],
            ranking=[] if number == 0 else [game_pb2.RankGroup(seats=[number % 2])],
        )
        for number in range(4)
    )
    return replace(over(Overlay.HISTORY), history=games, scroll=1)
