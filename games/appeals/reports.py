"""Reports of other players' public games. A report is not a flag: staff look at the game and answer."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from games.appeals.free_text import plain_text
from games.appeals.models import REPORT_LENGTH, Report, ReportReason
from games.core.errors import ErrorCode, Refusal
from games.db.players import Player
from games.inbox import notices
from games.inbox.models import Notice
from games.models import Attempt

#: Retention of a report after its answer.
KEPT: Final = timedelta(days=365)

_PUBLIC: Final = frozenset({Attempt.State.VERIFIED, Attempt.State.REVIEW})


def may_be_reported(attempt: Attempt, player_id: int | None, now: datetime | None = None) -> bool:
    """Return whether the attempt is another player's public game that counts."""
    counts = attempt.ranked or attempt.in_race
    is_others = attempt.player_id != player_id and not attempt.player.is_former
    return counts and is_others and attempt.state in _PUBLIC and attempt.deal.is_revealed(now or timezone.now())


def report_of(attempt: Attempt, player_id: int | None) -> Report | None:
    """Return the player's report of the attempt, or None."""
    return Report.objects.filter(attempt=attempt, reporter=player_id).first()


def report(attempt: Attempt, reporter: Player, reason: str, text: str) -> Report:
    """Report a game to staff.

    :raises Refusal: if the reporter is a guest or has already reported the game, the game is their own or not public,
        the reason is unknown, or the text is too long.
    """
    now = timezone.now()
    if not reporter.has_page:
        raise Refusal(ErrorCode.ACCOUNT_REQUIRED)
    if report_of(attempt, reporter.pk) is not None:
        raise Refusal(ErrorCode.ALREADY_REPORTED)
    if not may_be_reported(attempt, reporter.pk, now):
        raise Refusal(ErrorCode.NO_REPORT)
    if reason not in ReportReason:
        raise Refusal(ErrorCode.BAD_REQUEST, "There is no such reason.")
    values = {"reason": reason, "text": plain_text(text, REPORT_LENGTH), "made_at": now}
    created, is_new = Report.objects.get_or_create(attempt=attempt, reporter_id=reporter.pk, defaults=values)
    if not is_new:
        raise Refusal(ErrorCode.ALREADY_REPORTED)
    return created


def answer_report(row: Report, staff: Player, *, action_taken: bool, now: datetime | None = None) -> int:
    """Answer a report and all other open reports of the same game; return the number answered.

    Reporters learn that staff looked at the game and whether they took action, and nothing else.

    :raises Refusal: if the report is already answered.
    """
    answered = _answer(row.attempt_id, staff, action_taken=action_taken, only_with=row.pk, now=now)
    row.refresh_from_db()
    return answered


def game_rejected(attempt_id: int, staff: object) -> int:
    """Answer all open reports of a game that staff have just rejected; return the number answered."""
    return _answer(attempt_id, staff, action_taken=True)


@transaction.atomic
def _answer(
    attempt_id: int, staff: object, *, action_taken: bool, only_with: int | None = None, now: datetime | None = None
) -> int:
    now = now or timezone.now()
    unanswered = Report.objects.filter(attempt=attempt_id, answered_at=None)
    waiting = dict(unanswered.select_for_update().order_by("pk").values_list("pk", "reporter"))
    if only_with is not None and only_with not in waiting:
        raise Refusal(ErrorCode.NOT_DECIDABLE, "This report has been answered.")
    if not waiting:
        return 0
    values = {"answered_at": now, "action_taken": action_taken, "answered_by_id": getattr(staff, "pk", None)}
    Report.objects.filter(pk__in=waiting).update(**values)
    address = reverse("games:report", args=[Attempt.objects.values_list("public_id", flat=True).get(pk=attempt_id)])
    for reporter in waiting.values():
        notices.put(reporter, Notice.Kind.REPORTED, {"address": address, "taken": action_taken}, now)
    return len(waiting)
