"""A table as JSON for the disk."""

from __future__ import annotations

from typing import Any, Final

from cattrs.preconf.json import JsonConverter, make_converter

from genial.engine.rules import Leaving, Mode, Preset, Rules
from genial.services.lobby.table import Table


def _rules_to_json(rules: Rules) -> dict[str, Any]:
    # Only what was chosen: zone, teams and caps follow from it.
    return {
        "preset": rules.preset.value,
        "mode": rules.mode.value,
        "players": rules.players,
        "leaving": rules.leaving.value,
        "partners_talk": rules.partners_talk,
    }


def _rules_from_json(value: dict[str, Any], _: type) -> Rules:
    return Rules(
        preset=Preset(value["preset"]),
        mode=Mode(value["mode"]),
        players=value["players"],
        leaving=Leaving(value["leaving"]),
        partners_talk=value["partners_talk"],
    )


def _make_converter() -> JsonConverter:
    converter = make_converter(omit_if_default=True)
    converter.register_unstructure_hook(Rules, _rules_to_json)
    converter.register_structure_hook(Rules, _rules_from_json)
    # Hexadecimal, so that a person who looks into the database can compare hashes.
    converter.register_unstructure_hook(bytes, bytes.hex)
    converter.register_structure_hook(bytes, lambda value, _: bytes.fromhex(value))
    return converter


_CONVERTER: Final = _make_converter()


def table_to_json(table: Table) -> str:
    """The whole table, secrets included: for the host's own disk alone."""
    return _CONVERTER.dumps(table)


def table_from_json(text: str) -> Table:
    """The table of `table_to_json`.

    Raises:
        ValueError: The text is no such table; the message says where it goes wrong.
    """
    try:
        return _CONVERTER.loads(text, Table)
    except (KeyError, TypeError, ExceptionGroup) as fault:
        raise ValueError(f"no table: {fault}") from fault
