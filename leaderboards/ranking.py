"""Who is ranked: what happens to a player's results when the player signs up, is banned, or is let in again."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.db import transaction

from games.models import Attempt
from leaderboards import entries
from leaderboards.keys import DEAL, Score
from leaderboards.ladders import set_score
from leaderboards.models import Result
from leaderboards.players import Player, may_be_listed


def rank_player(player: Player) -> int:
    """Bring every verified ranked attempt of `player` on its boards, or off them; how many results changed.

    Call it after the player has signed up, has been banned or let in again, or has been given a guest's attempts. It
    does what the player's row now says, so it may be called at any time and as often as one likes.
    """
    changed = 0
    for attempt_id in _attempts_to_place(player):
        changed += _place(player.pk, attempt_id)
    return changed


hide_player = rank_player
"""Take a banned player off the boards; the row says that the player is banned."""


def _attempts_to_place(player: Player) -> list[int]:
    """The attempts whose result is missing or not as it should be, deal by deal."""
    listed = may_be_listed(get_user_model().objects.get(pk=player.pk))
    attempts = Attempt.objects.filter(player=player.pk, ranked=True, state=Attempt.State.VERIFIED)
    return list(
        attempts.exclude(result__in=Result.objects.filter(player=player.pk, listed=listed))
        .order_by("deal_id")
        .values_list("pk", flat=True)
    )


def _place(player_id: int, attempt_id: int) -> bool:
    with transaction.atomic():
        player = get_user_model().objects.select_for_update(no_key=True).get(pk=player_id)
        attempt = (
            Attempt.objects.select_for_update(no_key=True)
            .filter(pk=attempt_id, player=player, ranked=True, state=Attempt.State.VERIFIED)
            .first()
        )
        if attempt is None or attempt.finished_at is None or attempt.cards_up is None:
            return False
        listed = may_be_listed(player)
        result = Result.objects.filter(attempt=attempt).first()
        if result is not None and result.listed == listed and result.player_id == player.pk:
            return False
        if result is None:
            result = Result(deal_id=attempt.deal_id, finished_at=attempt.finished_at)
            set_score(result, Score(attempt.cards_up, attempt.elapsed_ms or 0, attempt.tokens or 0), DEAL)
            result.attempt, result.player = attempt, player
            entries.add(result, listed=listed)
        else:
            result.attempt, result.player = attempt, player
            entries.set_listed(result, listed=listed)
        return True
