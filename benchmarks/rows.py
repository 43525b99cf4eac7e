"""Rows for benchmarks: deals, accounts, and finished attempts. They need Django to be set up."""

# ruff: noqa: ANN401 - fields of rows are what they are
from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from accounts.models import User
    from games.models import Attempt, Deal

DAY: Final = date(2026, 11, 20)
NOON: Final = datetime.combine(DAY, time(12), UTC)
_numbers = itertools.count(1)


def make_account() -> User:
    """Create an account."""
    from accounts.models import User

    user: User = User.objects.create_user(f"account {next(_numbers)}")
    return user


def make_deal(variant: str, day: date | None = DAY, *, seed: bytes = b"", **fields: Any) -> Deal:
    """Create the daily deal of a day, or without one a deal for practice."""
    from games.models import Deal
    from games.rules import CATALOGUE, RULES_VERSION, commitment

    seed = seed or sha256(f"{variant} {day}".encode()).digest()
    opens = datetime.combine(day or DAY, time(), UTC)
    facts: dict[str, Any] = {
        "game": CATALOGUE[variant].game,
        "options": dict(CATALOGUE[variant].options),
        "rules_version": RULES_VERSION,
        "day": day,
        "commitment": commitment(seed),
        "opens_at": opens,
        "closes_at": opens + timedelta(days=1) if day else None,
    }
    return Deal.objects.create(variant=variant, seed=seed, **facts | fields)


def finished(
    deal: Deal,
    moves: Sequence[str],
    clock: Sequence[int],
    end: Literal["won", "resigned"],
    *,
    started_at: datetime = NOON,
    **fields: Any,
) -> Attempt:
    """Create a finished ranked attempt that awaits its verdict."""
    from games.models import Attempt
    from games.rules import End, Record

    record = Record(
        deal.rules_version, deal.variant, None, bytes(deal.seed), tuple(moves), tuple(clock), End(end, clock[-1])
    )
    facts: dict[str, Any] = {
        "ranked": True,
        "state": Attempt.State.PENDING,
        "started_at": started_at,
        "finished_at": started_at + timedelta(milliseconds=clock[-1]),
        "end": end,
        "record": record.to_bytes(),
        "auto_runs": [],
    }
    if "player" not in fields:
        fields["player"] = make_account()
    return Attempt.objects.create(deal=deal, **facts | fields)
