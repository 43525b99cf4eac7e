"""What pages show of a deal, and never its secrets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from games.deals.difficulty import grade_name
from games.models import Attempt, Deal
from games.pages import titles


def card(deal: Deal, attempt: Attempt | None) -> dict[str, Any]:
    """What a template shows of a deal: never the deal's secrets, which no template should come across by chance."""
    deal.seed, deal.solution = b"", None
    return {
        "deal": deal,
        "title": titles.deal_title(deal),
        "attempt": attempt,
        "open": deal.is_open(timezone.now()),
        "grade": grade_name(deal.grade),
    }


def ranked_attempts(player_id: int | None) -> QuerySet[Attempt]:
    """A player's ranked attempts, without their records; nobody's for a visitor who has not played."""
    if player_id is None:
        return Attempt.objects.none()
    return Attempt.objects.filter(player=player_id, ranked=True).defer("record")


def ranked_at(player_id: int | None, deals: Iterable[Deal]) -> dict[int, Attempt]:
    """A player's ranked attempts at these deals, by the deal's id."""
    if player_id is None:
        return {}
    return {attempt.deal_id: attempt for attempt in ranked_attempts(player_id).filter(deal__in=deals)}
