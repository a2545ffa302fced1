"""Evenings that are done, kept in a file, so that a long run that was stopped goes on."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
KEPT: Final = ROOT / "build" / "soak"


@dataclass(frozen=True, slots=True)
class Done:
    """What came of the evening of a seed, without its trace; see `Outcome`."""

    seed: int
    problems: list[str]
    games: int
    deaths: int
    commits: int


def code_digest() -> str:
    """Names the code that is loaded, as far as it lies in this checkout: 12 hexadecimal digits.

    Nothing that an older host has survived says anything of this one.
    """
    digest = hashlib.sha256()
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    for path in sorted(Path(file).resolve() for file in files if file):
        if path.is_relative_to(ROOT) and ".venv" not in path.parts:
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


class Kept:
    """The file of what is done, for one state of the code.

    Attributes:
        path: Where it lies: a JSON document for each evening, a line each.
        done: By seed, what it holds.
    """

    def __init__(self, folder: Path, digest: str) -> None:
        """Reads what is there; a line that was cut short by an interruption is dropped."""
        self.path = folder / f"evenings-{digest}.jsonl"
        self.done: dict[int, Done] = {}
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                try:
                    each = Done(**json.loads(line))
                except ValueError:
                    continue
                self.done[each.seed] = each

    def add(self, evenings: Iterable[Done]) -> None:
        """Takes down what is done now.

        Raises:
            OSError: It cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            for each in evenings:
                # Each on a line of its own, even after one that was cut short.
                file.write(f"\n{json.dumps(asdict(each))}")
                self.done[each.seed] = each
