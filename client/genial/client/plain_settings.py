"""The settings, heard and changed by lines of text; the same ones that the screen keeps."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from genial.client.languages import speak
from genial.client.lines import NO_WORDS, YES_WORDS
from genial.client.places import settings_path
from genial.client.plain_words import Answer, Command, UsageError
from genial.client.settings import Settings, load_settings, save_settings
from genial.client.text import _, printable

LONGEST_NAME: Final = 24


class PlainSettings:
    """One person's settings.

    Scripts read the contract, not somebody's settings: without a person at a terminal nothing
    happens by itself (refilling, asking once more, ringing) before this session is told to.
    """

    def __init__(self, *, person: bool = False, path: Path | None = None) -> None:
        """Reads nothing yet.

        Args:
            person: Whether somebody sits at a terminal.
            path: Where the settings are kept; None: the user's own file.
        """
        self._person = person
        self._path = path
        self._loaded: Settings | None = None
        self._told: set[str] = set()
        self.words: Mapping[str, Command] = {"settings": self._show, "set": self._set}

    @property
    def auto_refill(self) -> bool:
        """Whether to refill when nothing else is possible."""
        return self._is_on("auto_refill")

    @property
    def confirm(self) -> bool:
        """Whether to ask before a tile is placed."""
        return self._is_on("confirm")

    @property
    def bell(self) -> bool:
        """Whether to ring when it is the person's turn."""
        return self._is_on("bell")

    def speak(self) -> None:
        """Says everything from now on, in this task, in the language that was chosen here."""
        if self._loaded is not None:
            speak(self._loaded.language)

    def _is_on(self, key: str) -> bool:
        return (self._person or key in self._told) and bool(getattr(self._settings, key))

    @property
    def _settings(self) -> Settings:
        if self._loaded is None:
            self._loaded, _problems = load_settings(self._where)
        return self._loaded

    @property
    def _where(self) -> Path:
        return self._path or settings_path()

    # --- commands -------------------------------------------------------------------------

    async def _show(self, rest: str) -> Answer:
        # Belongs to the screen, and is loaded for whoever asks.
        from genial.client.form import settings_fields

        settings = self._settings
        said = [_("name {value}: Your name at the table.").format(value=settings.name or "?")]
        for field in settings_fields(settings):
            values = ", ".join(_typed(choice.value) for choice in field.choices)
            value = _typed(getattr(settings, field.key))
            said.append(
                _("{key} {value}: {meaning} Values: {values}.").format(
                    key=field.key, value=value, meaning=field.help, values=values
                )
            )
        return Answer([*said, _("Change one like this: set bell no")])

    async def _set(self, rest: str) -> Answer:
        from genial.client.form import settings_fields

        key, _space, value = rest.partition(" ")
        key, value = key.casefold(), value.strip()
        if not value:
            raise UsageError(_("Say which setting and its value, like: set bell no"))
        if key == "name":
            return self._keep(key, printable(value, LONGEST_NAME))
        field = next((each for each in settings_fields(self._settings) if each.key == key), None)
        if field is None:
            raise UsageError(
                _("There is no setting {key}; settings lists them all.").format(key=key[:20])
            )
        for choice in field.choices:
            if value.casefold() in _spellings(choice.value, choice.words):
                return self._keep(key, choice.value)
        values = ", ".join(_typed(choice.value) for choice in field.choices)
        raise UsageError(_("{key} can be one of: {values}.").format(key=key, values=values))

    def _keep(self, key: str, value: Any) -> Answer:
        self._loaded = replace(self._settings, **{key: value})
        self._told.add(key)
        if key == "language":
            # What was chosen last holds, and that was not the option any more.
            os.environ.pop("GENIAL_LANGUAGE", None)
        self.speak()
        save_settings(self._loaded, self._where)
        return Answer([_("{key} is {value} now.").format(key=key, value=_typed(value))])


def _typed(value: object) -> str:
    """A value as it is typed; never translated, but for yes and no."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return str(value) or "auto"


def _spellings(value: object, words: str) -> set[str]:
    known = {words.casefold(), _typed(value).casefold()}
    if isinstance(value, bool):
        known |= YES_WORDS if value else NO_WORDS
    return known
