"""The version of this software: the one place that says it (the build reads it, too)."""

VERSION = "0.1.0"

SOFTWARE = f"genial-lan {VERSION}"
"""As records and hosts tell it."""
