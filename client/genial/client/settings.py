"""What a player has chosen once and for all: a TOML file in the user's own folder.

Keys that this version does not know are kept, so that an older program does not undo
a newer one's settings.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from genial.client.errors import StorageError
from genial.client.palette import Depth, Theme
from genial.client.text import _

LANGUAGES: Final = ("", "en", "es", "de")
COLOURS: Final = ("auto", *Depth)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be chosen; the defaults suit most.

    Attributes:
        name: The player's name; empty until it has been asked.
        theme: How everything looks.
        colours: Colours of the terminal: `auto` or a value of `Depth`.
        shapes: Whether symbols show their shapes in the large size.
        language: `en`, `es`, `de`; empty follows the environment.
        confirm: Whether a placement is asked about once more.
        auto_refill: Whether the rack refills by itself when there is no choice.
        bell: Whether the terminal rings when it is the player's turn.
        animation: Whether calls and placements flash.
        mouse: Whether the mouse works; the terminal's own selecting does not meanwhile.
        weakest_first: Order of the tracks: weakest first, or R G B O Y P.
        games: How many games were finished here: the first ones explain more.
        speed: How long a placed tile flashes, in tenths of a second.
    """

    name: str = ""
    theme: Theme = Theme.DARK
    colours: str = "auto"
    shapes: bool = True
    language: str = ""
    confirm: bool = False
    auto_refill: bool = True
    bell: bool = True
    animation: bool = True
    mouse: bool = True
    weakest_first: bool = True
    speed: int = 8
    games: int = 0


def load_settings(path: Path) -> tuple[Settings, tuple[str, ...]]:
    """The settings kept at `path`, and a sentence for each that cannot be used.

    What is missing or cannot be used has its default; no file is no problem.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Settings(), ()
    except (OSError, UnicodeDecodeError) as error:
        return Settings(), (
            _("The settings in {path} cannot be read: {error}.").format(path=path, error=error),
        )
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Settings(), (
            _("The settings in {path} are not TOML: {error}.").format(path=path, error=error),
        )
    chosen: dict[str, Any] = {}
    problems: list[str] = []
    for field in fields(Settings):
        if field.name not in document:
            continue
        value = _read(field.name, document[field.name])
        if value is None:
            problems.append(
                _("The setting {key} in {path} cannot be {value}; the default holds.").format(
                    key=field.name, path=path, value=document[field.name]
                )
            )
        else:
            chosen[field.name] = value
    return Settings(**chosen), tuple(problems)


def _read(key: str, value: object) -> object | None:
    """A value of the file as the field's type, None if it cannot be."""
    default = getattr(Settings(), key)
    if isinstance(default, bool):
        return value if isinstance(value, bool) else None
    if isinstance(default, int):
        fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1_000_000
        return value if fits else None
    if not isinstance(value, str):
        return None
    if key == "theme":
        return Theme(value) if value in tuple(Theme) else None
    if key == "colours":
        return value if value in COLOURS else None
    if key == "language":
        return value if value in LANGUAGES else None
    return value


def save_settings(settings: Settings, path: Path) -> None:
    """Write the settings to `path`, keeping comments and unknown keys of the file.

    Raises:
        StorageError: The file cannot be written.
    """
    # Kept out of memory until something is saved; reading needs no comments.
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        try:
            document = tomlkit.parse(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, UnicodeDecodeError, TOMLKitError):
            document = tomlkit.document()
        for field in fields(Settings):
            value = getattr(settings, field.name)
            document[field.name] = str(value) if isinstance(value, str) else value
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written beside and renamed: a crash in between leaves the old file whole.
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(tomlkit.dumps(document))
        os.replace(beside, path)
    except OSError as error:
        raise StorageError(
            _("The settings cannot be kept in {path}: {error}.").format(path=path, error=error)
        ) from error
