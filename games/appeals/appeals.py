"""Appeals: a player may contest a verdict once, and staff decide.

Locks are taken in the order of docs/boards.md: the player's row, then the appeal, then the locks of the decision.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from games.appeals.decision_registry import decider
from games.appeals.free_text import plain_text
from games.appeals.models import APPEAL_LENGTH, Appeal
from games.core.errors import ErrorCode, Refusal
from games.db.players import Player
from games.inbox import notices
from games.inbox.models import Notice
from games.models import Attempt

#: Period after a verdict in which the player may appeal.
WITHIN: Final = timedelta(days=90)

#: Retention of an appeal after its answer.
KEPT: Final = timedelta(days=365)

_DOUBTED: Final = frozenset({Attempt.State.REVIEW, Attempt.State.REJECTED})


def may_appeal(attempt: Attempt, now: datetime | None = None) -> bool:
    """Return whether the player may appeal against the verdict now. Does not check for an earlier appeal."""
    since = attempt.verified_at
    return attempt.state in _DOUBTED and since is not None and (now or timezone.now()) - since <= WITHIN


def appeal_of(attempt: Attempt) -> Appeal | None:
    """Return the appeal against the attempt's verdict, or None."""
    return Appeal.objects.filter(attempt=attempt).first()


def appeal(attempt: Attempt, player: Player, text: str, now: datetime | None = None) -> Appeal:
    """Appeal against the verdict on the player's own attempt.

    :raises Refusal: if the attempt is another player's, already has an appeal or has no verdict to appeal against, or
        if the text has a wrong length.
    """
    now = now or timezone.now()
    if attempt.player_id != player.pk:
        raise Refusal(ErrorCode.NOT_YOURS)
    if appeal_of(attempt) is not None:
        raise Refusal(ErrorCode.ALREADY_APPEALED)
    if not may_appeal(attempt, now):
        raise Refusal(ErrorCode.NO_APPEAL)
    values = {"text": plain_text(text, APPEAL_LENGTH, minimum=1), "made_at": now}
    created, is_new = Appeal.objects.get_or_create(attempt=attempt, defaults=values)
    if not is_new:
        raise Refusal(ErrorCode.ALREADY_APPEALED)
    return created


def open_appeals() -> QuerySet[Appeal]:
    """Return the unanswered appeals for staff, oldest first."""
    unanswered = Appeal.objects.filter(answered_at=None).order_by("made_at", "pk")
    return unanswered.select_related("attempt__deal", "attempt__player")


def answer_appeal(
    row: Appeal, staff: AbstractBaseUser, text: str, decision: Attempt.State, now: datetime | None = None
) -> None:
    """Decide the attempt of an appeal and notify its player, who can read `text`.

    :raises Refusal: if the appeal is already answered, the decision is not possible, or the text is too long.
    """
    now, text = now or timezone.now(), plain_text(text, APPEAL_LENGTH)
    player = row.attempt.player_id
    values = {"decision": str(decision), "answer": text, "answered_at": now, "answered_by_id": staff.pk}
    with transaction.atomic():
        list(get_user_model().objects.select_for_update(no_key=True).filter(pk=player).values_list("pk"))
        if not Appeal.objects.filter(pk=row.pk, answered_at=None).update(**values):
            raise Refusal(ErrorCode.NOT_DECIDABLE, "This appeal has been answered.")
        decider()(row.attempt_id, decision, staff, text)
        address = reverse("games:appeal", args=[row.attempt.public_id])
        granted = decision == Attempt.State.VERIFIED
        notices.put(player, Notice.Kind.APPEALED, {"address": address, "granted": granted}, now)
    row.refresh_from_db()
