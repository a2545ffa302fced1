"""Messages in, new model out. Pure: what is to be done comes out as effects."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from genial.client import playing, replaying
from genial.client.actions import press
from genial.client.doors import stand_at
from genial.client.hearing import CELEBRATION_SECONDS, Step, hear, left_table
from genial.client.keys import Action, Context, action_for, context_of
from genial.client.lessons import LESSONS, watch_lesson
from genial.client.messages import (
    Answered,
    DoorShut,
    Failed,
    GamesKnown,
    Hinted,
    HostsSeen,
    Key,
    LevelsKnown,
    Listed,
    Message,
    Mouse,
    Pasted,
    RecordOpened,
    Refill,
    Resized,
    Reviewed,
    Seated,
    SeatsHeld,
    ShowLesson,
    Tick,
    Told,
    Unseated,
)
from genial.client.model import Browse, Entry, Model, Overlay, Purpose, Reel, Screen, TableRow
from genial.client.pointing import point
from genial.client.text import _
from genial.client.updates import Link
from genial.client.view.geometry import MIN_HEIGHT, MIN_WIDTH
from genial.engine.hexgrid import Axial
from genial.engine.tiles import Tile

__all__ = ["CELEBRATION_SECONDS", "Step", "next_wake", "update"]

NAME_LENGTH: Final = 24
TEXT_LENGTH: Final = 400
_LENGTHS: Final = {Purpose.NAME: NAME_LENGTH, Purpose.TABLE: 40}


def update(model: Model, message: Message) -> Step:
    """The model after a message, and the effects to be carried out, in order."""
    after, effects = _updated(model, message)
    if after.lesson is None or model.lesson is None:
        return after, effects
    after = watch_lesson(model, after)
    if after.lesson is not None and after.lesson != model.lesson:
        if LESSONS[min(after.lesson, len(LESSONS) - 1)].fresh:
            # Another position comes: what this one still asks for would happen there.
            effects = tuple(effect for effect in effects if not isinstance(effect, Refill))
        effects = (*effects, ShowLesson(after.lesson))
    return after, effects


def _updated(model: Model, message: Message) -> Step:
    match message:
        case Key(name=name):
            return _key(model, name)
        case Pasted(text=text):
            return _pasted(model, text), ()
        case Mouse():
            return point(model, message, press)
        case Tick(now=now):
            return _tick(model, now), ()
        case Resized(width=width, height=height):
            return replace(model, width=width, height=height), ()
        case HostsSeen():
            return _hosts(model, message), ()
        case Listed(host_id=host_id):
            return _listed(model, host_id), ()
        case SeatsHeld(held=held):
            return replace(model, browse=replace(model.browse, held=held)), ()
        case LevelsKnown(levels=levels):
            return replace(model, levels=levels or model.levels), ()
        case GamesKnown(games=games):
            return replace(model, history=games, busy=False), ()
        case RecordOpened(replay=opened, verdict=verdict):
            reel = Reel(opened, opened.dealt, None, verdict)
            return replace(
                model, screen=Screen.REPLAY, reel=reel, overlay=None, busy=False, notice=""
            ), ()
        case Hinted(tile=tile, cells=cells, worth=worth):
            return _hinted(model, tile, cells, worth), ()
        case Reviewed() if model.screen is not Screen.END:
            # The next game has begun meanwhile; nobody looks back in the middle of it.
            return replace(model, busy=False), ()
        case Reviewed(lines=lines):
            return replace(
                model, overlay=Overlay.REVIEW, review=lines, scroll=0, busy=False, notice=""
            ), ()
        case Seated():
            return _seated(model, message), ()
        case DoorShut(door=door):
            if model.screen is not Screen.BROWSE:
                # Whoever has gone to a table meanwhile is not to be disturbed there.
                return replace(model, busy=False), ()
            return stand_at(model, door), ()
        case Unseated(sentence=sentence):
            return left_table(model, sentence), ()
        case Answered(milliseconds=milliseconds):
            line = model.line
            if milliseconds is not None:
                line = replace(line, round_trip=milliseconds)
            return replace(model, busy=False, line=line), ()
        case Told(sentence=sentence):
            return replace(model, notice=sentence), ()
        case Failed(sentence=sentence):
            return replace(model, busy=False, notice=sentence), ()
        case _:
            return hear(model, message)


def next_wake(model: Model) -> float | None:
    """When the screen changes by itself next (`Model.now` seconds), None if it does not."""
    moments: list[float] = []
    if model.celebration is not None:
        moments.append(model.celebration.until)
    if model.flash is not None:
        moments.append(model.flash.until)
    if model.line.link is not Link.CONNECTED:
        moments.append(_next_second(model.now, model.line.since))
    if model.screen is Screen.BROWSE:
        moments.append(_next_second(model.now, model.browse.since))
    game = model.game
    if (
        model.screen is Screen.GAME
        and game is not None
        and game.message.HasField("clock")
        and not game.message.clocks_paused
    ):
        moments.append(_next_second(model.now, model.heard))
    if model.screen is Screen.REPLAY and model.reel is not None and model.reel.due is not None:
        moments.append(model.reel.due)
    return min(moments, default=None)


def _next_second(now: float, since: float) -> float:
    """The next moment that is a whole number of seconds after `since`."""
    return since + int(max(0.0, now - since) + 1e-6) + 1


def _tick(model: Model, now: float) -> Model:
    celebration = model.celebration
    if celebration is not None and celebration.until <= now:
        celebration = None
    flash = model.flash if model.flash is not None and model.flash.until > now else None
    return replaying.step_by_itself(replace(model, now=now, celebration=celebration, flash=flash))


def _hinted(model: Model, tile: Tile, cells: tuple[Axial, Axial], worth: str) -> Model:
    """The tile of a hint in hand, on its spot; too late it changes nothing."""
    slot = next(
        (number for number, held in enumerate(model.hand.slots) if held == tile.canonical), None
    )
    if slot is None or model.view is None or not model.view.must_place:
        return replace(model, busy=False, notice="")
    if tile != tile.canonical:
        cells = (cells[1], cells[0])
    hand = playing.onto(playing.choose(model.hand, slot), cells)
    said = _("The strongest placement here: {worth}.").format(worth=worth)
    return replace(model, hand=hand, busy=False, notice=said)


def _hosts(model: Model, seen: HostsSeen) -> Model:
    rows = seen.rows
    browse = model.browse
    chosen = browse.chosen
    selected = 0
    # What leads the list without being of use was chosen by nobody: it was there first.
    if chosen is not None and (chosen.reachable or browse.selected > 0):
        for number, row in enumerate(rows):
            if _same_row(row, chosen):
                selected = number
    browse = replace(
        browse,
        rows=rows,
        hosts=seen.hosts,
        selected=selected,
        problem=seen.problem,
        findings=seen.findings,
    )
    return replace(model, browse=_chosen_as_wanted(browse))


def _listed(model: Model, host_id: str) -> Model:
    """A host that was asked for is chosen; nothing more needs to be said of asking."""
    asking = _("Asking {address}").format(address="")
    notice = "" if model.notice.startswith(asking) else model.notice
    browse = _chosen_as_wanted(replace(model.browse, wanted=host_id))
    return replace(model, browse=browse, notice=notice)


def _chosen_as_wanted(browse: Browse) -> Browse:
    """With the first row of the wanted host chosen, if it has one by now."""
    for number, row in enumerate(browse.rows):
        if browse.wanted and row.host_id == browse.wanted and row.reachable:
            return replace(browse, selected=number, wanted="")
    return browse


def _same_row(one: TableRow, other: TableRow) -> bool:
    def key(row: TableRow) -> tuple[str, str]:
        return row.host_id, row.table.table_id if row.table is not None else ""

    return key(one) == key(other)


def _seated(model: Model, message: Seated) -> Model:
    return replace(
        model,
        screen=Screen.ROOM,
        address=message.address,
        invite=message.invite,
        lesson=0 if message.lesson else None,
        table=message.table,
        seat=message.seat,
        watching=message.seat is None,
        busy=False,
        entry=None,
        question=None,
        overlay=None,
        notice="",
    )


# --- keys ---------------------------------------------------------------------------


def _key(model: Model, key: str) -> Step:
    if model.width < MIN_WIDTH or model.height < MIN_HEIGHT:
        # Nothing is seen but how to get out, whatever was being typed or asked.
        return press(model, Action.LEAVE, key) if key in ("q", "c-c") else (model, ())
    if context_of(model) is Context.ENTRY:
        step = _typed(model, key)
        if step is not None:
            return step
    action = action_for(model, key)
    if action is None:
        return replace(model, notice=""), ()
    return press(model, action, key)


def _pasted(model: Model, text: str) -> Model:
    if model.entry is None:
        return model
    # A password is taken as it is, but for the end of its line.
    secret = model.entry.purpose is Purpose.PASSWORD
    line = text.rstrip("\r\n") if secret else " ".join(text.split())
    if not secret:
        line = "".join(each for each in line if each.isprintable())
    return replace(model, entry=model.entry.insert(line[: _room_in(model.entry)]))


def _room_in(entry: Entry) -> int:
    """How many characters more a line that is being typed takes."""
    return max(0, _LENGTHS.get(entry.purpose, TEXT_LENGTH) - len(entry.text))


def _typed(model: Model, key: str) -> Step | None:
    """Editing of the line that is being typed; None for keys that the table decides."""
    entry = model.entry
    assert entry is not None
    match key:
        case "left":
            changed = entry.move(entry.cursor - 1)
        case "right":
            changed = entry.move(entry.cursor + 1)
        case "home" | "c-a":
            changed = entry.move(0)
        case "end" | "c-e":
            changed = entry.move(len(entry.text))
        case "backspace":
            if not entry.text and entry.purpose is Purpose.COMMAND:
                return replace(model, entry=None), ()
            changed = entry.delete(1)
        case "delete":
            changed = entry.delete(0, 1)
        case "c-u":
            changed = entry.delete(entry.cursor)
        case "c-w":
            kept = entry.text[: entry.cursor].rstrip()
            word = len(kept) - (kept.rfind(" ") + 1) + (entry.cursor - len(kept))
            changed = entry.delete(word)
        case _ if len(key) == 1 and key.isprintable():
            changed = entry.insert(key) if _room_in(entry) else entry
        case _:
            return None
    return replace(model, entry=changed), ()
