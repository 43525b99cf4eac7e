"""Binary encoding of a record, for storage. Equal records have equal bytes, and different records different bytes.

    4 bytes   "TLN" and the number of this form, 1 varint    rules version 1 byte    0: a catalogue variant; 1 + o: a
    game with o options 1 + n     length and ASCII of the name o bytes   for a game: the index of each option's choice,
    in the order in which the game lists its options 32 bytes  seed varint    number of tokens varints   for each token:
    its number in the game's vocabulary varints   for each token: milliseconds since the one before 1 byte    how it
    ended: 0 won, 1 resigned, 2 closed varint    milliseconds from the last token to the end 4 bytes   CRC-32 of
    everything before it, big-endian

A varint has seven bits per byte, lowest first; every byte but the last has the high bit set, and only the shortest
spelling is valid. docs/records.md, "Binary form", describes the encoding. This module only handles bytes and numbers;
`records` interprets them.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final, NamedTuple
from zlib import crc32

from games.rules.errors import RecordError
from games.rules.shuffle import SEED_BYTES

MAX_MS: Final = 2**47
"""Exclusive limit of clocks in milliseconds (4,000 years), small enough for every language to read exactly."""
_HEAD: Final = b"TLN\x01"
_CRC_BYTES: Final = 4
_NAME: Final = 32
_TOKEN: Final = 2**20
_ENDS: Final = 3


class Packed(NamedTuple):
    """A record as numbers, in the order of the form above.

    `seed` is 32 bytes. `tokens` are vocabulary numbers. `clock` and `end_ms` are milliseconds since the table was
    dealt. `choices` is None for a catalogue variant.
    """

    version: int
    name: str
    choices: bytes | None
    seed: bytes
    tokens: list[int]
    clock: list[int]
    how: int
    end_ms: int


def pack(record: Packed) -> bytes:
    """Encode a record in the form above."""
    out = bytearray(_HEAD)
    _put(out, record.version)
    name = record.name.encode("ascii")
    out += bytes((0 if record.choices is None else 1 + len(record.choices), len(name))) + name
    out += record.choices or b""
    out += record.seed
    _put(out, len(record.tokens))
    for number in record.tokens:
        _put(out, number)
    before = 0
    for ms in record.clock:
        _put(out, ms - before)
        before = ms
    out.append(record.how)
    _put(out, record.end_ms - before)
    return bytes(out) + crc32(out).to_bytes(_CRC_BYTES, "big")


def unpack(data: object, *, most_tokens: int) -> Packed:
    """Decode one packed record with at most `most_tokens` tokens.

    :raises RecordError: when `data` is not exactly one packed record.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise RecordError("a packed record is a byte string")
    data = bytes(data)
    body, check = data[:-_CRC_BYTES], data[-_CRC_BYTES:]
    if not body.startswith(_HEAD):
        raise RecordError("not a packed record of a known form")
    if crc32(body).to_bytes(_CRC_BYTES, "big") != check:
        raise RecordError("the packed record is damaged: its checksum differs")
    reader = _Reader(body[len(_HEAD) :])
    version = reader.varint(2**16, "rules version")
    kind = reader.byte(_NAME, "kind of name")
    name = reader.ascii(reader.byte(_NAME, "length of a name"))
    choices = reader.take(kind - 1) if kind else None
    seed = reader.take(SEED_BYTES)
    count = reader.varint(most_tokens + 1, "number of tokens")
    tokens = reader.varints(count, _TOKEN, "token")
    clock = list(accumulate(reader.varints(count, MAX_MS, "time")))
    how = reader.byte(_ENDS, "end")
    end_ms = (clock[-1] if clock else 0) + reader.varint(MAX_MS, "time")
    reader.finish()
    return Packed(version, name, choices, seed, tokens, clock, how, end_ms)


def _put(out: bytearray, number: int) -> None:
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


class _Reader:
    """Cursor over a byte string that refuses to read past its end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        if self._at + count > len(self._data):
            raise RecordError("the packed record ends too early")
        self._at += count
        return self._data[self._at - count : self._at]

    def ascii(self, count: int) -> str:
        word = self.take(count)
        if not word.isascii():
            raise RecordError("the packed record's name is not ASCII")
        return word.decode("ascii")

    def byte(self, limit: int, what: str) -> int:
        number = self.take(1)[0]
        if number >= limit:
            raise RecordError(f"the packed record has no such {what}: {number}")
        return number

    def varint(self, limit: int, what: str) -> int:
        return self.varints(1, limit, what)[0]

    def varints(self, count: int, limit: int, what: str) -> list[int]:
        data, at = self._data, self._at
        end = len(data)
        numbers: list[int] = []
        number = shift = 0
        while len(numbers) < count:
            if at == end:
                raise RecordError("the packed record ends too early")
            byte = data[at]
            at += 1
            number |= (byte & 0x7F) << shift
            if number >= limit:
                raise RecordError(f"the packed record has too large a {what}")
            if byte >= 0x80:
                shift += 7
                continue
            if not byte and shift:
                raise RecordError(f"the packed record spells a {what} too long")
            numbers.append(number)
            number = shift = 0
        self._at = at
        return numbers

    def finish(self) -> None:
        if self._at != len(self._data):
            raise RecordError("the packed record has data after its end")
