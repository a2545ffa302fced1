"""One player's screen: holds the model, carries out effects, draws."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.key_binding import merge_key_bindings
from prompt_toolkit.key_binding.bindings.cpr import load_cpr_bindings
from prompt_toolkit.key_binding.bindings.mouse import load_mouse_bindings
from prompt_toolkit.layout import Layout
from prompt_toolkit.output import Output, create_output

from genial.client import messages as m
from genial.client.addresses import for_friends
from genial.client.advising import ScreenAdvice
from genial.client.asking import answer, opened_message
from genial.client.calls import session_call
from genial.client.doorkeeper import Doorkeeper, HostStarter, OwnHost
from genial.client.errors import GenialError
from genial.client.guard import terminal_guarded
from genial.client.languages import speak
from genial.client.lesson_table import LessonTable
from genial.client.link import HostLink, connect
from genial.client.model import Browse, Model
from genial.client.output import is_closed_window, silence_closed_windows
from genial.client.palette import Depth, Look, Theme, detect_depth, shows_marks
from genial.client.places import settings_path
from genial.client.session import Session, join, watch
from genial.client.settings import Settings, load_settings, save_settings
from genial.client.store import MemoryStore, Store
from genial.client.terminal import DEPTHS, ESCAPE_SECONDS, GridWindow, key_bindings
from genial.client.text import _
from genial.client.trust import Access
from genial.client.update import next_wake, update
from genial.client.view.canvas import Canvas
from genial.client.view.draw import draw

if TYPE_CHECKING:
    from genial.client.finder import Finder
    from genial.client.record_files import OpenedRecord


class Player:
    """One player's screen: holds the model, carries out effects, draws.

    See `run` for the arguments.
    """

    def __init__(
        self,
        *,
        store: Store | None = None,
        settings: Settings | None = None,
        settings_file: Path | None = None,
        name: str = "",
        invite: str = "",
        quit_warning: str = "",
        access: Access | None = None,
        strangers: Collection[str] = (),
        start_host: HostStarter | None = None,
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._settings_file = settings_file or settings_path()
        problems: tuple[str, ...] = ()
        if settings is None:
            settings, problems = load_settings(self._settings_file)
        if name:
            settings = replace(settings, name=name)
        self._depth = detect_depth(os.environ, windows=sys.platform == "win32")
        self._marks = output is not None or shows_marks(sys.stdout.encoding)
        self._store = store or MemoryStore()
        self._door = Doorkeeper(access or Access(), self.dispatch, strangers)
        self._start_host = start_host
        self._own_host: OwnHost | None = None
        self._invite = invite
        self._input = input
        self._output = output
        self._session: Session | LessonTable | None = None
        self._own_link: HostLink | None = None
        self._finder: Finder | None = None
        self._advice = ScreenAdvice()
        self._exit_asked = False
        self._came_by_list = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._follower: asyncio.Task[None] | None = None
        self._search: asyncio.Task[None] | None = None
        self._wake: asyncio.TimerHandle | None = None
        self._drawn: tuple[Model, Canvas] | None = None
        self._app: Application[int] | None = None
        now = time.monotonic()
        self.model = Model(
            settings=settings,
            invite=invite,
            quit_warning=quit_warning,
            can_host=start_host is not None,
            browse=Browse(since=now),
            notice=problems[0] if problems else "",
            now=now,
        )

    async def run(
        self,
        session: Session | LessonTable | None = None,
        addresses: Sequence[str] = (),
        first: m.Sit | None = None,
    ) -> int:
        """Until the player leaves; returns the exit code."""

        def begin() -> None:
            if session is not None:
                self._attach(session)
                return
            self._came_by_list = True
            self._search = self._start(self._browse())
            for effect in (*map(m.Connect, addresses), first):
                if effect is not None:
                    self._carry_out(effect)

        return await self._run(begin)

    async def run_replay(self, opened: OpenedRecord) -> int:
        """A record, until the player leaves; returns the exit code."""
        return await self._run(lambda: self.dispatch(opened_message(opened)))

    async def _run(self, begin: Callable[[], None]) -> int:
        with (
            terminal_guarded() if self._output is None else nullcontext(),
            create_app_session(
                input=self._input or create_input(), output=self._output or create_output()
            ),
        ):
            app = self._application()
            self._app = app
            try:
                begin()
                self._schedule_wake()
                return await app.run_async(
                    pre_run=self._exit_if_asked, handle_sigint=False, set_exception_handler=False
                )
            except EOFError:
                # The terminal is gone without a word; the seat stays as after a lost line.
                return 0
            except OSError:
                if self._output is not None or not is_closed_window(sys.stdout):
                    raise
                return 0
            finally:
                silence_closed_windows()
                self._app = None
                await self._close()

    def stop(self) -> None:
        """End in order, as if the player had quit; the seat stays the player's."""
        self._exit()

    @property
    def look(self) -> Look:
        """How this terminal and these settings want everything drawn."""
        settings = self.model.settings
        depth = self._depth if settings.colours == "auto" else Depth(settings.colours)
        theme = settings.theme if self._marks else Theme.ASCII
        return Look(theme, depth, settings.shapes)

    # --- messages and effects ---------------------------------------------------------

    def dispatch(self, message: m.Message) -> None:
        """Take a message into the model, and carry out what follows from it."""
        before = self.model
        # Callbacks of the terminal come in a context of their own.
        speak(before.settings.language)
        model, effects = update(replace(before, now=time.monotonic()), message)
        self.model = model
        for effect in effects:
            self._carry_out(effect)
        self._schedule_wake()
        if self._app is not None:
            self._app.invalidate()

    def take(self, message: m.Message) -> None:
        """As `dispatch`, for what calls from outside of any task: a fault ends the application.

        The event loop would print it into the screen, and go on.
        """
        try:
            self.dispatch(message)
        except Exception as fault:
            self._exit(fault)

    def _carry_out(self, effect: m.Effect) -> None:
        match effect:
            case m.Quit():
                self._exit()
            case m.Ring():
                if self._app is not None:
                    self._app.output.bell()
            case m.Keep(settings=settings):
                self._keep(settings)
            case m.Detach(error=error):
                self._background(self._detach(error))
            case m.Sit() | m.Watch() | m.CreateTable() | m.Connect():
                self._background(self._tried(self._entering(effect), again=effect))
            case m.GivePassword(certificate=certificate, password=password):
                self._door.give(certificate, password)
            case m.AcceptCertificate(host_id=host_id, certificate=certificate):
                self._door.accept(host_id, certificate)
            case m.AskLevels(address=address):
                self._background(self._tried(lambda: self._ask_levels(address)))
            case m.BeginLessons():
                self._background(self._begin_lessons())
            case m.ShowLesson(step=step):
                if isinstance(self._session, LessonTable):
                    self._session.begin(step)
            case m.AskHint() | m.AskReview() | m.AskGames() | m.OpenRecord():
                self._background(self._tried(partial(self._ask, effect)))
            case _:
                self._for_session(effect)

    def _entering(
        self, effect: m.Sit | m.Watch | m.CreateTable | m.Connect
    ) -> Callable[[], Awaitable[None]]:
        """What reaches for a host, which may ask for a password."""
        match effect:
            case m.Sit(address=address, table_id=table_id, name=name, password=password):
                return lambda: self._sit(address, table_id, name, password)
            case m.Watch(address=address, table_id=table_id):
                return lambda: self._sit(address, table_id, None)
            case m.CreateTable():
                return lambda: self._create(effect)
            case m.Connect(address=address):
                return lambda: self._connect(address)

    def _for_session(self, effect: m.Effect) -> None:
        session = self._session
        if session is None:
            self.dispatch(m.Failed(_("There is no table to do that at.")))
            return
        call = session_call(session, effect)
        if isinstance(effect, m.LeaveTable):
            self._background(self._tried(self._leave))
        else:
            self._background(self._tried(call, timed=True))

    def _keep(self, settings: Settings) -> None:
        try:
            save_settings(settings, self._settings_file)
        except GenialError as error:
            self.dispatch(m.Failed(error.sentence))

    async def _tried(
        self,
        call: Callable[[], Awaitable[Any]],
        *,
        timed: bool = False,
        again: m.Effect | None = None,
    ) -> None:
        """Do it, and tell the model how it went; `again` may be tried once more by a password."""
        started = time.monotonic()
        try:
            await call()
        except GenialError as error:
            door = self._door.door(error, again)
            self.dispatch(m.Failed(error.sentence) if door is None else m.DoorShut(door))
        else:
            spent = round((time.monotonic() - started) * 1000)
            self.dispatch(m.Answered(spent if timed else None))

    # --- tables -----------------------------------------------------------------------

    def _search_with(self) -> Finder:
        """What looks for hosts; loaded for the list alone, it is the largest part of all."""
        from genial.client.finder import Finder

        if self._finder is None:
            self._finder = Finder(self._door.connect, self._store, self.dispatch)
        return self._finder

    async def _browse(self) -> None:
        await self._search_with().run()

    async def _connect(self, address: str) -> None:
        self.dispatch(m.Listed(await self._search_with().add(address)))

    async def _sit(self, address: str, table_id: str, name: str | None, password: str = "") -> None:
        link = await self._door.connect(address, store=self._store)
        try:
            session = (
                await watch(link, table_id)
                if name is None
                else await join(link, table_id, name=name, password=password)
            )
        except BaseException:
            await link.close()
            raise
        self._own_link = link
        self._search_with().remember(address)
        await self._stop_browsing()
        self._attach(session)

    async def _begin_lessons(self) -> None:
        await self._stop_browsing()
        self._attach(LessonTable(self.model.settings.name))

    async def _ask_levels(self, address: str) -> None:
        async with await self._door.connect(address, store=self._store) as link:
            levels = await link.list_bot_levels()
        self.dispatch(m.LevelsKnown(tuple(level.level for level in levels)))

    async def _ask(self, effect: m.AskHint | m.AskReview | m.AskGames | m.OpenRecord) -> None:
        if isinstance(self._session, Session):
            self.dispatch(await answer(effect, self._session, self._advice))
        elif isinstance(effect, m.AskGames):
            self.dispatch(m.GamesKnown(()))

    async def _create(self, effect: m.CreateTable) -> None:
        own = await self._host_here() if not effect.address else None
        link = await (
            self._door.connect(effect.address, store=self._store)
            if own is None
            else connect(own.address, store=self._store, access=own.access)
        )
        try:
            table = await link.create_table(
                effect.options,
                name=effect.name,
                bot_levels=effect.bot_levels,
                password=effect.password,
            )
            session = await join(link, table.table_id, name=effect.player, password=effect.password)
            if effect.ready:
                await session.set_ready()
        except BaseException:
            await link.close()
            raise
        self._own_link = link
        self._search_with().remember(link.address)
        await self._stop_browsing()
        self._attach(session, own.invite if own is not None else "")

    async def _host_here(self) -> OwnHost:
        """The host on this laptop, started for the first table that is opened here."""
        if self._own_host is None:
            assert self._start_host is not None
            self._own_host = await self._start_host()
        return self._own_host

    def _attach(self, session: Session | LessonTable, invite: str = "") -> None:
        self._session = session
        lesson = isinstance(session, LessonTable)
        table = session.table if session.table.table_id else None
        address = session.link.address
        invite = for_friends(invite or self._invite or address)
        self.dispatch(m.Seated(address, table, session.seat, invite, lesson))
        self._follower = self._start(self._follow(session))

    async def _follow(self, session: Session | LessonTable) -> None:
        async for change in session.updates():
            self._advice.hear(change)
            self.dispatch(change)

    async def _leave(self) -> None:
        session = self._session
        if session is not None:
            await session.leave()
        await self._detach(None)

    async def _detach(self, error: GenialError | None) -> None:
        """Away from the table: to the list if we came from there, else out."""
        await self._release()
        if not self._came_by_list:
            self._exit(error)
            return
        self.dispatch(m.Unseated(error.sentence if error is not None else ""))
        self._search = self._start(self._browse())

    async def _release(self) -> None:
        session, self._session = self._session, None
        if self._follower is not None and self._follower is not asyncio.current_task():
            self._follower.cancel()
            await asyncio.gather(self._follower, return_exceptions=True)
        self._follower = None
        if session is not None:
            await session.close()
        link, self._own_link = self._own_link, None
        if link is not None:
            await link.close()

    async def _stop_browsing(self) -> None:
        search, self._search = self._search, None
        if search is not None:
            search.cancel()
            await asyncio.gather(search, return_exceptions=True)

    # --- tasks and time ---------------------------------------------------------------

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _background(self, work: Coroutine[Any, Any, None]) -> None:
        """As `_start`, for what nobody waits for."""
        self._start(work).set_name("background")

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            # A fault of our own: the application ends with it, so that the terminal is
            # restored before anybody reports it.
            self._exit(fault)

    def _exit(self, fault: BaseException | None = None) -> None:
        app = self._app
        if app is None or app.future is None:
            # Not running yet: it ends as soon as it does.
            self._exit_asked = True
            return
        if app.future.done():
            return
        if fault is not None:
            app.exit(exception=fault)
        else:
            app.exit(result=0)

    def _exit_if_asked(self) -> None:
        if self._exit_asked:
            self._exit()

    def _schedule_wake(self) -> None:
        """One timer for the next moment at which the screen changes by itself; no polling."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        moment = next_wake(self.model)
        if moment is not None:
            loop = asyncio.get_running_loop()
            delay = max(0.0, moment - time.monotonic())
            self._wake = loop.call_later(delay, self._awake)

    def _awake(self) -> None:
        self._wake = None
        self.take(m.Tick(time.monotonic()))

    async def _close(self) -> None:
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        self._advice.close()
        await self._stop_browsing()
        await self._release()
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- the screen -------------------------------------------------------------------

    def _application(self) -> Application[int]:
        app: Application[int] = Application(
            layout=Layout(GridWindow(self)),
            key_bindings=key_bindings(self),
            full_screen=True,
            mouse_support=Condition(lambda: self.model.settings.mouse),
            color_depth=lambda: DEPTHS[self.look.depth],
            include_default_pygments_style=False,
            enable_page_navigation_bindings=False,
        )
        # The others are for fields of text of prompt_toolkit's own, which there are none of:
        # five hundred of them, to be looked through at each key. No argument leaves them out; a
        # test says when prompt_toolkit has them elsewhere.
        app._default_bindings = merge_key_bindings([load_mouse_bindings(), load_cpr_bindings()])
        app.ttimeoutlen = ESCAPE_SECONDS
        app.timeoutlen = ESCAPE_SECONDS
        return app

    def canvas(self, width: int, height: int) -> Canvas:
        """The screen at this size, drawn once for each model; a fault ends the application."""
        try:
            return self._canvas(width, height)
        except Exception as fault:
            self._exit(fault)
            return Canvas(width, height)

    def _canvas(self, width: int, height: int) -> Canvas:
        if (width, height) != (self.model.width, self.model.height):
            self.model, _effects = update(self.model, m.Resized(width, height))
        if self._drawn is None or self._drawn[0] is not self.model:
            speak(self.model.settings.language)
            self._drawn = (self.model, draw(self.model, width, height, self.look))
        return self._drawn[1]
