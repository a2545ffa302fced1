"""Refusals that a repeat of their request gets again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from copy import copy
from typing import Final

from genial.wire.errors import GenialError
from genial.wire.reasons import Code

_MOST: Final = 256

_LASTING: Final = (Code.FAILED_PRECONDITION, Code.ABORTED)
"""What was looked at and refused; a refusal for a full disk may well succeed when repeated."""


class Refusals:
    """Remembers the latest refusals, in memory alone.

    What was refused once must not be granted to a copy of the same request that arrives late: the
    caller has been told already, and went on. No copy outlives the host that it was sent to.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, GenialError] = OrderedDict()

    def check(self, request: Hashable) -> None:
        """Refuses a request that was refused before.

        Raises:
            GenialError: The same as then.
        """
        if request in self._kept:
            raise copy(self._kept[request])

    def keep(self, request: Hashable, error: GenialError) -> None:
        """Remembers a refusal, if it is one that lasts."""
        if error.code not in _LASTING:
            return
        # A copy holds no traceback, and with it no frames.
        self._kept[request] = copy(error)
        if len(self._kept) > _MOST:
            self._kept.popitem(last=False)
