"""Serialised messages put together from serialised parts, so that what stays is made only once.

Protobuf's format allows it: the bytes of a message are those of its fields in any order, and the
bytes of two messages, one after the other, are a message with the fields of both. No field that is
there once may come in both: to merge two messages in one field, as the format asks of parsers, is
more than some of them do (protobuf.js takes the last).
"""

from __future__ import annotations

_LENGTH_DELIMITED = 2


def embedded(number: int, body: bytes) -> bytes:
    """A serialised message (or text) as a field of the message around it.

    Args:
        number: The field's, 1 to 15.
        body: What stands in it.
    """
    length = len(body)
    head = bytearray((number << 3 | _LENGTH_DELIMITED,))
    while length > 0x7F:
        head.append(length & 0x7F | 0x80)
        length >>= 7
    head.append(length)
    return bytes(head) + body
