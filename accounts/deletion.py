"""Erases a player on request.

Personal data is deleted: name, e-mail addresses, password, passkeys, preferences, follows in both directions, sessions
with their addresses, and practice attempts. Ranked attempts stay with their records under a neutral name, so that
boards keep their ranks and every result can still be verified; the profile page is gone. A guest has no results on
boards and is deleted entirely.
"""

from __future__ import annotations

import secrets
import uuid

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import Follow, User
from accounts.moderation import end_sessions
from accounts.names import FORMER_PLAYER
from games.models import Attempt
from leaderboards.entries import tell_all_watchers


def erase_player(user: User) -> None:
    """Erase ``user`` for good; the module's docstring says what stays."""
    with transaction.atomic():
        end_sessions(user)
        if user.is_guest:
            user.delete()
            return
        Attempt.objects.filter(player=user, ranked=False).delete()
        Follow.objects.filter(Q(follower=user) | Q(followed=user)).delete()
        EmailAddress.objects.filter(user=user).delete()
        Authenticator.objects.filter(user=user).delete()
        kind = ContentType.objects.get_for_model(User)
        LogEntry.objects.filter(content_type=kind, object_id=str(user.pk)).update(object_repr=FORMER_PLAYER)
        _anonymise(user)
        transaction.on_commit(tell_all_watchers)


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
