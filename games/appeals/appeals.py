"""Appeals: a player's one answer to a verdict, and what staff decide about it.

Locks are taken in the order of docs/boards.md: the player's row, then the appeal, then what `decide` takes.
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

from games.appeals.deciding import decide
from games.appeals.models import APPEAL_LENGTH, Appeal
from games.appeals.writing import plain_text
from games.errors import ErrorCode, Refusal
from games.ghosts import inbox
from games.ghosts.models import Notice
from games.models import Attempt
from games.players import Player

#: How long after a verdict its player may appeal.
WITHIN: Final = timedelta(days=90)

#: How long an appeal is kept after its answer.
KEPT: Final = timedelta(days=365)

_DOUBTED: Final = frozenset({Attempt.State.REVIEW, Attempt.State.REJECTED})


def may_appeal(attempt: Attempt, now: datetime | None = None) -> bool:
    """Whether the attempt's player may appeal now, as far as there is no appeal yet."""
    since = attempt.verified_at
    return attempt.state in _DOUBTED and since is not None and (now or timezone.now()) - since <= WITHIN


def appeal_of(attempt: Attempt) -> Appeal | None:
    """The appeal that was made for the attempt, if one was."""
    return Appeal.objects.filter(attempt=attempt).first()


def appeal(attempt: Attempt, player: Player, text: str, now: datetime | None = None) -> Appeal:
    """Appeal against the verdict on one's own attempt.

    :raises Refusal: to others, a second time, without a verdict to appeal against, and for a text of a wrong length.
    """
    now = now or timezone.now()
    if attempt.player_id != player.pk:
        raise Refusal(ErrorCode.NOT_YOURS)
    if appeal_of(attempt) is not None:
        raise Refusal(ErrorCode.ALREADY_APPEALED)
    if not may_appeal(attempt, now):
        raise Refusal(ErrorCode.NO_APPEAL)
    given = {"text": plain_text(text, APPEAL_LENGTH, least=1), "made_at": now}
    made, is_new = Appeal.objects.get_or_create(attempt=attempt, defaults=given)
    if not is_new:
        raise Refusal(ErrorCode.ALREADY_APPEALED)
    return made


def open_appeals() -> QuerySet[Appeal]:
    """For staff: the appeals without an answer, the oldest first."""
    waiting = Appeal.objects.filter(answered_at=None).order_by("made_at", "pk")
    return waiting.select_related("attempt__deal", "attempt__player")


def answer_appeal(
    found: Appeal, staff: AbstractBaseUser, text: str, decision: Attempt.State, now: datetime | None = None
) -> None:
    """Decide the attempt of an appeal, and answer its player, who is told in the inbox and reads `text`.

    :raises Refusal: for one answered already, a decision that is not possible, and a text that is too long.
    """
    now, text = now or timezone.now(), plain_text(text, APPEAL_LENGTH)
    player = found.attempt.player_id
    answered = {"decision": str(decision), "answer": text, "answered_at": now, "answered_by_id": staff.pk}
    with transaction.atomic():
        list(get_user_model().objects.select_for_update(no_key=True).filter(pk=player).values_list("pk"))
        if not Appeal.objects.filter(pk=found.pk, answered_at=None).update(**answered):
            raise Refusal(ErrorCode.NOT_DECIDABLE, "This appeal has been answered.")
        decide(found.attempt_id, decision, staff, text)
        address = reverse("games:appeal", args=[found.attempt.public_id])
        granted = decision == Attempt.State.VERIFIED
        inbox.put(player, Notice.Kind.APPEALED, {"address": address, "granted": granted}, now)
    found.refresh_from_db()
