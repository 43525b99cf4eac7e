"""Concurrent actions of one player, on a database with several connections.

`test_at_once.py` runs `main` with DATABASE_URL set to a migrated, empty database.
"""

from __future__ import annotations

from datetime import timedelta
from functools import cache

from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.utils import timezone

from accounts.models import User
from accounts.names.renaming import rename_player
from accounts.preferences import preferences_of
from accounts.sign_in.guests import create_guest, merge_guest, remove_empty_guests
from accounts.views import _save_preferences
from games.attempts.lifecycle import start_attempt
from games.models import Attempt, Deal
from tests.concurrency import run_together
from tests.factories import make_deal

ROUNDS = 20


@cache
def todays(variant: str) -> Deal:
    return make_deal(variant)


def merge_while_the_account_begins(number: int) -> None:
    """A guest with a ranked attempt signs in to an account that starts the deal: only the account's is ranked."""
    deal = todays("plot")
    user, guest = User.objects.create_user(f"merger {number}"), create_guest()
    guests = start_attempt(guest, deal)
    outcomes = run_together(lambda: merge_guest(guest, user), lambda: start_attempt(user, deal))
    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)], outcomes
    attempts = Attempt.objects.filter(player=user, deal=deal)
    assert attempts.filter(pk=guests.pk, ranked=False).exists()
    assert attempts.filter(ranked=True).count() == attempts.count() - 1
    assert not User.objects.filter(pk=guest.pk).exists()


def merge_in_two_tabs(number: int) -> None:
    """A guest signs in to two accounts at once: every attempt belongs to exactly one player."""
    one, other, guest = (
        User.objects.create_user(f"tab {number} {number}"),
        User.objects.create_user(f"tap {number} {number}"),
        create_guest(),
    )
    begun = [start_attempt(guest, deal).pk for deal in map(todays, ("plot", "braid", "tarot"))]
    outcomes = run_together(
        lambda: merge_guest(User.objects.get(pk=guest.pk), one),
        lambda: merge_guest(User.objects.get(pk=guest.pk), other),
    )
    failures = [o for o in outcomes if isinstance(o, Exception) and not isinstance(o, User.DoesNotExist)]
    assert not failures, failures
    owners = set(Attempt.objects.filter(pk__in=begun).values_list("player_id", flat=True))
    assert len(owners) == 1
    assert owners <= {one.pk, other.pk}


def expire_while_the_guest_begins(number: int) -> None:
    """An idle guest starts a deal during the clean-up: deleted before the first card, or kept with the attempt."""
    del number
    guest = create_guest()
    User.objects.filter(pk=guest.pk).update(date_joined=timezone.now() - timedelta(days=30))
    deal = todays("plot")
    now = timezone.now()
    begun, expired = run_together(lambda: start_attempt(guest, deal), lambda: remove_empty_guests(now, 100))
    assert not isinstance(expired, Exception), expired
    stays = User.objects.filter(pk=guest.pk).exists()
    assert stays != isinstance(begun, IntegrityError), (stays, begun)
    assert stays == Attempt.objects.filter(player_id=guest.pk).exists()


def take_one_name(number: int) -> None:
    """Two players take names that read alike: one gets it."""
    users = [User.objects.create_user(f"renamer {number} {letter}") for letter in "ab"]
    names = [f"Winner {number}", f"w1nner_{number}"]
    outcomes = run_together(
        *(lambda user=user, name=name: rename_player(user, name) for user, name in zip(users, names, strict=True))
    )
    assert [type(outcome) for outcome in outcomes if outcome] == [ValidationError], outcomes
    assert User.objects.filter(display_name__in=names).count() == 1


def change_two_preferences(number: int) -> None:
    """A player changes two preferences at once: both are stored."""
    user = User.objects.create_user(f"chooser {number}")
    stale = [User.objects.get(pk=user.pk) for _ in range(2)]
    outcomes = run_together(
        lambda: _save_preferences(stale[0], {"sound": True}), lambda: _save_preferences(stale[1], {"left_handed": True})
    )
    assert not any(outcomes), outcomes
    user.refresh_from_db()
    stored = preferences_of(user.preferences)
    assert stored["sound"]
    assert stored["left_handed"]


def main() -> None:
    for scenario in (
        *(merge_while_the_account_begins, merge_in_two_tabs, expire_while_the_guest_begins, take_one_name),
        change_two_preferences,
    ):
        for number in range(ROUNDS):
            scenario(number)
        print("ok", scenario.__name__)
