"""How a command says that what was asked for cannot be had."""

from __future__ import annotations


class Failure(Exception):
    """Ends the program with exit code 1 and one line on standard error.

    Args:
        sentence: What failed and what to do; one line.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = " ".join(sentence.split())
