"""Which language is spoken: by option, by setting, or as the environment says.

Catalogues lie in `locale/LANGUAGE/LC_MESSAGES/genial.mo`, made by `make messages` from
the `.po` files beside them.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Final

from genial.client import text
from genial.client.places import settings_path

_DOMAIN: Final = "genial"
_LOCALE: Final = str(files("genial.client") / "locale")
LANGUAGES: Final = ("en", "es", "de")
_VARIABLES: Final = ("GENIAL_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


@cache
def catalogue(language: str) -> gettext.NullTranslations:
    """The messages of a language; English, and what has no catalogue, speaks the source."""
    return gettext.translation(_DOMAIN, _LOCALE, [language], fallback=True)


def from_environment(environment: Mapping[str, str]) -> str:
    """The language that the variables ask for; English where they ask for another one.

    LANGUAGE, a list, goes before the others unless there is no locale at all (as gettext
    has it); GENIAL_LANGUAGE goes before everything.
    """
    chosen = next((environment[name] for name in _VARIABLES if environment.get(name)), "")
    wanted = [chosen]
    listed = environment.get("LANGUAGE", "") if not environment.get("GENIAL_LANGUAGE") else ""
    if listed and chosen.partition(".")[0] not in ("", "C", "POSIX"):
        wanted = [*listed.split(":"), chosen]
    for name in wanted:
        code = name.replace("-", "_").partition("_")[0].partition(".")[0].lower()
        if code in LANGUAGES:
            return code
    return "en"


def chosen_language(setting: str = "") -> str:
    """The language for a person whose settings say `setting` (empty: nothing)."""
    if os.environ.get("GENIAL_LANGUAGE"):
        return from_environment(os.environ)
    return setting if setting in LANGUAGES else from_environment(os.environ)


def speak_as_set() -> None:
    """As `speak`, by what the person's own settings say; whatever is wrong there is no matter here.

    Reads that one setting, since every command begins with this, and `--help` too.
    """
    setting: object = ""
    try:
        text = settings_path().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    if text:
        import tomllib

        try:
            setting = tomllib.loads(text).get("language", "")
        except tomllib.TOMLDecodeError:
            setting = ""
    speak(setting if isinstance(setting, str) else "")


def speak(setting: str = "") -> None:
    """Says everything in that language from now on, in this task and those it starts."""
    text.install(catalogue(chosen_language(setting)))


@contextmanager
def gettext_follows() -> Iterator[None]:
    """While inside, the standard library's `gettext` speaks the chosen language by our catalogue.

    So does click, which asks it for each of its sentences; it asks the environment which language.
    """
    domain, variable = gettext.textdomain(), os.environ.get("LANGUAGE")
    gettext.bindtextdomain(_DOMAIN, _LOCALE)
    gettext.textdomain(_DOMAIN)
    os.environ["LANGUAGE"] = text.language()
    try:
        yield
    finally:
        gettext.textdomain(domain)
        if variable is None:
            del os.environ["LANGUAGE"]
        else:
            os.environ["LANGUAGE"] = variable
