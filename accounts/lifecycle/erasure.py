"""Account erasure on request.

Personal data is deleted: name, email addresses, password, passkeys, connections to other services, preferences,
calendar, reminders, webhooks, follows in both directions, sessions with their addresses, practice attempts, challenges,
notices, tries at puzzles, votes on them and the rating from them, puzzle storms, appeals, reports of others' games, and
notes of staff about the player. Ranked attempts and race attempts stay with their records under a neutral name, so that
places on boards and in races do not change, other players' ratings still follow from them and every result can be
verified. They no longer count in the explorers of their deals, which are built again. The profile page is gone, and the
player leaves the rating board. A guest has no results on boards and is deleted entirely; in races the guest's place
stays, without a name or a record.

Until the deals that were played are revealed, the name stays reserved, and the browser marks of their starts are kept
without the player. Otherwise an account could be deleted to play the deals again.
"""

from __future__ import annotations

import secrets
import uuid
from typing import Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.lifecycle.bans import end_sessions
from accounts.models import Ban, CalendarLink, DailyReminder, Follow, HeldName, RaceReminder, User
from accounts.names.released import hold
from accounts.names.validation import FORMER_PLAYER
from games.analysis.models import Analysis
from games.appeals.models import Appeal, Report
from games.explorer.building import expire_for
from games.fairplay import account_links
from games.ghosts.models import Challenge
from games.inbox.models import Notice
from games.models import Attempt, Decision, PracticeOrder, StaffNote
from games.puzzles.models import MissedPuzzle, PuzzleRating, PuzzleRun, PuzzleTry, PuzzleVote, SeenPuzzle, StoredPuzzle
from games.races import seats
from games.races.models import RaceOrigin
from leaderboards.boards.entries import notify_all_watchers

#: Rows of a player that are deleted; they have the player in the field `player`.
_OWNED: Final = (
    Notice,
    CalendarLink,
    DailyReminder,
    RaceReminder,
    PracticeOrder,
    RaceOrigin,
    PuzzleTry,
    PuzzleRating,
    PuzzleVote,
    SeenPuzzle,
    MissedPuzzle,
    PuzzleRun,
)


def erase_player(user: User) -> None:
    """Erase ``user`` for good; the module docstring lists the data that stays."""
    seats.leave_all(user.pk)
    with transaction.atomic():
        end_sessions(user)
        expire_for(user.pk)
        if user.is_guest:
            account_links.forget(user.pk, timezone.now())
            user.delete()
            return
        hold(user, user.name_key, owner=None)
        HeldName.objects.filter(player=user).update(player=None)
        account_links.forget(user.pk, timezone.now())
        practice = Attempt.objects.filter(player=user, ranked=False)
        practice.exclude(deal__for_race=True, deadline__isnull=False).delete()
        Challenge.objects.filter(Q(sender=user) | Q(addressee=user)).delete()
        Appeal.objects.filter(attempt__player=user).delete()
        Report.objects.filter(reporter=user).delete()
        Analysis.objects.filter(asked_by=user).update(asked_by=None)
        StoredPuzzle.objects.filter(source__player=user).update(source=None)
        for answered in (Appeal, Report):
            answered.objects.filter(answered_by=user).update(answered_by=None)
        for owned in _OWNED:
            owned.objects.filter(player=user).delete()
        Follow.objects.filter(Q(follower=user) | Q(followed=user)).delete()
        for credential in (EmailAddress, Authenticator, SocialAccount):
            credential.objects.filter(user=user).delete()
        kind = ContentType.objects.get_for_model(User)
        LogEntry.objects.filter(content_type=kind, object_id=str(user.pk)).update(object_repr=FORMER_PLAYER)
        _clear_notes(user)
        _anonymise(user)
        transaction.on_commit(notify_all_watchers)


def _clear_notes(user: User) -> None:
    """Delete notes of staff about the player. Decisions and bans stay, with their dates."""
    Ban.objects.filter(player=user).update(note="")
    StaffNote.objects.filter(attempt__player=user).delete()
    Decision.objects.filter(attempt__player=user).update(why="")


def _anonymise(user: User) -> None:
    user.refresh_from_db()
    user.username = f"deleted-{secrets.token_hex(12)}"
    user.display_name = FORMER_PLAYER
    user.name_key = None
    user.public_id = uuid.uuid4()
    user.email = ""
    user.preferences = {}
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.date_joined = user.deleted_at = timezone.now()
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
