"""Queries for attempts, by public id or by player."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from django.db.models import QuerySet

from games.core.errors import ErrorCode, Refusal
from games.db import hot_queries
from games.models import Attempt, Deal


def attempt_named(public_id: UUID) -> Attempt:
    """Return an attempt with its deal, for the JSON API.

    :raises Refusal: not_found if there is none.
    """
    try:
        return Attempt.objects.select_related("deal").get(public_id=public_id)
    except Attempt.DoesNotExist:
        raise Refusal(ErrorCode.NOT_FOUND, "there is no such game") from None


def ranked_attempts(player_id: int | None) -> QuerySet[Attempt]:
    """Return a player's ranked attempts, without their records; none for a visitor who has not played."""
    if player_id is None:
        return Attempt.objects.none()
    return Attempt.objects.filter(player=player_id, ranked=True).defer("record")


def has_ranked_on(player_id: int, day: date) -> bool:
    """Return whether a player has started a ranked game of a day."""
    return Attempt.objects.filter(player=player_id, ranked=True, deal__day=day).exists()


def attempts_on(player_id: int | None, day: date) -> dict[int, Attempt]:
    """Return a player's attempts at the deals of a day, by deal id.

    It is the ranked attempt, or else the practice attempt started on that day as a guest.
    """
    attempts = [] if player_id is None else hot_queries.attempts_on(player_id, day)
    return {attempt.deal_id: attempt for attempt in attempts}


def attempt_at(player_id: int | None, deal: Deal) -> Attempt | None:
    """Return a player's attempt at a deal, as in `attempts_on`."""
    attempts = [] if player_id is None else hot_queries.attempts_at(player_id, deal.pk)
    return attempts[-1] if attempts else None
