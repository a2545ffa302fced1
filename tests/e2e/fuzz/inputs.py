"""Things that nobody should send: random bytes, mutated messages, strange metadata.

Everything follows from a seed, so that what was found once can be found again.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from genial.wire.metadata import AUTHORIZATION, FORWARDED_BY, HOST_PASSWORD, SEAT_TOKEN

Metadata = tuple[tuple[str, str], ...]

_TEXTS: Final = (
    *("", " ", "medium", "easy", "RB", "rb", "XX", "Ana", "../../etc/passwd", "%s%n", "\x00"),
    *("\x1b]0;x\x07", "\u202e", "\u0301" * 40, "😀" * 30, "a" * 5000, "-1", "NaN", "{}", "'; --"),
    str(uuid.UUID(int=0)),
)
_NUMBERS: Final = (0, 1, 2, 3, 4, 7, 8, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
_RANGES: Final = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.CPPTYPE_ENUM: (-(2**31), 2**31 - 1),
}


@dataclass(frozen=True)
class Input:
    """One call."""

    rpc: str
    data: bytes
    metadata: Metadata

    def __str__(self) -> str:
        return f"{self.rpc} {self.data.hex()} {self.metadata}"


class Inventor:
    """Makes up calls. `known` are ids and names that mean something to the host right now."""

    def __init__(self, seed: int, rpcs: Sequence[MethodDescriptor]) -> None:
        self.random = random.Random(seed)
        self.rpcs = tuple(rpcs)
        self.known: list[str] = []
        self.tokens: list[str] = []

    def next(self) -> tuple[MethodDescriptor, Input]:
        rpc = self.random.choice(self.rpcs)
        data = self._data(rpc)
        path = f"/{rpc.containing_service.full_name}/{rpc.name}"
        return rpc, Input(path, data, self._metadata())

    def _data(self, rpc: MethodDescriptor) -> bytes:
        kind = self.random.random()
        if kind < 0.15:
            return self.random.randbytes(self.random.choice((0, 1, 7, 60, 600)))
        message = self._message(GetMessageClass(rpc.input_type), 0)
        data: bytes = message.SerializeToString()
        return self._mutated(data) if kind < 0.4 else data

    def _message(self, kind: type[Message], depth: int) -> Message:
        message = kind()
        for descriptor in kind.DESCRIPTOR.fields:
            if self.random.random() < 0.25:
                continue
            self._fill(message, descriptor, depth)
        return message

    def _fill(self, message: Any, descriptor: Any, depth: int) -> None:
        name = descriptor.name
        nested = descriptor.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE
        if nested and depth > 3:
            return
        if descriptor.is_repeated:
            values = getattr(message, name)
            for _ in range(self.random.choice((0, 1, 2, 2, 3, 9))):
                if nested:
                    values.add().CopyFrom(self._nested(descriptor, depth))
                else:
                    values.append(self._value(descriptor))
        elif nested:
            getattr(message, name).CopyFrom(self._nested(descriptor, depth))
        else:
            setattr(message, name, self._value(descriptor))

    def _nested(self, descriptor: Any, depth: int) -> Message:
        return self._message(GetMessageClass(descriptor.message_type), depth + 1)

    def _value(self, descriptor: Any) -> Any:
        kind = descriptor.cpp_type
        if kind == FieldDescriptor.CPPTYPE_STRING:
            if descriptor.type == FieldDescriptor.TYPE_BYTES:
                return self.random.randbytes(self.random.choice((0, 1, 31, 32, 32, 33, 500)))
            return self._text(descriptor.name)
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            return self.random.random() < 0.5
        if kind in _RANGES:
            least, most = _RANGES[kind]
            small = self.random.random() < 0.7
            value = self.random.randrange(0, 6) if small else self.random.choice(_NUMBERS)
            return max(least, min(most, value if self.random.random() < 0.9 else -value))
        return self.random.choice((0.0, -1.0, 1e300, float("inf"), float("nan")))

    def _text(self, name: str) -> str:
        if name == "request_id" and self.random.random() < 0.9:
            return str(uuid.UUID(int=self.random.getrandbits(128)))
        if self.known and self.random.random() < 0.7:
            return self.random.choice(self.known)
        return self.random.choice(_TEXTS)

    def _mutated(self, data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self.random.randrange(1, 5)):
            at = self.random.randrange(len(changed) + 1)
            match self.random.randrange(4):
                case 0 if at < len(changed):
                    changed[at] ^= 1 << self.random.randrange(8)
                case 1:
                    del changed[at : at + self.random.randrange(1, 9)]
                case 2:
                    changed[at:at] = self.random.randbytes(self.random.randrange(1, 9))
                case _:
                    changed[at:at] = changed[: self.random.randrange(len(changed) + 1)]
        return bytes(changed)

    def _metadata(self) -> Metadata:
        entries: list[tuple[str, str]] = []
        if self.tokens and self.random.random() < 0.6:
            entries.append((SEAT_TOKEN, self.random.choice(self.tokens)))
        if self.random.random() < 0.1:
            key = self.random.choice((SEAT_TOKEN, HOST_PASSWORD, AUTHORIZATION, FORWARDED_BY))
            value = self.random.choice(("", "x", "Bearer", "Bearer x", "%", "%ff%00", "A" * 43))
            entries.append((key, value))
        return tuple(entries)
