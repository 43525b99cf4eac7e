"""Profile pages: figures, results, charts and access."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from accounts.models import User
from accounts.profile.profile_queries import RESULTS_A_PAGE
from accounts.sign_in.guests import create_guest
from games.pages.shared.view_models import DealTile
from games.rules import CATALOGUE
from tests.accounts.conftest import MakeAttempt, MakeUser, SignIn
from tests.deals import make_deal

pytestmark = pytest.mark.django_db


def page(user: User) -> str:
    return reverse("players:profile", args=[user.public_id])


def test_figures_come_from_own_verified_ranked_attempts(
    client: Client, user: User, make_user: MakeUser, make_attempt: MakeAttempt
) -> None:
    today = timezone.now().date()
    plot = make_deal("plot", today)
    make_attempt(make_user(), plot, won=True, elapsed_ms=1)
    make_attempt(user, plot, won=True, elapsed_ms=61_200, tokens=80)
    make_attempt(user, make_deal("plot", today - timedelta(days=1)), won=True, elapsed_ms=62_000, tokens=70)
    make_attempt(user, make_deal("braid", today), won=False)
    make_attempt(user, make_deal("tarot", today), won=True, state="pending")
    make_attempt(user, make_deal("pigtail", today), won=True, state="rejected")
    make_attempt(user, make_deal("plot", practice=True), won=True, elapsed_ms=1)
    response = client.get(page(user))
    figures = response.context["statistics"]
    assert list(figures.by_variant) == ["braid", "plot"]
    found = figures.by_variant["plot"]
    assert (found.played, found.won, found.best_ms, found.fewest_moves) == (2, 2, 61_200, 70)
    assert (found.streak, figures.overall.played, figures.overall.won) == (2, 3, 2)
    assert "1:01.2" in response.content.decode()


def test_only_the_player_sees_pending_attempts(
    client: Client, user: User, mine: Client, make_attempt: MakeAttempt
) -> None:
    waiting = make_attempt(user, make_deal(), state="review")
    assert client.get(page(user)).context["results"] == []
    assert mine.get(page(user)).context["results"] == [DealTile.of(waiting.deal, waiting)]


def test_results_are_paginated(client: Client, user: User, make_attempt: MakeAttempt) -> None:
    today = timezone.now().date()
    days = [today - timedelta(days=n) for n in range(4)]
    deals = [make_deal(variant, day) for variant in CATALOGUE for day in days]
    now = timezone.now()
    made = [make_attempt(user, deal, started_at=now - timedelta(hours=n // 2)) for n, deal in enumerate(deals)]
    first = client.get(page(user))
    second = client.get(page(user), {"before": str(first.context["older"])})
    shown = first.context["results"] + second.context["results"]
    assert len(first.context["results"]) == RESULTS_A_PAGE
    assert {tile.attempt.public_id for tile in shown} == {attempt.public_id for attempt in made}
    assert len(shown) == len(made)
    started = [tile.attempt.started_at for tile in shown]
    assert started == sorted(started, reverse=True)
    assert second.context["older"] is None


@pytest.mark.parametrize("cursor", ["nonsense", str(uuid.UUID(int=7))])
def test_a_strange_cursor_is_not_found(client: Client, user: User, cursor: str) -> None:
    assert client.get(page(user), {"before": cursor}).status_code == 404


def test_another_players_attempt_is_no_cursor(
    client: Client, user: User, make_user: MakeUser, make_attempt: MakeAttempt
) -> None:
    other = make_attempt(make_user(), make_deal())
    assert client.get(page(user), {"before": str(other.public_id)}).status_code == 404


def test_the_charts_get_their_data_as_json(client: Client, user: User, make_attempt: MakeAttempt) -> None:
    today = timezone.now().date()
    make_attempt(user, make_deal("plot", today), won=True)
    make_attempt(user, make_deal("braid", today - timedelta(days=1)))
    make_attempt(user, make_deal("plot", today - timedelta(days=500)))
    address = reverse("players:history", args=[user.public_id])
    plays = client.get(address).json()["plays"]
    assert [play["variant"] for play in plays] == ["braid", "plot"]
    assert plays[1] == {
        "variant": "plot", "day": today.isoformat(), "won": True, "cards_up": 52, "elapsed_ms": 400, "tokens": 3,
        "par": None,
    }  # fmt: skip
    assert client.get(address, {"variant": "plot"}).json()["plays"] == plays[1:]


def test_guests_and_banned_players_have_no_page(client: Client, make_user: MakeUser, mine: Client) -> None:
    guest, banned = create_guest(), make_user()
    ban_player(banned)
    for viewer in (client, mine):
        for player in (guest, banned, User(public_id=uuid.uuid4())):
            for name in ("players:profile", "players:history"):
                assert viewer.get(reverse(name, args=[player.public_id])).status_code == 404


def test_a_guest_sees_their_own_page(guest: User, sign_in: SignIn) -> None:
    assert sign_in(guest).get(page(guest)).status_code == 200


def test_a_result_links_to_its_board_and_later_the_replay(
    client: Client, user: User, make_attempt: MakeAttempt
) -> None:
    today = timezone.now().date()
    running = make_attempt(user, make_deal("plot", today))
    over = make_attempt(user, make_deal("plot", today - timedelta(days=3)))
    shown = client.get(page(user)).content.decode()
    assert reverse("boards:deal", args=[today, "plot"]) in shown
    assert reverse("games:replay", args=[over.public_id]) in shown
    assert reverse("games:replay", args=[running.public_id]) not in shown


def test_more_results_take_no_more_queries(
    client: Client,
    user: User,
    make_attempt: MakeAttempt,
    django_assert_max_num_queries: Any,
) -> None:
    today = timezone.now().date()
    for n in range(10):
        make_attempt(user, make_deal("plot", today - timedelta(days=n)), won=True)
    with django_assert_max_num_queries(6):
        assert client.get(page(user)).status_code == 200


def test_names_are_escaped(client: Client, user: User) -> None:
    User.objects.filter(pk=user.pk).update(display_name="<script>alert(1)</script>")
    assert "<script>alert" not in client.get(page(user)).content.decode()
