"""Settings of every test below.

Property tests give the same examples every time, so that a red run can be repeated and a green
one means the same on every machine. To look further, by hand and for as long as you like:

    GENIAL_SOAK=2000 .venv/bin/python -m pytest tests/engine
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

SOAK = int(os.environ.get("GENIAL_SOAK") or 0)

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.register_profile(
    "soak",
    max_examples=SOAK or 100,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("soak" if SOAK else "repeatable")
