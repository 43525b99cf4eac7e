"""Damaged input for the fuzz tests: records, packed records, tokens and positions, changed a little or a lot."""

from __future__ import annotations

import copy
import random
import zlib
from typing import Any

from games.rules import CATALOGUE, End, Record, open_table


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


STRANGE: list[Any] = [
    *[None, True, False, 0, 1, -1, 2, 3, 2**31, 2**47, 2**63, 10**5000, -(10**5000), 0.0, 1.5],
    *[float("nan"), float("inf"), "", "u", "d", "n", "up", "\x00", "\ud800", "\ud800" * 64, "é" * 40, "x" * 5000],
    *["0" * 64, "f" * 64, "F" * 64, "g" * 64, " " * 64, "1", "true"],
    *["braid", "tarot", "plot", "pigtail", "won", "closed", "up", "either", "wild", "trump", "٣" * 64],
    *[[], {}, [1], ["d"], {"how": "won"}, {"how": "won", "ms": 0}, {"draw": 1}, {"redeals": 3}, {1: 2}, {None: []}],
    *[b"", b"d", bytes(32), ("d",), {"d"}, range(3), nested(50), nested(5000), object()],
]

WORDS = """
d n u up down w-f r-f w-t0 w-t1 r-t0 t0-t1 t1-t0 t0-f t5-f r0-t0 r15-f
t0-t1x2 t1-t0x3 t0-t1x1 t0-t1x0 t0-t1x02 t0-t1x78 t0-t1x79 t0-t1x-1 t0-t0 t00-f t0-t1x t0-fx2
- -- -f f t0- t0-f0 f0-f s-f w-s t99-f T0-F t0–f t٣-f t0-t1x² x
"""
TOKENS = [*WORDS.split(), "", " d", "d ", "d\n", "u" * 33, "\ud800", "\x00"]


def sample_records(dice: random.Random) -> list[Record]:
    """Play a few short games of every variant."""
    return [_sample(dice, name, None) for name in CATALOGUE for _ in range(2)] + [
        _sample(dice, variant.game, dict(variant.options)) for variant in CATALOGUE.values()
    ]


def _sample(dice: random.Random, name: str, options: dict[str, Any] | None) -> Record:
    seed = dice.randbytes(32)
    table = open_table(name, seed, options)
    tokens: list[str] = []
    for _ in range(dice.randrange(25)):
        legal = table.legal_moves()
        token = "u" if table.can_undo and (not legal or dice.random() < 0.1) else dice.choice(legal)
        table.push(token)
        tokens.append(token)
    clock = sorted(dice.randrange(10**6) for _ in tokens)
    end = End("resigned", (clock[-1] if clock else 0) + dice.randrange(1000))
    return Record(1, name, options, seed, tuple(tokens), tuple(clock), end)


def bent_bytes(dice: random.Random, data: bytes) -> bytes:
    """Change, cut, repeat or insert bytes."""
    bent = bytearray(data)
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        place = dice.randrange(len(bent) + 1)
        kind = dice.randrange(6)
        if kind == 0:
            bent[place : place + 1] = dice.randbytes(1)
        elif kind == 1 and place < len(bent):
            bent[place] ^= 1 << dice.randrange(8)
        elif kind == 2:
            del bent[place : place + dice.choice([1, 2, 8])]
        elif kind == 3:
            bent[place:place] = dice.choice(
                [b"\x00", b"\xff", b"\x80", b"\x80" * 12, b"\xff" * 9 + b"\x01", dice.randbytes(3)]
            )
        elif kind == 4:
            bent[place:place] = bent[place : place + dice.randrange(1, 12)]
        else:
            del bent[place:]
    return bytes(bent)


def resealed(data: bytes) -> bytes:
    """Put a correct checksum on a damaged record, so that the rest of it is read."""
    body = data[:-4]
    return body + zlib.crc32(body).to_bytes(4, "big")


def bent_json(dice: random.Random, data: dict[str, Any]) -> Any:
    """Put strange values anywhere in a record's JSON form, drop or add keys, reorder and repeat list entries."""
    bent: Any = copy.deepcopy(data)
    for _ in range(dice.choice([1, 1, 2, 4])):
        if not isinstance(bent, dict) or dice.random() < 0.01:
            return dice.choice(STRANGE)
        holder = dice.choice([bent, *(part for part in bent.values() if isinstance(part, dict | list))])
        if isinstance(holder, dict):
            _bend_object(dice, holder)
        else:
            _bend_list(dice, holder)
    return bent


def _bend_object(dice: random.Random, holder: dict[Any, Any]) -> None:
    key = dice.choice([*holder, "extra", "options", "variant", "game", 5])
    if dice.random() < 0.15:
        holder.pop(key, None)
    else:
        holder[key] = dice.choice(STRANGE)


def _bend_list(dice: random.Random, holder: list[Any]) -> None:
    place = dice.randrange(len(holder) + 1)
    kind = dice.randrange(5)
    if kind == 0:
        holder[place : place + 1] = [dice.choice(STRANGE)]
    elif kind == 1:
        holder[place : place + 1] = [dice.choice(TOKENS)]
    elif kind == 2:
        del holder[place : place + 1]
    elif kind == 3:
        holder[place:place] = holder[place : place + 2]
    else:
        dice.shuffle(holder)


def bent_tokens(dice: random.Random, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Change, drop or insert tokens; all stay strings short enough for a record."""
    bent = list(tokens)
    for _ in range(dice.choice([1, 1, 2, 5])):
        place = dice.randrange(len(bent) + 1)
        kind = dice.randrange(4)
        if kind == 0:
            bent[place : place + 1] = [dice.choice(TOKENS)]
        elif kind == 1:
            bent[place:place] = [dice.choice(TOKENS)]
        elif kind == 2:
            bent[place : place + 1] = [spoiled(dice, bent[place] if place < len(bent) else "d")]
        else:
            del bent[place : place + 1]
    return tuple(token for token in bent if len(token) <= 32)


def spoiled(dice: random.Random, text: str) -> str:
    """Change one character of a text."""
    place = dice.randrange(len(text) + 1)
    letter = dice.choice("0123456789tfrswxduMAKQ-*. |=\n\x00é²")
    return text[:place] + dice.choice([letter, ""]) + text[place + dice.randrange(2) :]
