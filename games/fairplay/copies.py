"""Copy detection: another account made the same decisions earlier.

Won games at one deal are compared by their decisions (`games.fairplay.play_decisions`), so move order, undone moves and
draws in between make no difference. Obvious decisions weigh little, so two players who both play the obvious move do
not incriminate each other. docs/fairplay.md, "Copies", has the figures.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import cache, lru_cache
from hashlib import blake2b
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection

from games.db.players import player_services
from games.db.statements import Statement, read_time, run_in_order, stored
from games.fairplay.play_decisions import decisions, weighed
from games.models import Attempt
from games.rules import Record, Table

#: Games where a win is no evidence, because nearly all winners make the same decisions.
ALIKE: Final = frozenset({"labyrinth"})

#: Minimum Jaccard similarity of two games' decisions, obvious ones included, for a close comparison. Braid offers few
#: decisions, so all winners have much in common, and so have greedy players of Plot; a copy shares nearly everything.
LIKENESS: Final = 0.85
LIKENESS_OF: Final = {"braid": 0.95, "plot": 0.95}

#: Minimum weighted share of the smaller game's decisions that the other game must also contain.
SHARE: Final = 0.85

#: Minimum bits of non-obvious decisions in common. Only in Braid do simple players who win share some of them.
BITS: Final = 10.0
BITS_OF: Final = {"braid": 14.0}

#: A digest starts with a MinHash sketch for lookup: `BANDS` bands of two minimum hashes each. Of the pairs with a
#: similarity of 0.85, 99 in 100 share a band; at 0.9, all but 1 in 700.
BANDS: Final = 4
BAND_BYTES: Final = 4
_HEAD: Final = BANDS * BAND_BYTES

#: Maximum number of similar earlier wins, first ones first, with which a win is compared in detail; each takes some
#: 20 ms.
MOST_COMPARED: Final = 50


class Earlier(NamedTuple):
    """An earlier won attempt that may have been copied."""

    pk: int
    public_id: UUID
    decisions_digest: bytes


def digest_of(table: Table, moves: Sequence[str]) -> bytes | None:
    """Return the digest of a won game: its sketch, then its decisions. Changes the table, where the moves start.

    Return None for games where decisions do not distinguish players. The moves contain no undo (`Table.moves`).
    """
    if table.GAME in ALIKE:
        return None
    ordered = sorted({choice for choice in decisions(table, moves) if choice is not None})
    return _sketch(ordered) + struct.pack(f">{len(ordered)}H", *ordered) if ordered else None


def decided(digest: bytes) -> frozenset[int]:
    """Return the decisions in a digest."""
    return frozenset(struct.unpack(f">{(len(digest) - _HEAD) // 2}H", digest[_HEAD:]))


def _sketch(choices: Iterable[int]) -> bytes:
    hashes = [struct.unpack(">16H", blake2b(struct.pack(">H", choice), digest_size=32).digest()) for choice in choices]
    lowest = [min(column) for column in zip(*hashes, strict=True)]
    return struct.pack(f">{2 * BANDS}H", *lowest[: 2 * BANDS])


def likeness(first: AbstractSet[int], second: AbstractSet[int]) -> float:
    """Return the Jaccard similarity of two games' decisions."""
    together = len(first | second)
    return len(first & second) / together if together else 0.0


def minimum_likeness(game: str) -> float:
    """Return the minimum similarity for a close comparison of two games."""
    return LIKENESS_OF.get(game, LIKENESS)


def minimum_bits(game: str) -> float:
    """Return the minimum bits in common that make one of two games a copy."""
    return BITS_OF.get(game, BITS)


@lru_cache(maxsize=200)
def weights(record: bytes) -> Mapping[int, float]:
    """Return the decisions of a packed record that replays, each with its weight in bits.

    The cache pays off at deals that many players win in similar ways.
    """
    game = Record.from_bytes(record)
    table = game.open_table()
    for token in game.tokens:
        table.push(token)
    return MappingProxyType(weighed(game.open_table(), table.moves, decisions(game.open_table(), table.moves)))


def is_copy(first: Mapping[int, float], second: Mapping[int, float], game: str, share: float = SHARE) -> bool:
    """Return whether two games share more than two players would find independently, and this part of the lighter."""
    common = first.keys() & second.keys()
    smaller, common_of_smaller = min(
        (sum(game.values()), sum(game[choice] for choice in common)) for game in (first, second)
    )
    bits = min(sum(game[choice] for choice in common) for game in (first, second))
    return bits >= minimum_bits(game) and common_of_smaller >= share * smaller


def first_copied(attempt: Attempt, earlier: Sequence[Earlier]) -> UUID | None:
    """Return the first earlier attempt that this one copies, or None. On an easy deal many may be similar."""
    if not can_be_copy(attempt):
        return None
    own = weights(bytes(attempt.record or b""))
    for candidate in earlier[:MOST_COMPARED]:
        record = Attempt.objects.values_list("record", flat=True).get(pk=candidate.pk)
        if is_copy(own, weights(bytes(record or b"")), attempt.deal.game):
            return candidate.public_id
    return None


def can_be_copy(attempt: Attempt) -> bool:
    """Return whether an attempt has enough decisions to be a copy of anything."""
    return sum(weights(bytes(attempt.record or b"")).values()) >= minimum_bits(attempt.deal.game)


def may_be_copied(wins: Sequence[tuple[Attempt, bytes]], judged: Sequence[int]) -> dict[int, list[Earlier]]:
    """Return the similar earlier attempts of other players for each attempt id, earliest first.

    Only ranked wins of accounts count. They must be verified, or be among `judged`, whose verdicts the caller knows.
    """
    batch = ", ".join(["%s"] * len(judged)) or "NULL"
    condition = (
        f"(a.finished_at, a.id) < (%s, %s) AND (a.state = '{Attempt.State.VERIFIED}' OR a.id IN ({batch})) "
        "ORDER BY a.finished_at, a.id"
    )
    results = run_in_order([_others_like(*win, condition, judged) for win in wins])
    players = {row[3] for rows in results for row in rows}
    accounts = player_services().accounts_among(players) if players else set()
    return {
        attempt.pk: [
            Earlier(row[0], UUID(str(row[1])), bytes(row[2]))
            for row in rows
            if row[3] in accounts and _looks_like(attempt, digest, row[2])
        ]
        for (attempt, digest), rows in zip(wins, results, strict=True)
    }


def copies_since(verified: Sequence[tuple[Attempt, bytes]], since: datetime) -> set[int]:
    """Find pairs of similar wins that may have been judged without sight of each other.

    Compares wins that have just been verified with similar ones that were verified after `since` or finished later.
    Return the ids of the later attempt of each pair.
    """
    condition = f"a.state = '{Attempt.State.VERIFIED}' AND ((a.finished_at, a.id) > (%s, %s) OR a.verified_at >= %s)"
    results = run_in_order([_others_like(*win, condition, [stored(since)]) for win in verified])
    return {
        max((read_time(row[4]), row[0]), (attempt.finished_at, attempt.pk))[1]
        for (attempt, digest), rows in zip(verified, results, strict=True)
        for row in rows
        if _looks_like(attempt, digest, row[2])
    }


def _looks_like(attempt: Attempt, digest: bytes, other: bytes) -> bool:
    return likeness(decided(bytes(other)), decided(digest)) >= minimum_likeness(attempt.deal.game)


def _others_like(attempt: Attempt, digest: bytes, condition: str, parameters: Sequence[object]) -> Statement:
    """Build the query for other players' ranked wins at a deal that share a band of the sketch with a digest.

    `condition` is an extra condition; its parameters are the attempt's finish time and id, then `parameters`.
    """
    parts = [digest[at : at + BAND_BYTES] for at in range(0, _HEAD, BAND_BYTES)]
    values = [attempt.deal_id, *parts, attempt.player_id, stored(attempt.finished_at), attempt.pk, *parameters]
    return f"{_others()} AND {condition}", values


@cache
def _others() -> str:
    """Return the common part of the query. It is hand-written SQL because every verdict runs it, and the ORM takes
    longer to compose it than the database takes to run it.
    """
    cut = "SUBSTRING" if connection.vendor == "postgresql" else "SUBSTR"
    digest = Attempt._meta.get_field("decisions_digest").column
    parts = " OR ".join(f"{cut}(a.{digest}, {at + 1}, {BAND_BYTES}) = %s" for at in range(0, _HEAD, BAND_BYTES))
    return (
        f"SELECT a.id, a.public_id, a.{digest}, a.player_id, a.finished_at "  # noqa: S608 - names of our own
        f"FROM {Attempt._meta.db_table} a WHERE a.{digest} IS NOT NULL AND a.deal_id = %s AND ({parts}) "
        "AND a.player_id <> %s AND a.ranked"
    )
