"""Comparison of two players from the data of their profiles."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.lifecycle.bans import ban_player
from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.profile.comparison import compare, figures_of, rating_of
from accounts.sign_in.guests import create_guest
from games.models import Attempt, Deal
from games.races.results.ratings_registry import ShownRating
from leaderboards.ratings import folding
from tests.accounts.conftest import MakeAttempt, MakeUser, SignIn
from tests.factories import make_deal
from tests.leaderboards import raced

pytestmark = pytest.mark.django_db


def page(one: User, two: User) -> str:
    return reverse("players:compare", args=[one.public_id, two.public_id])


def api(one: User, two: User) -> str:
    return f"/api/v1/players/{one.public_id}/vs/{two.public_id}"


Play = Callable[..., Attempt]


@pytest.fixture
def play(make_attempt: MakeAttempt) -> Play:
    deals: dict[tuple[str, int], Deal] = {}

    def finish(player: User, variant: str, days_ago: int, **fields: Any) -> Attempt:
        key = (variant, days_ago)
        if key not in deals:
            deals[key] = make_deal(variant, timezone.now().date() - timedelta(days=days_ago))
        return make_attempt(player, deals[key], **fields)

    return finish


@pytest.fixture
def rival(make_user: MakeUser) -> User:
    return make_user("Charles Babbage")


def test_figures_and_leader(user: User, rival: User, play: Play) -> None:
    for n in range(3):
        play(user, "plot", n, won=True, elapsed_ms=5000, tokens=90)
    play(rival, "plot", 3, won=True, elapsed_ms=4000, tokens=95)
    play(rival, "braid", 0, won=False)
    found = compare(user, rival)
    assert list(found.by_variant) == ["braid", "plot"]
    shown = {str(line.title): (line.values, line.ahead) for line in figures_of(found.by_variant["plot"])}
    assert shown == {
        "Games": ((3, 1), "neither"),
        "Won": ((3, 1), "first"),
        "Best time": ((5000, 4000), "second"),
        "Fewest moves": ((90, 95), "first"),
        "Streak": ((3, 0), "first"),
        "Longest streak": ((3, 1), "first"),
    }
    assert [line.values for line in figures_of(found.overall)][:2] == [(3, 2), (3, 1)]
    none = {str(line.title): line.ahead for line in figures_of(found.by_variant["braid"])}
    assert set(none.values()) == {"neither"}


@pytest.mark.parametrize(
    ("games", "ahead"),
    [
        (({"cards_up": 52, "elapsed_ms": 900}, {"cards_up": 51, "elapsed_ms": 1}), "first"),
        (({"cards_up": 9, "elapsed_ms": 900}, {"cards_up": 9, "elapsed_ms": 800}), "second"),
        (({"cards_up": 9, "elapsed_ms": 9, "tokens": 4}, {"cards_up": 9, "elapsed_ms": 9, "tokens": 5}), "first"),
        (({}, {}), "neither"),
    ],
)
def test_the_leader_of_a_deal_is_that_of_its_board(
    user: User, rival: User, play: Play, games: tuple[dict[str, Any], dict[str, Any]], ahead: str
) -> None:
    play(user, "plot", 2, **games[0])
    play(rival, "plot", 2, **games[1])
    found = compare(user, rival)
    assert [met.ahead for met in found.latest_deals] == [ahead]
    expected = {"first": ((1, 0), 0), "second": ((0, 1), 0), "neither": ((0, 0), 1)}
    assert (found.deals.ahead, found.deals.neither) == expected[ahead]
    turned = {"first": "second", "second": "first", "neither": "neither"}
    assert [met.ahead for met in compare(rival, user).latest_deals] == [turned[ahead]]


def cells(client: Client, one: User, two: User) -> list[str]:
    """Return the texts of the cells in the table of deals, as read without colours."""
    shown = client.get(page(one, two)).content.decode().partition('id="deals"')[2].partition("</table>")[0]
    found = re.findall(r"<td[^>]*>(.*?)</td>", shown, re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub("<[^>]*>", "", cell)).strip() for cell in found]


def test_the_leader_is_named_in_text(client: Client, user: User, rival: User, play: Play) -> None:
    play(user, "plot", 2, won=True, elapsed_ms=5000)
    play(rival, "plot", 2, won=True, elapsed_ms=4000)
    assert cells(client, user, rival) == ["won 0:05.0", "ahead won 0:04.0"]
    shown = client.get(page(user, rival)).content.decode()
    assert shown.count('<span class="visually-hidden">ahead </span>') == 3, "at the deal, and in the best time twice"
    client.cookies["django_language"] = "de"
    assert '<span class="visually-hidden">vorn </span>' in client.get(page(user, rival)).content.decode()


def test_moves_are_shown_if_cards_and_times_are_equal(client: Client, user: User, rival: User, play: Play) -> None:
    play(user, "plot", 2, won=True, elapsed_ms=5000, tokens=90)
    play(rival, "plot", 2, won=True, elapsed_ms=5000, tokens=91)
    assert cells(client, user, rival) == ["ahead won 0:05.000 90 moves", "won 0:05.000 91 moves"]


def test_all_common_deals_count_and_ten_are_listed(user: User, rival: User, play: Play) -> None:
    today = timezone.now().date()
    for n in range(12):
        play(user, "plot", n, won=True)
        play(rival, "plot", n)
    play(user, "braid", 0, won=True)
    found = compare(user, rival)
    assert (found.deals.ahead, found.deals.neither) == ((12, 0), 0)
    assert [met.day for met in found.latest_deals] == [today - timedelta(days=n) for n in range(10)]


@pytest.mark.parametrize(
    "hidden", [{"state": "review"}, {"state": "rejected"}, {"state": "pending"}, {"ranked": False}]
)
def test_games_hidden_from_profiles_are_not_compared(
    user: User, rival: User, play: Play, mine: Client, hidden: dict[str, Any]
) -> None:
    play(user, "plot", 0, won=True, **hidden)
    play(rival, "plot", 0)
    found = compare(user, rival)
    assert found.deals.total == 0
    assert found.overall[0].played == 0
    assert mine.get(page(user, rival)).content.decode().count("None so far.") == 2


def test_rated_races_of_both_players(user: User, rival: User, make_user: MakeUser) -> None:
    other, now = make_user(), timezone.now()
    raced.race([user, rival, other], [1, 2, 3], at=now - timedelta(hours=5))
    raced.race([user, rival], [1, 1], at=now - timedelta(hours=4))
    raced.race([user, rival], ["disqualified", 1], at=now - timedelta(hours=3))
    raced.race([user, other], at=now - timedelta(hours=2))
    raced.race([user, rival], at=now - timedelta(hours=1), rated=False)
    folding.rate_finished()
    found = compare(user, rival)
    assert (found.races.ahead, found.races.neither) == ((1, 1), 1)
    assert [(met.places, ahead) for met, ahead in found.latest_races] == [
        ((None, 1), "second"),
        ((1, 1), "neither"),
        ((1, 2), "first"),
    ]


def test_uncertain_ratings_have_no_leader() -> None:
    sure, unsure = ShownRating(1600, provisional=False), ShownRating(1700, provisional=True)
    assert rating_of((None, None)) == []
    assert [(line.values, line.ahead) for line in rating_of((sure, unsure))] == [((1600, 1700), "neither")]
    assert [line.ahead for line in rating_of((sure, ShownRating(1500, provisional=False)))] == ["first"]
    assert [(line.values, line.ahead) for line in rating_of((sure, None))] == [((1600, None), "neither")]


def test_players_without_a_page_cannot_be_compared(
    client: Client, user: User, rival: User, make_user: MakeUser, sign_in: SignIn
) -> None:
    guest, banned, erased = create_guest(), make_user(), make_user()
    ban_player(banned)
    erase_player(erased)
    erased.refresh_from_db()
    for viewer in (client, sign_in(rival)):
        for other in (guest, banned, User(public_id=uuid.uuid4())):
            for both in ((user, other), (other, user)):
                assert viewer.get(page(*both)).status_code == 404
                assert viewer.get(api(*both)).status_code == 404
        assert viewer.get(page(user, erased)).status_code == viewer.get(page(erased, user)).status_code == 410
        assert viewer.get(api(user, erased)).status_code == 404


def test_no_player_is_compared_with_themselves(client: Client, user: User) -> None:
    assert client.get(page(user, user)).headers["Location"] == user.get_absolute_url()
    assert client.get(api(user, user)).status_code == 404


def test_links_to_the_comparison(client: Client, user: User, rival: User, guest: User, sign_in: SignIn) -> None:
    address = page(user, rival)
    assert address in sign_in(user).get(rival.get_absolute_url()).content.decode()
    assert "Compare with me" not in client.get(rival.get_absolute_url()).content.decode()
    assert "Compare with me" not in sign_in(guest).get(rival.get_absolute_url()).content.decode()
    search = reverse("players:search")
    assert f"{search}?compare={user.public_id}" in sign_in(user).get(user.get_absolute_url()).content.decode()
    found = client.get(search, {"name": "char", "compare": str(user.public_id)}).content.decode()
    assert address in found
    assert "Compare Ada Lovelace with" in found
    assert client.get(search, {"compare": str(guest.public_id)}).status_code == 404
    assert client.get(search, {"compare": "x"}).status_code == 404


def test_more_games_take_no_more_queries(
    client: Client,
    user: User,
    rival: User,
    play: Play,
    django_assert_max_num_queries: Any,
) -> None:
    now = timezone.now()
    for n in range(12):
        play(user, "plot", n, won=True)
        play(rival, "plot", n)
        raced.race([user, rival], at=now - timedelta(hours=n + 1))
    folding.rate_finished()
    with django_assert_max_num_queries(9):
        assert client.get(page(user, rival)).status_code == 200
    with django_assert_max_num_queries(8):
        assert client.get(api(user, rival)).status_code == 200


def test_the_api_returns_the_same(client: Client, user: User, rival: User, play: Play) -> None:
    today = timezone.now().date()
    play(user, "plot", 0, won=True)
    play(rival, "plot", 0)
    raced.race([rival, user])
    folding.rate_finished()
    answer = client.get(api(user, rival)).json()
    assert [one["name"] for one in answer["players"]] == ["Ada Lovelace", "Charles Babbage"]
    assert [one["overall"]["won"] for one in answer["players"]] == [1, 0]
    assert all(one["provisional"] and one["rating"] for one in answer["players"])
    assert [one["variant"] for one in answer["variants"]] == ["plot"]
    assert answer["deals"] == {"ahead": [1, 0], "neither": 0}
    assert answer["latest_deals"] == [
        {
            "variant": "plot",
            "day": today.isoformat(),
            "games": [
                {"won": True, "cards_up": 52, "elapsed_ms": 400, "tokens": 3, "progress_ms": None},
                {"won": False, "cards_up": 3, "elapsed_ms": 400, "tokens": 3, "progress_ms": None},
            ],
        }
    ]
    assert answer["races"] == {"ahead": [0, 1], "neither": 0}
    assert answer["latest_races"][0]["places"] == [2, 1]
