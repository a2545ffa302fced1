"""Messages in, new model out: the hand, the log, questions, forms, the mouse."""

from __future__ import annotations

from dataclasses import replace

from genial.client import messages as m
from genial.client import playing
from genial.client.commands import run_command
from genial.client.errors import HostUnreachableError
from genial.client.keys import BINDINGS, Action, Context, bindings_for, context_of, key_hints
from genial.client.model import (
    Ask,
    Hand,
    Model,
    Overlay,
    Play,
    Remark,
    Screen,
)
from genial.client.palette import Look
from genial.client.sentences import chat_sentence
from genial.client.settings import Settings
from genial.client.table_actions import BREATH_SECONDS
from genial.client.update import next_wake, update
from genial.client.updates import (
    ChatArrived,
    ConnectionChanged,
    GameChanged,
    Link,
    NumberedEvent,
    SessionEnded,
    TableChanged,
)
from genial.client.view.draw import draw
from genial.client.view.end import rematch_text
from genial.client.view.geometry import board_grid
from genial.engine.board import parse_cell
from genial.engine.hexgrid import DIRECTIONS
from genial.engine.moves import Phase
from genial.engine.tiles import Tile
from genial.engine.view import HiddenDraw, SeenRefilled
from genial.v1.table_pb2 import TABLE_STATE_OPEN, ChatMessage

from .game_scenes import closing, first_tile, players, seen
from .hands import press
from .lobby_scenes import lobby, new_table, room
from .positions import mockup_model, mockup_view, placed, table_of


def game(model: Model) -> GameChanged:
    assert model.game is not None
    return model.game


# --- the hand -----------------------------------------------------------------------


def test_moving_reaches_every_cell_and_stays_in_the_zone() -> None:
    for count in (2, 3, 4):
        model = players(count) if count < 4 else mockup_model()
        view = model.view
        assert view is not None
        zone = view.rules.zone
        reached = set()
        border = [model]
        while border:
            model = border.pop()
            if model.hand.anchor in reached:
                continue
            reached.add(model.hand.anchor)
            assert all(cell in zone for cell in model.hand.cells)
            border += [press(model, key)[0] for key in ("left", "right", "up", "down")]
        assert reached == set(zone.cells)


def test_up_and_down_keep_the_column() -> None:
    model = replace(mockup_model(), hand=Hand((Tile.parse("RB"),), 0, parse_cell("H8"), 0))
    columns = set()
    grid = board_grid(7, 80, 24)
    assert grid is not None
    for _step in range(6):
        columns.add(grid.origin(model.hand.anchor)[0])
        model, _ = press(model, "up")
    for _step in range(6):
        model, _ = press(model, "down")
    assert model.hand.anchor == parse_cell("H8")
    assert max(columns) - min(columns) == 2


def test_what_the_table_says_is_read_even_while_the_first_tile_is_explained() -> None:
    model = replace(first_tile(), log=(Remark("Max is away."),))
    rows = draw(model, 80, 24, Look()).text().split("\n")
    assert "Your first tile" in rows[21]
    assert "Max is away." in rows[22]
    said = ChatMessage(number=1, seat=1, name="Max", text="back")
    rows = draw(replace(model, log=(*model.log, said)), 80, 24, Look()).text().split("\n")
    assert 'Max "back"' in rows[22]
    # What was said before the last move is old.
    drew = Play(3, SeenRefilled(1, HiddenDraw(1)), "Max")
    rows = draw(replace(model, log=(*model.log, drew)), 80, 24, Look()).text().split("\n")
    assert "Max is away." not in rows[22]


def test_turning_goes_round() -> None:
    model = replace(mockup_model(), hand=Hand((Tile.parse("RB"),), 0, parse_cell("H8"), 0))
    seen_cells = []
    for _turn in range(6):
        seen_cells.append(model.hand.cells[1])
        model, _ = press(model, "r")
    assert len(set(seen_cells)) == 6
    assert model.hand.direction == 0
    assert press(model, "r", "R")[0].hand == model.hand


def test_turning_at_the_edge_skips_what_sticks_out() -> None:
    model = replace(mockup_model(), hand=Hand((Tile.parse("RB"),), 0, parse_cell("A8"), 0))
    for _turn in range(8):
        model, _ = press(model, "r")
        assert all(cell in mockup_view().rules.zone for cell in model.hand.cells)


def test_tiles_keep_their_slots() -> None:
    slots = tuple(Tile.parse(tile) for tile in ("GP", "RB", "OY", "OY", "RO", "BY"))
    rack = sorted(slots)
    assert playing.lay_out(slots, rack, 6) == slots
    without = tuple(tile for tile in rack if tile != Tile.parse("RB"))
    gap = playing.lay_out(slots, without, 6)
    assert gap == (slots[0], None, *slots[2:])
    full = playing.lay_out(gap, sorted((*without, Tile.parse("PP"))), 6)
    assert full == (slots[0], Tile.parse("PP"), *slots[2:])


def test_choosing() -> None:
    model = mockup_model()
    assert press(model, "3")[0].hand.chosen == 2
    assert press(model, "tab")[0].hand.chosen == 1
    gap = replace(model, hand=replace(model.hand, slots=(None, *model.hand.slots[1:]), chosen=1))
    after, _ = press(gap, "1")
    assert after.hand.chosen == 1
    assert "no tile 1" in after.notice
    assert press(gap, *["tab"] * 5)[0].hand.chosen == 1


def test_best_spots_come_in_order_and_match_the_engine() -> None:
    model = mockup_model()
    view = model.view
    assert view is not None
    tile = model.hand.tile
    assert tile is not None
    best = max(
        placement.total
        for placement in view.scored_placements()
        if placement.tile.canonical == tile
    )
    earned = []
    model, _ = press(model, "right", "right")
    for _press in range(5):
        model, _ = press(model, "*")
        ghost = model.ghost()
        assert ghost is not None
        assert ghost.refusal is None
        earned.append(sum(ghost.points))
    assert earned[0] == best
    assert earned == sorted(earned, reverse=True)


def test_every_best_spot_is_shown_once() -> None:
    model = first_tile()
    view = model.view
    assert view is not None
    count = len(playing.best_spots(view, model.hand.tile or Tile.parse("RB")))
    shown = set()
    for _press in range(count):
        model, _ = press(model, "*")
        shown.add(model.hand.cells)
    assert len(shown) == count


def test_hints_can_be_forbidden() -> None:
    model = mockup_model()
    game(model).message.hints_allowed = False
    assert press(model, "*")[0].hand == model.hand
    assert not press(model, "h")[0].heat
    assert "best spot" not in [label for _key, label in key_hints(model, 200)]


# --- placing and ending the turn ----------------------------------------------------


def test_enter_places_once() -> None:
    model, effects = press(mockup_model(), "enter", "enter")
    assert effects == [
        m.Place(Tile.parse("GP"), (parse_cell("G6"), parse_cell("H5"))),
    ]
    assert model.busy
    assert not update(model, m.Failed("no"))[0].busy


def test_confirming_can_be_undone() -> None:
    model = replace(mockup_model(), settings=Settings(confirm=True))
    once, effects = press(model, "enter")
    assert not effects
    assert once.hand.fixed
    back, effects = press(once, "escape")
    assert not back.hand.fixed
    assert not effects
    moved, _ = press(once, "left")
    assert not moved.hand.fixed
    _, effects = press(once, "enter")
    assert len(effects) == 1


def test_illegal_spots_say_why_and_send_nothing() -> None:
    model = replace(
        mockup_model(), hand=replace(mockup_model().hand, anchor=parse_cell("G4"), direction=0)
    )
    after, effects = press(model, "enter")
    assert not effects
    assert "G4" in after.notice


def test_exchange_is_asked_about() -> None:
    model = closing()
    asked, effects = press(model, "x")
    assert asked.question is Ask.EXCHANGE
    assert not effects
    assert press(asked, "n")[1] == []
    assert press(asked, "y")[1] == [m.Exchange()]
    assert press(model, "f")[1] == [m.Refill()]
    assert press(model, "enter")[1] == []


def test_refill_by_itself_when_there_is_no_choice() -> None:
    model = mockup_model()
    view = replace(mockup_view(), phase=Phase.CLOSE, may_exchange=False, revision=101)
    changed = GameChanged("game", 101, view, (), False, game(model).message)
    after, effects = update(model, changed)
    assert m.Refill() in effects
    assert after.busy
    by_hand = replace(model, settings=Settings(auto_refill=False))
    _, effects = update(by_hand, changed)
    assert m.Refill() not in effects
    choice = replace(changed, view=replace(view, may_exchange=True))
    _, effects = update(model, choice)
    assert m.Refill() not in effects


def test_bell_rings_once_when_the_turn_comes() -> None:
    model = seen(mockup_model(), replace(mockup_view(), turn=2))
    mine = GameChanged("game", 101, mockup_view(), (), False, game(model).message)
    after, effects = update(model, mine)
    assert effects == (m.Ring(),)
    assert update(after, replace(mine, revision=102))[1] == ()
    quiet = replace(model, settings=Settings(bell=False))
    assert update(quiet, mine)[1] == ()


# --- what is heard ------------------------------------------------------------------


def test_others_moves_since_my_turn() -> None:
    model = replace(mockup_model(), since_turn=(), log=())
    theirs = placed(1, "RR", "D9 D10", "R2", (4,) * 6)
    mine = placed(0, "OY", "I8 I9", "O1", (1,) * 6)
    refill = SeenRefilled(1, HiddenDraw(1))
    events = (
        NumberedEvent(101, mine, None),
        NumberedEvent(102, theirs, None),
        NumberedEvent(103, refill, None),
    )
    changed = GameChanged("game", 103, mockup_view(), events, False, game(model).message)
    after, _ = update(model, changed)
    assert after.since_turn == (theirs,)
    assert len(after.log) == 3
    assert after.race[1] == (4,)


def test_a_new_game_starts_afresh() -> None:
    model = replace(mockup_model(), race={0: (1, 2)}, heat=True, screen=Screen.END)
    changed = GameChanged("other", 4, mockup_view(), (), False, game(model).message)
    after, _ = update(model, changed)
    assert after.screen is Screen.GAME
    assert after.race == {}
    assert not after.since_turn
    assert not after.heat


def test_chat_counts_what_is_unread() -> None:
    model = replace(mockup_model(), unread=0)
    theirs = ChatMessage(number=9, seat=1, name="Max", text="hello")
    mine = ChatMessage(number=10, seat=0, name="Ana", text="hello")
    after, _ = update(model, ChatArrived((theirs, mine), False))
    assert after.unread == 1
    assert press(after, "l")[0].unread == 0
    assert press(after, "c")[0].unread == 0


def test_chat_of_a_spectator_has_somebody_who_said_it() -> None:
    said = ChatMessage(number=9, text="Go on!")
    after, _ = update(mockup_model(), ChatArrived((said,), False))
    assert draw(after, 80, 24, Look()).text().split("\n")[22].startswith(' guest "Go on!"')
    assert chat_sentence(said) == "A spectator says: Go on!"


def test_lost_line_and_back() -> None:
    model = mockup_model()
    lost, _ = update(model, ConnectionChanged(Link.RECONNECTING, "gone", 5.0))
    assert next_wake(replace(lost, now=7.5, heard=7.5)) is not None
    back, _ = update(lost, ConnectionChanged(Link.CONNECTED, "", 9.0))
    assert back.line.link is Link.CONNECTED


def test_session_end_leaves_the_table_but_not_the_ranking() -> None:
    error = HostUnreachableError("UNREACHABLE", sentence="The host is gone.")
    assert update(mockup_model(), SessionEnded(error))[1] == (m.Detach(error),)
    ended = replace(mockup_model(), screen=Screen.END)
    after, effects = update(ended, SessionEnded(error))
    assert effects == ()
    assert after.notice == "The host is gone."


def test_table_changes_are_remarked() -> None:
    before = table_of(("Ana", "", "Lena", "Tom"))
    after = table_of()
    model, _ = update(replace(mockup_model(), log=()), TableChanged(after, before))
    assert "Max" in str(model.log[-1])


def test_seat_that_a_bot_plays_is_taken_back_by_a_key_or_a_command() -> None:
    table = table_of()
    table.seats[0].stand_in = True
    model = mockup_model()
    view = replace(game(model).view, viewer=None)
    model = replace(model, table=table, game=replace(game(model), view=view))
    assert context_of(model) is Context.WATCHING
    assert ("Enter", "play on yourself") in key_hints(model, 80)
    assert "a bot plays for you now" in draw(model, 80, 24, Look()).text()
    assert press(model, "enter")[1] == [m.TakeBack()]
    assert run_command(model, "back", no_press) == (model, (m.TakeBack(),))
    table.seats[0].stand_in = False
    back = replace(model, table=table)
    assert press(back, "enter")[1] == []
    assert run_command(back, "back", no_press)[1] == ()


def test_enter_that_the_end_has_overtaken_asks_for_no_rematch() -> None:
    ended = replace(mockup_model(), screen=Screen.END, heard=10.0, now=10.1)
    assert press(ended, "enter")[1] == []
    assert press(replace(ended, now=10.0 + BREATH_SECONDS), "enter")[1] == [m.Rematch()]


def test_between_two_games_of_a_match_nobody_is_waited_for() -> None:
    table = table_of(state=TABLE_STATE_OPEN)
    table.options.games, table.game_number, table.next_first_seat = 3, 2, 1
    for seat in table.seats:
        seat.ready = False
    model = replace(mockup_model(), table=table)
    assert rematch_text(model) == "Game 2 of 3 follows by itself. Max will begin."
    table.game_number = 1
    assert "Waiting for you, Max" in rematch_text(model)


def no_press(model: Model, action: Action, key: str) -> tuple[Model, tuple[m.Effect, ...]]:
    raise AssertionError("nothing is pressed")


def test_nothing_wakes_an_idle_screen() -> None:
    model = players(2)
    assert next_wake(model) is None
    assert next_wake(room()) is None


# --- keys and mouse -----------------------------------------------------------------


def test_no_key_means_two_things_at_once() -> None:
    for model in (
        mockup_model(),
        closing(),
        lobby(),
        room(),
        replace(mockup_model(), screen=Screen.END),
        replace(mockup_model(), overlay=Overlay.HELP),
        replace(mockup_model(), question=Ask.QUIT),
        new_table(),
    ):
        keys = [key for binding in bindings_for(model) for key in binding.keys]
        assert len(keys) == len(set(keys))
        assert key_hints(model, 80)


def test_every_action_has_a_key() -> None:
    assert {binding.action for binding in BINDINGS} == set(Action)


def test_hover_and_click_on_every_cell() -> None:
    for width, height in ((80, 24), (120, 40)):
        model, _ = update(mockup_model(), m.Resized(width, height))
        grid = board_grid(7, width, height)
        assert grid is not None
        zone = mockup_view().rules.zone
        for cell in zone.cells:
            x, y = grid.origin(cell)
            over, _ = update(model, m.Mouse(m.Button.MOVE, x + 1, y + (1 if height > 24 else 0)))
            assert over.hand.anchor == cell
            assert all(part in zone for part in over.hand.cells)
    off = replace(model, settings=Settings(mouse=False))
    assert update(off, m.Mouse(m.Button.MOVE, 40, 8))[0] == off


def test_mouse_places_turns_and_chooses() -> None:
    model = mockup_model()
    grid = board_grid(7, 80, 24)
    assert grid is not None
    x, y = grid.origin(parse_cell("G6"))
    _, effects = update(model, m.Mouse(m.Button.DOWN, x, y))
    assert effects == (m.Place(Tile.parse("GP"), (parse_cell("G6"), parse_cell("H5"))),)
    x, y = grid.origin(parse_cell("I9"))
    moved, effects = update(model, m.Mouse(m.Button.DOWN, x, y))
    assert effects == ()
    assert moved.hand.anchor == parse_cell("I9")
    turned, _ = update(model, m.Mouse(m.Button.WHEEL_DOWN, x, y))
    assert turned.hand.direction == (model.hand.direction + 1) % 6
    chosen, _ = update(model, m.Mouse(m.Button.DOWN, 63, 17))
    assert chosen.hand.chosen == 1
    again, _ = update(chosen, m.Mouse(m.Button.DOWN, 63, 17))
    assert again.hand.direction != chosen.hand.direction


def test_the_last_row_can_be_clicked() -> None:
    model = closing()
    asked, _ = update(model, m.Mouse(m.Button.DOWN, 2, 23))
    assert asked.question is Ask.EXCHANGE
    _, effects = update(asked, m.Mouse(m.Button.DOWN, 1, 23))
    assert effects == (m.Exchange(),)
    helped, _ = update(lobby(), m.Mouse(m.Button.DOWN, 66, 23))
    assert helped.overlay is Overlay.HELP


def test_tables_can_be_clicked() -> None:
    model = lobby()
    chosen, _ = update(model, m.Mouse(m.Button.DOWN, 10, 8))
    assert chosen.browse.selected == 2
    _, effects = update(chosen, m.Mouse(m.Button.DOWN, 10, 8))
    assert effects == (m.Sit("192.168.1.21", "Balcony", "Lena"),)
    _, effects = update(model, m.Mouse(m.Button.DOWN, 10, 3))
    assert effects == (m.Sit("192.168.1.24", "g", "Lena"),)


def test_directions_match_the_engine() -> None:
    assert len(DIRECTIONS) == 6
