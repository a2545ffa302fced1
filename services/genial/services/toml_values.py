"""From a parsed TOML document to dataclasses; every fault with the key that it is at.

cattrs does the work; here are the rules that it does not have (nothing is converted silently,
numbers have bounds, an unknown key is a fault) and the wording of its complaints.
"""

from __future__ import annotations

import dataclasses
import difflib
import ipaddress
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

from cattrs import (
    ClassValidationError,
    Converter,
    ForbiddenExtraKeysError,
    IterableValidationError,
)

from genial.wire.values import Clock

T = TypeVar("T")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_LONGEST_SECONDS: Final = 366 * 24 * 3600
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LENGTH: Final = re.compile(r"(?:\d{1,9}[dhms])+", re.ASCII)


class ConfigFault(ValueError):
    """A value that cannot be used.

    Attributes:
        key: Below the table it was found in; "" for the table itself.
        fault: What is wrong, to be read after the key.
    """

    def __init__(self, key: str, fault: str) -> None:
        """Names the key."""
        self.key = key
        self.fault = fault
        super().__init__(f"{key}: {fault}")


@dataclass(frozen=True, slots=True)
class Between:
    """Marks a number that has bounds, or a text whose length has them."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Length:
    """Marks a number of seconds that is written like ``90s`` or ``1h30m``."""


Seconds = Annotated[int, Length()]
Count = Annotated[int, Between(1, 1_000_000_000)]


def structure(document: Any, kind: type[T], folder: Path) -> tuple[T | None, list[str]]:
    """A dataclass from a TOML document.

    Args:
        document: As tomllib gives it.
        kind: The dataclass.
        folder: That paths are relative to.

    Returns:
        The value, or None; and a sentence for each fault, beginning with its key.
    """
    try:
        return _converter(folder).structure(document, kind), []
    except Exception as error:
        return None, sorted(_problems(error, ""))


def _converter(folder: Path) -> Converter:
    converter = Converter(forbid_extra_keys=True)
    for kind, name in ((str, "a text"), (int, "a whole number"), (bool, "true or false")):
        converter.register_structure_hook(kind, _exactly(kind, name))
    converter.register_structure_hook(StrEnum, _choice)
    converter.register_structure_hook(
        Path, lambda value, _: folder / Path(_text(value)).expanduser()
    )
    converter.register_structure_hook(Clock, lambda value, _: Clock.parse(_text(value)))
    converter.register_structure_hook_func(
        lambda kind: kind == Network, lambda value, _: _network(value)
    )
    converter.register_structure_hook_factory(
        lambda kind: hasattr(kind, "__metadata__"), lambda kind: _marked(converter, kind)
    )
    converter.register_structure_hook_factory(_is_tuple, lambda kind: _listed(converter, kind))
    return converter


def _exactly(kind: type[T], name: str) -> Any:
    def hook(value: Any, _kind: Any) -> T:
        # `type is`, because true is an int to Python.
        if type(value) is not kind:
            raise ConfigFault("", f"must be {name}, not {_shown(value)}")
        return value

    return hook


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ConfigFault("", f"must be a text, not {_shown(value)}")
    return value


def _choice(value: Any, kind: type[StrEnum]) -> StrEnum:
    if value not in tuple(kind):
        raise ConfigFault("", f"must be one of {', '.join(kind)}, not {_shown(value)}")
    return kind(value)


def _network(value: Any) -> Network:
    try:
        return ipaddress.ip_network(_text(value))
    except ValueError as fault:
        raise ConfigFault("", f"must be an address or network: {fault}") from None


def _marked(converter: Converter, kind: Any) -> Any:
    plain, *marks = get_args(kind)

    def hook(value: Any, _kind: Any) -> Any:
        for mark in marks:
            if isinstance(mark, Length):
                return _seconds(value)
        made = converter.structure(value, plain)
        for mark in marks:
            if isinstance(mark, Between):
                _check_bounds(made, mark)
        return made

    return hook


def _is_tuple(kind: Any) -> bool:
    origin: Any = get_origin(kind)
    return origin is tuple


def _listed(converter: Converter, kind: Any) -> Any:
    item, _ellipsis = get_args(kind)

    def hook(value: Any, _kind: Any) -> tuple[Any, ...]:
        # A text is a sequence to Python, too: of its letters.
        if not isinstance(value, list):
            raise ConfigFault("", f"must be a list, not {_shown(value)}")
        return tuple(converter.structure(value, list[item]))  # type: ignore[valid-type]

    return hook


def _check_bounds(value: Any, bounds: Between) -> None:
    if isinstance(value, str):
        if not bounds.least <= len(value) <= bounds.most:
            raise ConfigFault("", f"must have {bounds.least} to {bounds.most} characters")
    elif not bounds.least <= value <= bounds.most:
        raise ConfigFault("", f"must be from {bounds.least} to {bounds.most}, not {value}")


def _seconds(value: Any) -> int:
    if not isinstance(value, str) or not _LENGTH.fullmatch(value):
        raise ConfigFault(
            "", f'must be a length of time like "90s" or "1h30m", not {_shown(value)}'
        )
    parts = re.findall(r"(\d+)([dhms])", value)
    total = sum(int(number) * _UNITS[unit] for number, unit in parts)
    if not 0 < total <= _LONGEST_SECONDS:
        raise ConfigFault("", "must be more than nothing and at most a year")
    return total


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


def _problems(error: BaseException, path: str) -> list[str]:
    """Every fault in what cattrs raises, by key."""
    if isinstance(error, ClassValidationError):
        found, others = error.group_exceptions()
        return [
            *(line for each, note in found for line in _problems(each, _below(path, note.name))),
            *(line for each in others for line in _problems(each, path)),
        ]
    if isinstance(error, IterableValidationError):
        items, others = error.group_exceptions()
        return [
            *(line for each, note in items for line in _problems(each, f"{path}[{note.index}]")),
            *(line for each in others for line in _problems(each, path)),
        ]
    if isinstance(error, ForbiddenExtraKeysError):
        return [_unknown(path, key, error.cl) for key in sorted(error.extra_fields)]
    if isinstance(error, ConfigFault):
        return [f"{_below(path, error.key)}: {error.fault}"]
    if isinstance(error, KeyError):
        # What is missing; its key is in the path already.
        return [f"{path}: must be given"]
    if isinstance(error, ValueError):
        return [f"{path}: {error}"]
    if isinstance(error, TypeError | AttributeError):
        # What cattrs stumbles over when there is a number where a table or list belongs.
        return [f"{path}: must be a list or a table of keys"]
    raise error


def _unknown(path: str, key: str, kind: type[Any]) -> str:
    names = [each.name for each in dataclasses.fields(kind)]
    close = difflib.get_close_matches(key, names, 1)
    hint = f"; {close[0]} perhaps?" if close else f"; there are {', '.join(names)}"
    return f"{_below(path, key)}: there is no such key{hint}"


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path and key else path or key
