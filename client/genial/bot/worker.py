"""A process that decides: requests on standard input, answers on standard output, pickled.

Only `thinker` starts it, and only it writes to its pipes. It ends when its input closes, so a bot
process that is killed leaves none behind.
"""

from __future__ import annotations

import os
import pickle
import random
import sys
from typing import BinaryIO

from genial.bot.thought import Answer, Request
from genial.engine.game import Command
from genial.strategy.budget import Budget
from genial.strategy.levels import level_named


def decide(request: Request) -> Command:
    """Make one decision.

    Raises:
        UnknownLevelError: There is no such level.
    """
    level = level_named(request.level)
    budget = level.budget if request.seconds is None else Budget(seconds=request.seconds)
    return level.choose(request.view, request.memory, random.Random(request.seed), budget)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until their stream ends."""
    while True:
        try:
            request: Request = pickle.load(requests)
        except EOFError:
            return
        try:
            answer = Answer(decide(request))
        except Exception as error:  # whatever it was, whoever asked has to hear of it
            answer = Answer(None, f"{type(error).__name__}: {error}")
        pickle.dump(answer, answers)
        answers.flush()


def main() -> None:
    """Serve the pipes that this process was started with."""
    if hasattr(os, "nice"):
        os.nice(10)
    answers = sys.stdout.buffer
    # A stray print must not end up between two answers.
    sys.stdout = sys.stderr
    try:
        serve(sys.stdin.buffer, answers)
    except (BrokenPipeError, KeyboardInterrupt):
        # Nobody is left to answer to.
        os._exit(0)


if __name__ == "__main__":
    main()
