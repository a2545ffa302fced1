"""Effects that a session carries out: which of its methods each one stands for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, assert_never

from genial.client import messages as m
from genial.client.lesson_table import LessonTable
from genial.client.session import Session


def session_call(session: Session | LessonTable, effect: m.Effect) -> Callable[[], Awaitable[Any]]:
    """What of the session an effect stands for."""
    if isinstance(session, LessonTable):
        return _lesson_call(session, effect)
    match effect:
        case m.Place(tile=tile, cells=cells):
            return lambda: session.place_tile(tile, cells)
        case m.Exchange():
            return session.exchange
        case m.Refill():
            return session.refill
        case m.ResignGame():
            return session.resign
        case m.ProposeEnd(agree=agree):
            return lambda: session.propose_end(agree)
        case m.TakeBack():
            return session.take_back
        case m.SetReady(ready=ready):
            return lambda: session.set_ready(ready)
        case m.StartGame():
            return session.start_game
        case m.Rematch():
            return session.rematch
        case m.Say(text=text):
            return lambda: session.say(text)
        case m.SeatBot(level=level):
            return lambda: session.seat_bot(level)
        case m.RemoveBot(seat=seat):
            return lambda: session.remove_bot(seat)
        case m.Kick(seat=seat):
            return lambda: session.kick(seat)
        case m.LockSeats(locked=locked):
            return lambda: session.lock_seats(locked)
        case m.Shelve():
            return session.shelve
        case m.Resume():
            return session.resume
        case m.PauseClocks(pause=pause):
            return lambda: session.pause_clocks(pause)
        case m.LeaveTable():
            return session.leave
        case (
            m.Sit()
            | m.Watch()
            | m.Connect()
            | m.GivePassword()
            | m.AcceptCertificate()
            | m.AskLevels()
            | m.AskGames()
            | m.OpenRecord()
            | m.AskHint()
            | m.AskReview()
            | m.BeginLessons()
            | m.ShowLesson()
            | m.CreateTable()
            | m.Detach()
            | m.Keep()
            | m.Ring()
            | m.Quit()
        ):
            raise AssertionError(effect)
    assert_never(effect)


def _lesson_call(table: LessonTable, effect: m.Effect) -> Callable[[], Awaitable[Any]]:
    """The tutorial's table knows only what its game needs."""
    match effect:
        case m.Place(tile=tile, cells=cells):
            return lambda: table.place_tile(tile, cells)
        case m.Exchange():
            return table.exchange
        case m.Refill():
            return table.refill
        case m.LeaveTable():
            return table.leave
        case _:
            return table.nothing
