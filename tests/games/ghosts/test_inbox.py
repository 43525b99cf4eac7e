"""Inbox: the unread count, order and deletion of notices."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.core.errors import RateLimitedError
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
    kinds = [Notice.Kind.RATING_MOVED, Notice.Kind.APPEALED]
    made = [notices.put(player.pk, kinds[n % 2], {"n": n}) for n in range(notices.MAX_SHOWN + 5)]
    assert notices.latest(player.pk) == made[::-1][: notices.MAX_SHOWN]


def test_many_notices_of_one_kind_do_not_push_out_others(player: User) -> None:
    answer = notices.put(player.pk, Notice.Kind.APPEALED, {})
    joined = [notices.put(player.pk, Notice.Kind.JOINED, {"player": n}) for n in range(2 * notices.MAX_SHOWN)]
    assert notices.latest(player.pk) == [*joined[::-1][: notices.MAX_OF_KIND], answer]


@pytest.mark.parametrize("flood", [lambda _n: "203.0.113.7", lambda n: f"2001:db8:0:{n % 2}::/64"])
def test_one_network_does_not_use_up_a_players_limit(flood: Callable[[int], str], player: User) -> None:
    """Challenges of strangers elsewhere still arrive."""

    def arrives(network: str) -> bool:
        try:
            notices.check_limits(player.pk, "challenged", create_guest().pk, network)
        except RateLimitedError:
            return False
        return True

    arrived = sum(arrives(flood(n)) for n in range(30))
    assert arrived <= 12
    assert arrives("198.51.100.9")


def test_notices_are_deleted_after_ninety_days(player: User) -> None:
    now = timezone.now()
    young = notices.put(player.pk, Notice.Kind.RATING_MOVED, {}, now - timedelta(days=89))
    notices.put(player.pk, Notice.Kind.RATING_MOVED, {}, now - timedelta(days=91))
    assert remove_aged(housekeeping.KINDS, now) == 1
    assert notices.latest(player.pk) == [young]
