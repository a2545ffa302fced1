"""Settings of every test below.

Property tests give the same examples every time, so that a red run can be repeated and a green
one means the same on every machine. To look further, by hand and for as long as you like:

    GENIAL_SOAK=2000 .venv/bin/python -m pytest tests/engine
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Before anything imports grpc: tests fork (pseudo-terminals, processes that judge records), and
# gRPC's own fork handlers would bring its threads to life in a child that is about to become
# another program, where their descriptors are closed already.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

SOAK = int(os.environ.get("GENIAL_SOAK") or 0)

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.register_profile(
    "soak",
    max_examples=SOAK or 100,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("soak" if SOAK else "repeatable")
