"""Name changes, by players and by moderators."""

from __future__ import annotations

from typing import Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.names.released import check_not_held, hold
from accounts.names.validation import alike_keys, guest_name, name_key
from leaderboards.boards.entries import notify_all_watchers

TAKEN: Final = _("This name or a very similar one is taken.")


def check_free(name: str, player: User | None = None) -> None:
    """Check that no account other than ``player`` has the name, or one that reads like it.

    The database constraint compares keys only, not the keys of other spellings.

    :raises ValidationError: if one has it.
    """
    alike = User.objects.filter(name_key__in=alike_keys(name))
    if player is not None:
        alike = alike.exclude(pk=player.pk)
    if alike.exists():
        raise ValidationError(TAKEN, code="name_taken")


def rename_player(user: User, name: str) -> None:
    """Give an account a new, already cleaned name, used both for display and for signing in.

    :raises ValidationError: if another account has this name or one that reads like it, or gave it up recently.
    """
    user.username = user.display_name = name
    user.name_key = key = name_key(name)
    try:
        with transaction.atomic():
            _hold_old_name(user, key)
            check_free(name, user)
            user.save(update_fields=["username", "display_name", "name_key"])
            check_not_held(name, user)  # after the write, which waits for a transaction that gives up the name
    except ValidationError:
        user.refresh_from_db()
        raise
    except IntegrityError:
        user.refresh_from_db()
        raise ValidationError(TAKEN, code="name_taken") from None
    transaction.on_commit(notify_all_watchers)


def neutralise_name(user: User) -> None:
    """Replace the displayed name with a generated one. The name for signing in stays."""
    while True:
        name = guest_name()
        user.display_name, user.name_key = name, name_key(name)
        try:
            with transaction.atomic():
                _hold_old_name(user, user.name_key)
                user.save(update_fields=["display_name", "name_key"])
        except IntegrityError:
            continue
        transaction.on_commit(notify_all_watchers)
        return


def _hold_old_name(user: User, key: str) -> None:
    """Lock the player's row, and hold its current name unless the key stays the same."""
    old = User.objects.select_for_update(no_key=True).filter(pk=user.pk).values_list("name_key", flat=True).first()
    if old != key:
        hold(user, old, owner=user)
