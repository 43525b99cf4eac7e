"""Continuations: practice games that start from a later position, with the tokens before it already played."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from games.attempts.lifecycle import record_of, start_attempt
from games.core import metrics
from games.core.errors import ErrorCode, Refusal
from games.db.players import Player
from games.deals import publishing
from games.models import Attempt, Deal, Move
from games.replays.models import Continuation
from games.replays.permissions import may_watch


def play_on(player: Player, origin: Attempt, n: int, *, now: datetime | None = None) -> Attempt:
    """Start practice from the position of `origin` after `n` tokens.

    :raises Refusal: not_yours if the player may not watch the game, bad_position if it has fewer tokens or is won
        there.
    :raises DealClosedError: while the deal is still secret.
    """
    now = now or timezone.now()
    if not may_watch(origin, player.pk, now):
        raise Refusal(ErrorCode.NOT_YOURS, "this game may not be watched yet")
    deal = publishing.practice_deal("", of=origin.deal)
    return continue_deal(player, deal, _tokens(origin, n), origin, now=now)


def continue_deal(
    player: Player, deal: Deal, tokens: tuple[str, ...], origin: Attempt | None = None, *, now: datetime | None = None
) -> Attempt:
    """Start practice at a deal after these tokens, with a new clock.

    A continuation without a move of the player's own is reused if it is from the same position, and deleted if it is
    from another position of `origin`. Without tokens this is ordinary practice.
    """
    now = now or timezone.now()
    if not tokens:
        return start_attempt(player, deal, now=now)
    fields: dict[str, Any] = {"player": player, "deal": deal, "ranked": False}
    with transaction.atomic():
        untouched = _untouched(fields, origin)
        untouched.exclude(continuation__n=len(tokens)).delete()
        return untouched.first() or _create_continuation(fields, origin, tokens, now)


def origin_of(attempt: Attempt, player_id: int | None) -> Continuation | None:
    """Return the origin of a continuation; None for other attempts, or if the player may not watch the origin."""
    continuation = Continuation.objects.select_related("origin__deal").filter(attempt=attempt).first()
    if continuation is None or continuation.origin is None or not may_watch(continuation.origin, player_id):
        return None
    return continuation


def _tokens(origin: Attempt, n: int) -> tuple[str, ...]:
    record = record_of(origin)
    if not 0 <= n <= len(record.tokens):
        raise Refusal(ErrorCode.BAD_POSITION, f"the game has {len(record.tokens)} moves")
    if n == len(record.tokens) and record.end.how == "won":
        raise Refusal(ErrorCode.BAD_POSITION, "the game is won here")
    return record.tokens[:n]


def _untouched(fields: dict[str, Any], origin: Attempt | None) -> QuerySet[Attempt]:
    """Return the player's running continuations of `origin` without a move of their own."""
    moved = Exists(Move.objects.filter(attempt=OuterRef("pk"), n__gt=OuterRef("continuation__n")))
    continued = Continuation.objects.filter(origin=origin)
    return Attempt.objects.filter(~moved, **fields, state=Attempt.State.PLAYING, continuation__in=continued)


def _create_continuation(
    fields: dict[str, Any], origin: Attempt | None, tokens: tuple[str, ...], now: datetime
) -> Attempt:
    attempt = Attempt.objects.create(**fields, started_at=now)
    Continuation.objects.create(attempt=attempt, origin=origin, n=len(tokens))
    moves = (Move(attempt=attempt, n=n, token=token, ms=0, auto=True) for n, token in enumerate(tokens, start=1))
    Move.objects.bulk_create(moves, batch_size=500)
    metrics.ATTEMPTS_STARTED.labels(attempt.deal.game, "no").inc()
    return attempt
