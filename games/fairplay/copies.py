"""Copies: another account decided the same before.

Won games at one deal are compared by what was decided (`games.fairplay.decisions`), so the order of moves, moves taken
back and draws on the way make no difference. A decision that comes of itself weighs little, so that two players who
both take what lies at hand do not accuse each other. docs/fairplay.md, "Copies", has the figures.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import cache, lru_cache
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from games.fairplay.decisions import decisions, weighed
from games.models import Attempt
from games.players import people
from games.rules import Record, Table
from games.statements import Statement, read_time, run_in_order, stored

#: Games of which a win tells nothing: nearly all who win decide the same.
ALIKE: Final = frozenset({"labyrinth"})

#: From how large a share of all that two players decided, the obvious included, they are looked at closely. In Braid
#: there is little to decide, so that all who win have much in common, as have greedy players of a Plot; a copy has
#: nearly all.
LIKENESS: Final = 0.85
LIKENESS_OF: Final = {"braid": 0.95, "plot": 0.95}

#: From how large a share of their weight the decisions of the one that decided less are the other's, too.
SHARE: Final = 0.85

#: How many bits of what is not obvious they have in common at least. Only in Braid are simple players who win alike in
#: some of it.
BITS: Final = 10.0
BITS_OF: Final = {"braid": 14.0}

#: A line begins with so many parts of a sketch, each from two of the lowest hashes of its decisions. Lines that are
#: alike have a part in common: at 0.85 of their decisions 99 of 100 have, at 0.9 all but 1 of 700.
BANDS: Final = 4
BAND_BYTES: Final = 4
_HEAD: Final = BANDS * BAND_BYTES


class Earlier(NamedTuple):
    """A won attempt that may have been copied."""

    pk: int
    public_id: UUID
    line: bytes


def line_of(table: Table, moves: Sequence[str]) -> bytes | None:
    """The line of a won game: a sketch, then what was decided. Changes the table, from which the moves start.

    None where it tells nobody from others. The moves have no undo among them (`Table.moves`).
    """
    if table.GAME in ALIKE:
        return None
    made = sorted({found for found in decisions(table, moves) if found is not None})
    return _sketch(made) + struct.pack(f">{len(made)}H", *made) if made else None


def decided(line: bytes) -> frozenset[int]:
    """The decisions in a line."""
    return frozenset(struct.unpack(f">{(len(line) - _HEAD) // 2}H", line[_HEAD:]))


def _sketch(made: Iterable[int]) -> bytes:
    hashes = [struct.unpack(">16H", blake2b(struct.pack(">H", one), digest_size=32).digest()) for one in made]
    lowest = [min(column) for column in zip(*hashes, strict=True)]
    return struct.pack(f">{2 * BANDS}H", *lowest[: 2 * BANDS])


def likeness(one: AbstractSet[int], other: AbstractSet[int]) -> float:
    """The share of all the decisions of two games that is common to both."""
    together = len(one | other)
    return len(one & other) / together if together else 0.0


def likeness_wanted(game: str) -> float:
    """From which likeness on two games are looked at closely."""
    return LIKENESS_OF.get(game, LIKENESS)


def bits_wanted(game: str) -> float:
    """How many bits in common make a copy of one of them."""
    return BITS_OF.get(game, BITS)


@lru_cache(maxsize=200)
def weights(record: bytes) -> Mapping[int, float]:
    """What was decided in a packed record that replays, each with its weight in bits. Those of deals that are won alike
    are asked for again and again.
    """
    return MappingProxyType(_weights(Record.from_bytes(record)))


def _weights(record: Record) -> dict[int, float]:
    table = record.open_table()
    for token in record.tokens:
        table.push(token)
    moves = table.moves
    return weighed(record.open_table(), moves, decisions(record.open_table(), moves))


def is_copy(one: Mapping[int, float], other: Mapping[int, float], game: str) -> bool:
    """Whether two games that look alike have in common what two players do not find each for himself."""
    common = one.keys() & other.keys()
    least, common_of_least = min((sum(game.values()), sum(game[found] for found in common)) for game in (one, other))
    bits = min(sum(game[found] for found in common) for game in (one, other))
    return bits >= bits_wanted(game) and common_of_least >= SHARE * least


def can_be_copy(attempt: Attempt) -> bool:
    """Whether enough was decided in an attempt to be a copy of anything."""
    return sum(weights(bytes(attempt.record or b"")).values()) >= bits_wanted(attempt.deal.game)


def may_be_copied(asked: Sequence[tuple[Attempt, bytes]], judged: Sequence[int]) -> dict[int, list[Earlier]]:
    """By the id of each attempt asked about: the earlier ones of others that are like it, the first first.

    Only ranked wins of accounts count that are verified, or among those just judged, whose verdict the caller knows.
    """
    batch = ", ".join(["%s"] * len(judged)) or "NULL"
    wanted = (
        f"(a.finished_at, a.id) < (%s, %s) AND (a.state = '{Attempt.State.VERIFIED}' OR a.id IN ({batch})) "
        "ORDER BY a.finished_at, a.id"
    )
    found = run_in_order([_others_like(*one, wanted, judged) for one in asked])
    players = {row[3] for rows in found for row in rows}
    accounts = people().accounts_among(players) if players else set()
    return {
        attempt.pk: [_read(row) for row in rows if row[3] in accounts and _looks_like(attempt, line, row[2])]
        for (attempt, line), rows in zip(asked, found, strict=True)
    }


def copies_since(verified: Sequence[tuple[Attempt, bytes]], since: datetime) -> set[int]:
    """Of wins that have just been verified, and others like them that were so after `since` or ended later: the ids of
    the later of each two, which may have been judged without sight of the earlier.
    """
    wanted = f"a.state = '{Attempt.State.VERIFIED}' AND ((a.finished_at, a.id) > (%s, %s) OR a.verified_at >= %s)"
    found = run_in_order([_others_like(*one, wanted, [stored(since)]) for one in verified])
    return {
        max((read_time(row[4]), row[0]), (attempt.finished_at, attempt.pk))[1]
        for (attempt, line), rows in zip(verified, found, strict=True)
        for row in rows
        if _looks_like(attempt, line, row[2])
    }


def _looks_like(attempt: Attempt, line: bytes, other: bytes) -> bool:
    return likeness(decided(bytes(other)), decided(line)) >= likeness_wanted(attempt.deal.game)


def _read(row: tuple[Any, ...]) -> Earlier:
    return Earlier(row[0], UUID(str(row[1])), bytes(row[2]))


def _others_like(attempt: Attempt, line: bytes, wanted: str, more: Sequence[object]) -> Statement:
    """The ranked wins of others at a deal that have a part of the sketch in common with a line, as far as they are
    `wanted`, which may use when the attempt was finished, its id, and `more`.
    """
    parts = [line[at : at + BAND_BYTES] for at in range(0, _HEAD, BAND_BYTES)]
    when = stored(attempt.finished_at)
    return f"{_others()} AND {wanted}", [attempt.deal_id, *parts, attempt.player_id, when, attempt.pk, *more]


@cache
def _others() -> str:
    """Written out, as many verdicts ask it: composing it by the ORM takes longer than running it."""
    cut = "SUBSTRING" if connection.vendor == "postgresql" else "SUBSTR"
    parts = " OR ".join(f"{cut}(a.line, {at + 1}, {BAND_BYTES}) = %s" for at in range(0, _HEAD, BAND_BYTES))
    return (
        "SELECT a.id, a.public_id, a.line, a.player_id, a.finished_at "  # noqa: S608 - names of our own
        f"FROM {Attempt._meta.db_table} a WHERE a.line IS NOT NULL AND a.deal_id = %s AND ({parts}) "
        "AND a.player_id <> %s AND a.ranked"
    )
