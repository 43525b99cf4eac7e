"""Inbox: the unread count, order and deletion of notices."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from accounts.models import User
from games.core.retention import remove_aged
from games.ghosts.models import Notice
from games.inbox import housekeeping, notices
from games.templatetags.inbox import unread_notices

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(("count", "shown"), [(0, ""), (1, "1"), (9, "9"), (10, "9+"), (30, "9+")])
def test_the_header_counts_to_nine(count: int, shown: str, player: User, rival: User) -> None:
    for _ in range(count):
        notices.put(player.pk, Notice.Kind.RATING_MOVED, {})
    assert unread_notices(player) == shown
    assert unread_notices(rival) == ""
    assert unread_notices(AnonymousUser()) == ""
    assert notices.mark_seen(player.pk) == count
    assert unread_notices(player) == ""


def test_the_newest_come_first(player: User) -> None:
    made = [notices.put(player.pk, Notice.Kind.RATING_MOVED, {"n": n}) for n in range(notices.MAX_SHOWN + 5)]
    assert notices.latest(player.pk) == made[::-1][: notices.MAX_SHOWN]


def test_notices_are_deleted_after_ninety_days(player: User) -> None:
    now = timezone.now()
    young = notices.put(player.pk, Notice.Kind.RATING_MOVED, {}, now - timedelta(days=89))
    notices.put(player.pk, Notice.Kind.RATING_MOVED, {}, now - timedelta(days=91))
    assert remove_aged(housekeeping.KINDS, now) == 1
    assert notices.latest(player.pk) == [young]
