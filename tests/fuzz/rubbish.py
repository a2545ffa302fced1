"""Rubbish of every kind: random bytes, damaged bytes, and messages whose fields make no sense."""

from __future__ import annotations

import random
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

_NASTY_TEXTS: Final = (
    "",
    "\x00",
    "\x1b[2J\x1b]0;owned\x07",
    "\u202eevil",
    "e" + "\u0301" * 300,
    "x" * 5000,
    "🎲" * 100,
    "' OR 1=1; --",
    "../../etc/passwd",
    "%s%n{0}{field}",
    "RB",
    "-1",
    "00000000-0000-0000-0000-000000000000",
)
_NASTY_INTEGERS: Final = (0, 1, -1, 7, 255, 2**31 - 1, -(2**31), 2**32 - 1, 2**63 - 1, -(2**63))
_INTEGERS: Final = {
    FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_SINT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_SINT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
}


def random_bytes(source: random.Random) -> bytes:
    """No message at all, most likely."""
    return source.randbytes(int(2000 ** source.random()) - 1)


def damaged(data: bytes, source: random.Random) -> bytes:
    """The same with a few bytes changed, lost, doubled or added."""
    changed = bytearray(data)
    for _ in range(source.choice((1, 1, 1, 2, 3, 8))):
        at = source.randrange(len(changed) + 1)
        match source.randrange(6):
            case 0 if changed:
                changed[at % len(changed)] ^= 1 << source.randrange(8)
            case 1 if changed:
                changed[at % len(changed)] = source.choice((0, 0x7F, 0x80, 0xFF))
            case 2:
                del changed[at : at + source.randrange(1, 9)]
            case 3:
                changed[at:at] = changed[at : at + source.randrange(1, 33)]
            case 4:
                changed[at:at] = source.randbytes(source.randrange(1, 9))
            case _:
                del changed[at:]
    return bytes(changed)


def senseless(message: Message, source: random.Random) -> Message:
    """The same with the values of a few fields, at any depth, replaced."""
    for _ in range(source.choice((1, 1, 2, 4))):
        _spoil(message, source)
    return message


def _spoil(message: Message, source: random.Random) -> None:
    fields: Any = message.DESCRIPTOR.fields
    if not fields:
        return
    field = source.choice(fields)
    name = field.name
    entries = field.message_type is not None and field.message_type.GetOptions().map_entry
    if source.random() < 0.1 or entries:
        message.ClearField(name)
    elif field.is_repeated:
        _spoil_list(getattr(message, name), field, source)
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        inner = getattr(message, name)
        inner.SetInParent()
        if source.random() < 0.9:
            _spoil(inner, source)
    else:
        setattr(message, name, _value(field, source))


def _spoil_list(values: Any, field: Any, source: random.Random) -> None:
    if len(values) and source.random() < 0.4:
        del values[source.randrange(len(values)) :]
    for _ in range(source.choice((1, 1, 2, 40))):
        if field.type != FieldDescriptor.TYPE_MESSAGE:
            values.append(_value(field, source))
        elif len(values) and source.random() < 0.5:
            _spoil(source.choice(values), source)
        else:
            added = GetMessageClass(field.message_type)()
            _spoil(added, source)
            values.add().CopyFrom(added)


def _value(field: FieldDescriptor, source: random.Random) -> Any:
    if field.type in _INTEGERS:
        low, high = _INTEGERS[field.type]
        return min(high, max(low, source.choice((*_NASTY_INTEGERS, source.randint(low, high)))))
    match field.type:
        case FieldDescriptor.TYPE_ENUM:
            return source.choice((0, 1, 2, 3, 99, -5, 2**31 - 1))
        case FieldDescriptor.TYPE_BOOL:
            return source.random() < 0.5
        case FieldDescriptor.TYPE_STRING:
            return source.choice(_NASTY_TEXTS)
        case FieldDescriptor.TYPE_BYTES:
            return source.randbytes(source.choice((0, 1, 31, 32, 33, 400)))
        case _:
            raise TypeError(f"{field.full_name} has a type that the contract did not use before")
