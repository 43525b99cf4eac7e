"""Deletion of guests and sessions that cannot be resumed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from accounts.tasks import clean_accounts
from games.models import Attempt
from games.puzzles.models import PuzzleTry
from tests.accounts.conftest import MakeAttempt
from tests.factories import make_deal
from tests.games.puzzles.puzzles import stored_puzzle

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def joined(ago: timedelta) -> User:
    guest = create_guest()
    User.objects.filter(pk=guest.pk).update(date_joined=timezone.now() - ago)
    return guest


def test_guests_without_attempts_are_deleted_after_a_week(user: User, make_attempt: MakeAttempt) -> None:
    joined(8 * DAY)
    played, young = joined(8 * DAY), joined(6 * DAY)
    make_attempt(played, make_deal(practice=True))
    User.objects.filter(pk=user.pk).update(date_joined=timezone.now() - 3000 * DAY)
    assert clean_accounts() == 1
    assert set(User.objects.all()) == {user, played, young}


def test_guests_with_expired_cookies_are_deleted_with_games(user: User, make_attempt: MakeAttempt) -> None:
    lost, back = joined(500 * DAY), joined(500 * DAY)
    deal = make_deal()
    for player in (lost, back, user):
        make_attempt(player, deal)
    Attempt.objects.update(started_at=timezone.now() - 450 * DAY)
    Attempt.objects.filter(player=back).update(started_at=timezone.now() - 399 * DAY)
    assert clean_accounts() == 1
    assert set(User.objects.all()) == {user, back}
    assert set(Attempt.objects.values_list("player_id", flat=True)) == {user.pk, back.pk}


def test_guests_with_tries_at_puzzles_stay_while_their_cookies_live() -> None:
    young, back, lost = joined(8 * DAY), joined(500 * DAY), joined(500 * DAY)
    for guest, age in ((young, 8), (back, 399), (lost, 450)):
        row = PuzzleTry.objects.create(player=guest, puzzle=stored_puzzle())
        PuzzleTry.objects.filter(pk=row.pk).update(begun_at=timezone.now() - age * DAY)
    assert clean_accounts() == 1
    assert set(User.objects.all()) == {young, back}


def test_expired_sessions_are_deleted_with_their_list_entries(user: User, mine: Client) -> None:
    mine.get("/")
    current = mine.session.session_key
    now = timezone.now()
    UserSession.objects.all().delete()
    Session.objects.create(session_key="expired", expire_date=now - timedelta(minutes=1))
    for key, age in ((current, 30), ("expired", 30), ("never there", 30), ("just begun", 0)):
        UserSession.objects.create(
            user=user, ip="127.0.0.1", session_key=key, user_agent="", created_at=now - age * DAY
        )
    clean_accounts()
    clean_accounts()
    assert set(Session.objects.values_list("session_key", flat=True)) == {current}
    assert set(UserSession.objects.values_list("session_key", flat=True)) == {current, "just begun"}


def test_unanswered_confirmations_are_deleted(user: User) -> None:
    address = EmailAddress.objects.create(user=user, email="ada@talon.example")
    for key, days in (("old", 31), ("young", 29)):
        EmailConfirmation.objects.create(email_address=address, key=key, created=timezone.now() - days * DAY)
    clean_accounts()
    assert [row.key for row in EmailConfirmation.objects.all()] == ["young"]
