"""Words that several screens share: levels, modes, presets."""

from __future__ import annotations

from genial.client.text import N_, _
from genial.engine.rules import Mode, Preset
from genial.v1.table_pb2 import ChatMessage

_LEVEL_WORDS = {
    "easy": N_("easy"),
    "medium": N_("medium"),
    "hard": N_("hard"),
}
_MODE_WORDS = {
    Mode.FREE: N_("free for all"),
    Mode.PARTNERS: N_("partners"),
    Mode.SOLO: N_("solitaire"),
}
_PRESET_WORDS = {Preset.GENIAL: N_("rules genial"), Preset.OFFICIAL: N_("rules official")}


def level_word(level: str) -> str:
    """A bot's level in the player's language; unknown ones as they are."""
    return _(_LEVEL_WORDS[level]) if level in _LEVEL_WORDS else level


def mode_word(mode: Mode) -> str:
    """What kind of game this is."""
    return _(_MODE_WORDS[mode])


def preset_word(preset: Preset) -> str:
    """Which exchange rule holds."""
    return _(_PRESET_WORDS[preset])


def chat_name(message: ChatMessage) -> str:
    """Who wrote a chat message; spectators have no name."""
    return message.name or _("guest")
