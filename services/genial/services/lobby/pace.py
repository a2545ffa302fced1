"""How fast somebody may talk."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Final

from genial.wire.errors import GenialError, Reason

_MINUTE_MS: Final = 60_000
_MOST_SPEAKERS: Final = 1000


class Pace:
    """At most so many messages a minute from each speaker; the longest silent are forgotten."""

    def __init__(self, per_minute: int) -> None:
        self._limit = per_minute
        self._said: OrderedDict[str, deque[int]] = OrderedDict()

    def check(self, speaker: str, now: int) -> None:
        """Counts one more message at `now` (ms).

        Raises:
            GenialError: TOO_MANY_MESSAGES; then it does not count.
        """
        said = self._said.setdefault(speaker, deque(maxlen=self._limit))
        self._said.move_to_end(speaker)
        if len(self._said) > _MOST_SPEAKERS:
            self._said.popitem(last=False)
        if len(said) == self._limit and now - said[0] < _MINUTE_MS:
            raise GenialError(Reason.TOO_MANY_MESSAGES, limit=self._limit)
        said.append(now)
