"""What each action of the key table does to the model. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from genial.client import doors, playing, replaying
from genial.client.commands import run_command
from genial.client.form import (
    NAME,
    change_settings,
    change_table,
)
from genial.client.hearing import Step
from genial.client.keys import Action, Context, context_of
from genial.client.lessons import go_on
from genial.client.messages import (
    AskGames,
    AskHint,
    AskReview,
    BeginLessons,
    Connect,
    Detach,
    Exchange,
    Keep,
    LeaveTable,
    OpenRecord,
    Place,
    ProposeEnd,
    Quit,
    Refill,
    ResignGame,
    Say,
    Shelve,
)
from genial.client.model import Ask, Model, Overlay, Purpose, Screen
from genial.client.sentences import refused_sentence
from genial.client.table_actions import TABLE_ACTIONS, create, enter_text
from genial.client.text import _
from genial.client.view.form import form_fields
from genial.client.view.geometry import MIN_HEIGHT, MIN_WIDTH
from genial.client.view.page import last_scroll
from genial.v1 import game_pb2

THE_END: Final = 10**6
"""As a line to scroll to: the last page, whatever there is."""

Act = Callable[[Model, str], Step]


def press(model: Model, action: Action, key: str = "") -> Step:
    """The model after an action, whether it came from a key or the mouse."""
    model = replace(model, notice="")
    return _ACTIONS[action](model, key)


def _up(model: Model, key: str) -> Step:
    return _vertical(model, down=False)


def _down(model: Model, key: str) -> Step:
    return _vertical(model, down=True)


def _vertical(model: Model, *, down: bool) -> Step:
    step = 1 if down else -1
    match context_of(model):
        case Context.READING:
            return _scrolled(model, step), ()
        case Context.LISTING:
            games = len(model.history or ())
            return replace(model, scroll=max(0, min(games - 1, model.scroll + step))), ()
        case Context.FORM:
            lines = len(form_fields(model))
            return replace(model, scroll=(model.scroll + step) % lines), ()
        case Context.BROWSE:
            browse = model.browse
            selected = max(0, min(len(browse.rows) - 1, browse.selected + step))
            return replace(model, browse=replace(browse, selected=selected)), ()
        case _:
            view = model.view
            if view is None:
                return model, ()
            zone = view.rules.zone
            hand = model.hand
            moved = playing.move(hand, playing.vertical(hand, down), zone)
            if moved == hand:
                # At the edge only the other of the two diagonals stays on the board.
                for other in ((-1, 1), (0, 1)) if down else ((0, -1), (1, -1)):
                    moved = playing.move(hand, other, zone)
                    if moved != hand:
                        break
            return replace(model, hand=moved), ()


def _changed(model: Model, step: int) -> Step:
    """Another value in the chosen line of the form."""
    fields = form_fields(model)
    field = fields[min(model.scroll, len(fields) - 1)]
    if model.overlay is Overlay.SETTINGS:
        settings = change_settings(model.settings, field, step)
        return replace(model, settings=settings), (Keep(settings),)
    if field.key == NAME:
        return enter_text(Purpose.TABLE, model.form.name)(model, "")
    return replace(model, form=change_table(model.form, field, step)), ()


def _mover(q: int, r: int) -> Callable[[Model, str], Step]:
    def move(model: Model, key: str) -> Step:
        if context_of(model) is Context.FORM:
            return _changed(model, q)
        if model.reel is not None and context_of(model) is Context.REPLAY:
            return replaying.go(model, model.reel.at + q), ()
        view = model.view
        if view is None:
            return model, ()
        return replace(model, hand=playing.move(model.hand, (q, r), view.rules.zone)), ()

    return move


def _page(step: int) -> Callable[[Model, str], Step]:
    def page(model: Model, key: str) -> Step:
        if model.reel is not None and context_of(model) is Context.REPLAY:
            return replaying.go(model, model.reel.at + step * replaying.PAGE), ()
        return _scrolled(model, step * max(1, model.height - 5)), ()

    return page


def _scrolled(model: Model, lines: int) -> Model:
    """A page so many lines further; at its end it stays there, though more lines come."""
    last = last_scroll(model)
    scroll = max(0, min(model.scroll, last) + lines)
    return replace(model, scroll=scroll if scroll < last else THE_END)


def _scroll_to(line: int) -> Callable[[Model, str], Step]:
    def scroll(model: Model, key: str) -> Step:
        if model.reel is not None and context_of(model) is Context.REPLAY:
            return replaying.go(model, line), ()
        return replace(model, scroll=line), ()

    return scroll


def _choose(model: Model, key: str) -> Step:
    slot = int(key) - 1
    if slot >= len(model.hand.slots) or model.hand.slots[slot] is None:
        return replace(model, notice=_("There is no tile {number}.").format(number=key)), ()
    return replace(model, hand=playing.choose(model.hand, slot)), ()


def _next_tile(model: Model, key: str) -> Step:
    return replace(model, hand=playing.choose_next(model.hand)), ()


def _turner(step: int) -> Callable[[Model, str], Step]:
    def turn(model: Model, key: str) -> Step:
        view = model.view
        if view is None:
            return model, ()
        return replace(model, hand=playing.turn(model.hand, step, view.rules.zone)), ()

    return turn


def _place(model: Model, key: str) -> Step:
    view, tile = model.view, model.hand.tile
    if view is None or tile is None or model.busy:
        return model, ()
    cells = model.hand.cells
    refused = view.refusal_for(tile, cells)
    if refused is not None:
        return replace(model, notice=refused_sentence(refused)), ()
    if model.settings.confirm and not model.hand.fixed:
        fixed = replace(model.hand, fixed=True)
        question = _("Enter again places it; Esc takes it back.")
        return replace(model, hand=fixed, notice=question), ()
    hand = replace(model.hand, fixed=False)
    return replace(model, busy=True, hand=hand), (Place(tile, cells),)


def _undo(model: Model, key: str) -> Step:
    return replace(model, hand=replace(model.hand, fixed=False)), ()


def _best(model: Model, key: str) -> Step:
    view = model.view
    if view is None:
        return model, ()
    hand, rank = playing.next_best(model.hand, view)
    if rank is None:
        return replace(model, notice=_("This tile fits nowhere.")), ()
    notice = "" if rank == 1 else _("Best spot number {rank}.").format(rank=rank)
    return replace(model, hand=hand, notice=notice), ()


def _heat(model: Model, key: str) -> Step:
    return replace(model, heat=not model.heat), ()


def _tracks(model: Model, key: str) -> Step:
    settings = replace(model.settings, weakest_first=not model.settings.weakest_first)
    return replace(model, settings=settings), (Keep(settings),)


def _mouse(model: Model, key: str) -> Step:
    settings = replace(model.settings, mouse=not model.settings.mouse)
    said = (
        _("The mouse plays again.")
        if settings.mouse
        else _("The mouse is off: now it selects text, as in any terminal.")
    )
    return replace(model, settings=settings, notice=said), (Keep(settings),)


def _exchange(model: Model, key: str) -> Step:
    return replace(model, question=Ask.EXCHANGE), ()


def _refill(model: Model, key: str) -> Step:
    if model.busy:
        return model, ()
    return replace(model, busy=True), (Refill(),)


def _open(overlay: Overlay) -> Callable[[Model, str], Step]:
    def open_it(model: Model, key: str) -> Step:
        # The log opens at its newest line.
        scroll = THE_END if overlay is Overlay.LOG else 0
        unread = 0 if overlay is Overlay.LOG else model.unread
        return replace(model, overlay=overlay, scroll=scroll, unread=unread), ()

    return open_it


def _close(model: Model, key: str) -> Step:
    if model.door is not None:
        return doors.left(model), ()
    if model.entry is not None:
        return replace(model, entry=None), ()
    return replace(model, overlay=None, question=None), ()


def _leave(model: Model, key: str) -> Step:
    if model.screen is Screen.REPLAY:
        if model.game is None:
            return model, (Quit(),)
        over = model.game.view.is_over
        return replace(model, screen=Screen.END if over else Screen.GAME, reel=None), ()
    if model.screen is Screen.BROWSE:
        return model, (Quit(),)
    if model.lesson is not None:
        return model, (Detach(),)
    if model.width < MIN_WIDTH or model.height < MIN_HEIGHT:
        # Nothing could be asked in a window of this size.
        return model, (Detach(),)
    if model.shelved:
        # Nothing is given up: the seat stays ours for as long as the table is put away.
        return model, (Detach(),)
    if model.quit_warning and _others_here(model):
        return replace(model, question=Ask.QUIT), ()
    if model.screen is Screen.GAME and model.seat is not None:
        return replace(model, question=Ask.LEAVE_GAME), ()
    if model.screen is Screen.ROOM and model.seat is not None:
        return replace(model, question=Ask.LEAVE_TABLE), ()
    return model, (Detach(),)


def _others_here(model: Model) -> bool:
    """Whether other people sit at our table."""
    table = model.table
    return table is not None and any(
        seat.kind == game_pb2.SEAT_KIND_HUMAN and seat.seat != model.seat for seat in table.seats
    )


def _yes(model: Model, key: str) -> Step:
    question = model.question
    if question is Ask.FINGERPRINT:
        return doors.compared(model)
    model = replace(model, question=None)
    match question:
        case Ask.LEAVE_GAME:
            return model, (Detach(),)
        case Ask.LEAVE_TABLE:
            return model, (LeaveTable(),)
        case Ask.QUIT:
            return model, (Quit(),)
        case Ask.RESIGN:
            return model, (ResignGame(),)
        case Ask.END_GAME:
            return model, (ProposeEnd(),)
        case Ask.SHELVE:
            return model, (Shelve(),)
        case Ask.EXCHANGE if not model.busy:
            return replace(model, busy=True), (Exchange(),)
        case _:
            return model, ()


def _no(model: Model, key: str) -> Step:
    if model.door is not None:
        return doors.left(model), ()
    return replace(model, question=None), ()


def _enter(model: Model, key: str) -> Step:
    entry = model.entry
    if entry is None:
        if model.overlay is Overlay.NEW_TABLE:
            return create(model)
        return replace(model, overlay=None), ()
    if entry.purpose in (Purpose.PASSWORD, Purpose.FINGERPRINT):
        return doors.typed(model, entry.text)
    model = replace(model, entry=None)
    text = " ".join(entry.text.split())
    if entry.purpose is Purpose.TABLE:
        return replace(model, form=replace(model.form, name=text)), ()
    if not text:
        return model, ()
    match entry.purpose:
        case Purpose.CHAT:
            return model, (Say(text),)
        case Purpose.NAME:
            settings = replace(model.settings, name=text)
            pending, model = model.pending, replace(model, settings=settings, pending="")
            if not pending:
                return model, (Keep(settings),)
            model, effects = press(model, Action(pending))
            return model, (Keep(settings), *effects)
        case Purpose.ADDRESS:
            said = _("Asking {address}").format(address=text)
            return replace(model, notice=said, busy=True), (Connect(text),)
        case Purpose.COMMAND:
            return run_command(model, text, press)
    raise AssertionError(entry.purpose)


def _view_board(model: Model, key: str) -> Step:
    return replace(model, show_board=not model.show_board), ()


def _next_move(model: Model, key: str) -> Step:
    reel = model.reel
    return (model if reel is None else replaying.go(model, reel.replay.next_move(reel.at))), ()


def _previous_move(model: Model, key: str) -> Step:
    reel = model.reel
    return (model if reel is None else replaying.go(model, reel.replay.previous_move(reel.at))), ()


def _play(model: Model, key: str) -> Step:
    return replaying.play_or_stop(model), ()


def _lessons(model: Model, key: str) -> Step:
    return model, (BeginLessons(),)


def _go_on(model: Model, key: str) -> Step:
    return go_on(model), ()


def _hint(model: Model, key: str) -> Step:
    if model.busy:
        return model, ()
    return replace(model, busy=True, notice=_("Thinking")), (AskHint(),)


def _review(model: Model, key: str) -> Step:
    if model.busy:
        return model, ()
    said = _("Looking at every placement of the game")
    return replace(model, busy=True, notice=said), (AskReview(),)


def _history(model: Model, key: str) -> Step:
    return replace(model, overlay=Overlay.HISTORY, scroll=0, history=None), (AskGames(),)


def _replay(model: Model, key: str) -> Step:
    """The chosen game of the list, or the one that has just ended."""
    if model.busy:
        return model, ()
    if model.overlay is Overlay.HISTORY:
        games = model.history or ()
        if model.scroll >= len(games):
            return model, ()
        game_id = games[model.scroll].game_id
    elif model.game is not None:
        game_id = model.game.game_id
    else:
        return model, ()
    return replace(model, busy=True), (OpenRecord(game_id),)


_ACTIONS: Final[dict[Action, Callable[[Model, str], Step]]] = {
    **TABLE_ACTIONS,
    Action.LEFT: _mover(-1, 0),
    Action.RIGHT: _mover(1, 0),
    Action.UP: _up,
    Action.DOWN: _down,
    Action.UP_LEFT: _mover(0, -1),
    Action.UP_RIGHT: _mover(1, -1),
    Action.DOWN_LEFT: _mover(-1, 1),
    Action.DOWN_RIGHT: _mover(0, 1),
    Action.PAGE_UP: _page(-1),
    Action.PAGE_DOWN: _page(1),
    Action.FIRST: _scroll_to(0),
    Action.LAST: _scroll_to(THE_END),
    Action.CHOOSE: _choose,
    Action.NEXT_TILE: _next_tile,
    Action.TURN: _turner(1),
    Action.TURN_BACK: _turner(-1),
    Action.PLACE: _place,
    Action.UNDO: _undo,
    Action.BEST: _best,
    Action.HEAT: _heat,
    Action.TRACKS: _tracks,
    Action.EXCHANGE: _exchange,
    Action.REFILL: _refill,
    Action.CHAT: enter_text(Purpose.CHAT),
    Action.LOG: _open(Overlay.LOG),
    Action.COMMAND: enter_text(Purpose.COMMAND),
    Action.HELP: _open(Overlay.HELP),
    Action.RULES: _open(Overlay.RULES),
    Action.SETTINGS: _open(Overlay.SETTINGS),
    Action.MOUSE: _mouse,
    Action.LEAVE: _leave,
    Action.NAME: enter_text(Purpose.NAME),
    Action.VIEW_BOARD: _view_board,
    Action.YES: _yes,
    Action.NO: _no,
    Action.CLOSE: _close,
    Action.ENTER: _enter,
    Action.REPLAY: _replay,
    Action.HINT: _hint,
    Action.REVIEW: _review,
    Action.HISTORY: _history,
    Action.LESSONS: _lessons,
    Action.GO_ON: _go_on,
    Action.NEXT_MOVE: _next_move,
    Action.PREVIOUS_MOVE: _previous_move,
    Action.PLAY: _play,
}
