"""What every sentence for people goes through, so that it can be translated.

Catalogues (Spanish, German) come by `install`; without one the English of the
source is shown. Sentences keep their placeholders as `{name}` and are filled with
`str.format` after translation, so that a translator may move them.
"""

from __future__ import annotations

import gettext
from typing import Final

_ENGLISH: Final = gettext.NullTranslations()
_chosen: gettext.NullTranslations = _ENGLISH


def install(translations: gettext.NullTranslations | None) -> None:
    """Chooses the catalogue for everything said from now on; None: English."""
    global _chosen
    _chosen = translations or _ENGLISH


def _(message: str) -> str:
    """A sentence in the chosen language."""
    return _chosen.gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    """The form of a sentence that goes with a number."""
    return _chosen.ngettext(one, many, count)


def N_(message: str) -> str:
    """Marks a sentence of a table for extraction; it is translated where it is used."""
    return message
