"""What every sentence for people goes through, so that it can be translated.

Catalogues (Spanish, German) come by `install`; without one the English of the
source is shown. Sentences keep their placeholders as `{name}` and are filled with
`str.format` after translation, so that a translator may move them.
"""

from __future__ import annotations

import gettext
from contextvars import ContextVar
from typing import Final

_ENGLISH: Final = gettext.NullTranslations()
# Several players may sit in one process, each with a language of their own.
_chosen: Final[ContextVar[gettext.NullTranslations]] = ContextVar("language", default=_ENGLISH)


def install(translations: gettext.NullTranslations | None) -> None:
    """Chooses the catalogue for everything said from now on in this context; None: English."""
    _chosen.set(translations or _ENGLISH)


def language() -> str:
    """The code of the chosen language, such as `de`."""
    return _chosen.get().info().get("language", "en")


def _(message: str) -> str:
    """A sentence in the chosen language."""
    return _chosen.get().gettext(message) if message else ""


def ngettext(one: str, many: str, count: int) -> str:
    """The form of a sentence that goes with a number."""
    return _chosen.get().ngettext(one, many, count)


def printable(name: str, longest: int = 80) -> str:
    """A name that anybody may have given to anything, so that it disturbs no screen."""
    shown = "".join(c for c in name if c.isprintable())[:longest].strip()
    return shown or "?"


def N_(message: str) -> str:
    """Marks a sentence of a table for extraction; it is translated where it is used."""
    return message
