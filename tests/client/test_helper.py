"""Helper processes do not outlive whoever started them, however that ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

SCRIPT = """
import multiprocessing, os, sys
from concurrent.futures import ProcessPoolExecutor
from genial.client import helper

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, mp_context=context, initializer=helper.begin)
    print(pool.submit(os.getpid).result(), flush=True)
    sys.stdin.read()
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_helper_ends_when_its_parent_is_killed(tmp_path: object) -> None:
    script = os.path.join(str(tmp_path), "parent.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        helper = int(parent.stdout.readline())
        assert is_running(helper)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        deadline = time.monotonic() + 30
        while is_running(helper):
            assert time.monotonic() < deadline
            time.sleep(0.05)
