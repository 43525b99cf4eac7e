"""Copies: the same moves played by another account before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import Final
from uuid import UUID

from games.fairplay.pace import play_times
from games.models import Attempt
from games.statements import run_in_order, stored

#: Lines with fewer plays than this may well be found by two people.
TRIVIAL_PLAYS: Final = 20


def line_digest(tokens: Sequence[str], auto_runs: Collection[Sequence[int]] = ()) -> bytes | None:
    """A digest equal for equal token sequences, or None for a line so short that two people may both find it."""
    if len(play_times(tokens, range(len(tokens)), auto_runs)) < TRIVIAL_PLAYS:
        return None
    return blake2b(" ".join(tokens).encode(), digest_size=16).digest()


# Written out, as every verdict asks it: composing it by the ORM takes longer than replaying the record.
_EARLIER: Final = (
    f"SELECT public_id FROM {Attempt._meta.db_table} WHERE deal_id = %s AND line = %s AND player_id <> %s "  # noqa: S608
    "AND (finished_at, id) < (%s, %s) ORDER BY finished_at, id LIMIT 1"
)


def earlier_lines(asked: Sequence[tuple[Attempt, bytes]]) -> dict[int, UUID]:
    """By the id of each attempt whose line another account played before: the public id of the first that did."""
    statements = [
        (_EARLIER, [attempt.deal_id, line, attempt.player_id, stored(attempt.finished_at), attempt.pk])
        for attempt, line in asked
    ]
    found = zip(asked, run_in_order(statements), strict=True)
    return {attempt.pk: UUID(str(rows[0][0])) for (attempt, _line), rows in found if rows}
