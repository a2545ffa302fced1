"""Where files of the user's own are."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def settings_path() -> Path:
    """Where the settings of this user are kept."""
    return platformdirs.user_config_path("genial", appauthor=False) / "settings.toml"
