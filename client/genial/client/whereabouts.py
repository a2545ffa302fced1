"""Where hosts have answered before, so that the next time begins there.

state dir/whereabouts.json      targets by host id or typed address, newest first
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from filelock import FileLock

from genial.client.files import private_dir, read_json, storing, write_json

_PLACES_EACH: Final = 4
_MOST_KEYS: Final = 200


class Whereabouts:
    """Targets that worked, in a file of the user's own or, without one, in memory.

    What stands there is a hint and never trusted: a host that answers is judged as any other.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Uses the file at `path`; None: nothing is kept."""
        self._path = path
        self._places: dict[str, list[str]] = {}

    def of(self, *keys: str) -> tuple[str, ...]:
        """The targets that worked for any of these ids or addresses, newest first."""
        self._load()
        found = [target for key in keys for target in self._places.get(key.casefold(), [])]
        return tuple(dict.fromkeys(found))

    def note(self, target: str, *keys: str) -> None:
        """Remembers that `target` worked for these ids or addresses.

        Raises:
            StorageError: The file cannot be written.
        """
        self._load()
        if all(self._places.get(key.casefold(), [])[:1] == [target] for key in keys):
            return
        if self._path is None:
            self._put(target, keys)
            return
        with storing(self._path):
            private_dir(self._path.parent)
            with FileLock(self._path.with_suffix(".lock")):
                self._load()
                self._put(target, keys)
                write_json(self._path, {"places": self._places})

    def _put(self, target: str, keys: tuple[str, ...]) -> None:
        for key in keys:
            places = self._places.pop(key.casefold(), [])
            kept = [place for place in places if place != target]
            # The newest key is the last, so that the oldest go first.
            self._places[key.casefold()] = [target, *kept][:_PLACES_EACH]
        for oldest in list(self._places)[:-_MOST_KEYS]:
            del self._places[oldest]

    def _load(self) -> None:
        if self._path is None:
            return
        # Damaged or missing: then nothing is remembered, and every address is tried anew.
        content: dict[str, Any] = read_json(self._path) or {}
        places = content.get("places")
        self._places = {
            str(key): [target for target in targets if isinstance(target, str)]
            for key, targets in (places if isinstance(places, dict) else {}).items()
            if isinstance(targets, list)
        }
