"""Staff with and without permissions, and attempts for them to review."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from games.models import Attempt, Deal
from tests import factories
from tests.factories import make_account, make_deal, signed_in

MakeStaff = Callable[..., Any]
Browser = Callable[[Any], Client]


@pytest.fixture
def make_staff(db: None) -> MakeStaff:
    numbers = count(1)

    def make(*rights: str) -> Any:
        user = make_account(is_staff=True, display_name=f"Warden {next(numbers)}")
        user.user_permissions.set(Permission.objects.filter(codename__in=rights))
        return user

    return make


@pytest.fixture
def decider(make_staff: MakeStaff) -> Any:
    return make_staff("view_attempt", "decide_attempt")


@pytest.fixture
def looker(make_staff: MakeStaff) -> Any:
    return make_staff("view_attempt")


@pytest.fixture
def browser() -> Browser:
    return signed_in


def todays(variant: str = "stonewall") -> Deal:
    return make_deal(variant, day=timezone.now().date())


def over(variant: str = "stonewall", days: int = 3) -> Deal:
    return make_deal(variant, day=timezone.now().date() - timedelta(days=days))


def reviewed(deal: Deal, who: Any = None, **fields: Any) -> Attempt:
    attempt = factories.settled(deal, who, record=factories.superhuman(deal), started_at=begun(deal), **fields)
    assert attempt.state == Attempt.State.REVIEW
    return attempt


def verified(deal: Deal, who: Any = None, **fields: Any) -> Attempt:
    attempt = factories.settled(deal, who, started_at=begun(deal), **fields)
    assert attempt.state == Attempt.State.VERIFIED
    return attempt


def begun(deal: Deal) -> datetime:
    return deal.opens_at + timedelta(seconds=1)
