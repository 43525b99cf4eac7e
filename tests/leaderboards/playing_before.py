"""Players with a past: old accounts, and verified games of earlier days."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from allauth.account.models import EmailAddress

from games.models import Attempt, Deal
from tests.leaderboards import factory
from tests.leaderboards.factory import DAY

ONE_DAY = timedelta(days=1)
OPENED = datetime.combine(DAY, datetime.min.time(), tzinfo=UTC)
"""Opening time of the deals of `factory.DAY`."""

ON_THREE_DAYS = (("stonewall", 1), ("stonewall", 2), ("plot", 3))
"""The fewest games that make a player established: variants, and how many days ago."""


def player(**fields: Any) -> Any:
    """Create a player without games, with a confirmed address and an account older than the deals of `factory.DAY`."""
    who = factory.player(**{"date_joined": OPENED - 30 * ONE_DAY, **fields})
    if not who.is_guest:
        EmailAddress.objects.create(user=who, email=f"{who.public_id}@example.org", verified=True)
    return who


def established(games: Iterable[tuple[str, int]] = ON_THREE_DAYS, **fields: Any) -> Any:
    who = player(**fields)
    play(who, games)
    return who


def play(who: Any, games: Iterable[tuple[str, int]], **fields: Any) -> list[Attempt]:
    """Create verified games of earlier days, without records."""
    return [verified(who, deal(variant, days), **fields) for variant, days in games]


def verified(who: Any, of: Deal, **fields: Any) -> Attempt:
    """Create a win verified an hour after its deal opened."""
    at = of.opens_at + timedelta(hours=1)
    made = {"state": Attempt.State.VERIFIED, "finished_at": at, "verified_at": at, "ladder": None}
    made |= {"end": Attempt.End.WON, "real_play": True, **fields}
    return Attempt.objects.create(
        deal=of, player=who, ranked=True, started_at=of.opens_at, record=b"-",
        cards_up=1, elapsed_ms=1, tokens=1, **made,
    )  # fmt: skip


def deal(variant: str, days: int) -> Deal:
    day = DAY - days * ONE_DAY
    return Deal.objects.filter(variant=variant, day=day).first() or factory.deal(variant, day)
