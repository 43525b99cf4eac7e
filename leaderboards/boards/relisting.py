"""Relisting: list or unlist a player's results after sign-up, a ban, or the end of a ban."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth import get_user_model
from django.db import DatabaseError, transaction
from django.utils import timezone

from games.db.players import Player
from games.explorer.building import expire_for
from games.models import Attempt
from leaderboards.boards import entries
from leaderboards.boards.entries import notify_all_watchers
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.models import Reranking, Result

log = logging.getLogger(__name__)


#: Delay after which the sweep handles a remaining marker.
PATIENCE: Final = timedelta(seconds=60)
_BATCH: Final = 100


def mark_outdated(player: Player) -> None:
    """Mark the player's results as possibly out of step with the player's row.

    Call it in the transaction that changes the row, and `relist_player` afterwards. If the process dies in between, the
    sweep finishes the work.
    """
    mark = Reranking(player_id=player.pk, due_at=timezone.now() + PATIENCE)
    Reranking.objects.bulk_create([mark], update_conflicts=True, unique_fields=["player"], update_fields=["due_at"])


def relist_player(player: Player) -> int:
    """Reconcile the player's verified ranked attempts with their boards; return the number of results changed.

    It follows the current row of the player, so it is idempotent and safe to call at any time. The explorers of the
    player's deals are built again.
    """
    marks = list(Reranking.objects.filter(player=player.pk).values_list("due_at", flat=True))
    expire_for(player.pk)
    changed = 0
    for attempt_id in _attempts_to_place(player):
        changed += _place(player.pk, attempt_id)
    Reranking.objects.filter(player=player.pk, due_at__in=marks).delete()  # spares a marker set concurrently
    notify_all_watchers()  # pending attempts appear or disappear with their player
    return changed


def relist_overdue(now: datetime | None = None) -> int:
    """Rank every player with an overdue marker; return the number of players ranked."""
    now = now or timezone.now()
    due = Reranking.objects.filter(due_at__lte=now).order_by("due_at").select_related("player")[:_BATCH]
    done = 0
    for mark in due:
        # Postpone first, so that a player that fails does not block the others at the next sweep.
        if not Reranking.objects.filter(pk=mark.pk, due_at=mark.due_at).update(due_at=now + PATIENCE):
            continue
        try:
            relist_player(mark.player)
        except (DatabaseError, ValueError):
            log.exception("results of a player not ranked", extra={"player": mark.player_id})
        else:
            done += 1
    return done


def _attempts_to_place(player: Player) -> list[int]:
    """Return the attempts whose result is missing or wrong, sorted by deal."""
    listed = get_user_model().objects.get(pk=player.pk).is_listed
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
        if attempt is None or (score := BoardScore.of(attempt)) is None:
            return False
        result = Result.objects.filter(attempt=attempt).first()
        if result is None:
            entries.add(entries.result_of(attempt, player, score), listed=player.is_listed)
        elif result.listed == player.is_listed and result.player_id == player.pk:
            return False
        else:
            result.player = player
            entries.set_listed(result, listed=player.is_listed)
        return True
