"""Ladders on pages, in the API and on live boards."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.sign_in.guests import create_guest
from games.core.ladders import Ladder
from games.live.loader import load
from games.models import Attempt
from leaderboards.boards import deal_boards, eligibility, ghost_candidates, live_boards
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.models import Result
from leaderboards.verdicts.settlement import settle
from tests import factories
from tests.factories import DAY, NOON, ON_THREE_DAYS, make_deal, signed_in

pytestmark = pytest.mark.django_db
NEWCOMERS = Ladder.NEWCOMERS


@pytest.fixture(autouse=True)
def ladders(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LADDERS = True
    monkeypatch.setattr(eligibility, "timezone", Mock(now=lambda: NOON))


@pytest.fixture
def deal() -> Any:
    return make_deal("stonewall", DAY)


def url(deal: Any, rest: str = "") -> str:
    return f"/boards/{deal.day}/{deal.variant}/{rest}"


def after(who: Any) -> str:
    attempt = Attempt.objects.get(player=who, deal__day=DAY)
    return reverse("boards:after", args=[attempt.public_id])


def page_of(client: Client, deal: Any, query: str = "") -> str:
    return client.get(url(deal, query)).content.decode()


def result(deal: Any, cards: int, ladder: Ladder, who: Any = None, *, show: bool = True) -> Result:
    return factories.listed(deal, BoardScore(cards, 1_000, 10), who=who, ladder=ladder, show=show)


def test_a_deals_page_has_both_ladders(client: Client, deal: Any) -> None:
    first, second = result(deal, 5, Ladder.ESTABLISHED), result(deal, 9, NEWCOMERS)
    shown = client.get(url(deal))
    assert [entry.attempt for entry in shown.context["page"].entries] == [first.attempt.public_id]
    assert re.search(r'<a href="\?board=race&amp;ladder=newcomers"\s+data-ladder="newcomers"', shown.content.decode())
    shown = client.get(url(deal, "?ladder=newcomers"))
    assert [entry.attempt for entry in shown.context["page"].entries] == [second.attempt.public_id]
    assert shown.context["live"].endswith("?board=race&ladder=newcomers")
    assert client.get(url(deal, "?ladder=masters")).status_code == 404


def test_the_podium_shows_the_established_ladder(client: Client, deal: Any) -> None:
    for cards in range(3):
        result(deal, cards, NEWCOMERS)
    assert 'class="podium"' not in page_of(client, deal)
    for cards in range(3):
        result(deal, cards, Ladder.ESTABLISHED)
    assert 'class="podium"' in page_of(client, deal)
    assert 'class="podium"' not in page_of(client, deal, "?ladder=newcomers")


def test_the_next_page_is_of_the_same_ladder(client: Client, deal: Any) -> None:
    for cards in range(51):
        result(deal, cards, NEWCOMERS)
    after = client.get(url(deal)).context["after_url"]
    result(deal, 1, Ladder.ESTABLISHED)  # leads from now on
    assert [entry.rank for entry in client.get(url(deal, after)).context["page"].entries] == [51]


def test_pages_hide_ladders_while_the_rule_is_off(client: Client, deal: Any, settings: Settings) -> None:
    settings.LADDERS = False
    result(deal, 5, Ladder.ESTABLISHED)
    assert "data-ladder" not in page_of(client, deal)
    result(deal, 5, NEWCOMERS)  # decided while it was on
    assert "data-ladder" in page_of(client, deal)


def test_a_newcomer_sees_the_place_and_the_missing_games(deal: Any) -> None:
    result(deal, 104, NEWCOMERS)
    who = factories.make_old_account()
    assert settle(factories.finished(deal, who).pk) == "verified"
    client = signed_in(who)
    text = page_of(client, deal)
    missing = "To become an established player, you still need: finished games on 3 more days, a win."
    assert "you: rank 2 among newcomers" in text
    assert missing in text
    panel = client.get(after(who)).content.decode()
    assert "Your result counts: 2nd of 2 newcomers." in panel
    assert missing in panel
    profile = client.get(f"/players/{who.public_id}/").content.decode()
    assert missing in profile
    assert '<span class="mark">newcomer</span>' in profile
    assert missing not in Client().get(f"/players/{who.public_id}/").content.decode()
    factories.verified_wins(who, factories.ON_THREE_DAYS)
    assert "From tomorrow you are an established player." in client.get(after(who)).content.decode()


def test_a_guest_sees_the_place_of_an_account(deal: Any) -> None:
    result(deal, 104, NEWCOMERS)
    result(deal, 104, Ladder.ESTABLISHED)
    guest = create_guest()
    factories.settled(deal, guest)
    client = signed_in(guest)
    assert "With an account, you&#x27;d be 2nd of 2 newcomers." in client.get(after(guest)).content.decode()
    text = page_of(client, deal)
    assert "With an account you&#x27;d be at rank 2 among newcomers." in text
    assert f'<a class="button" href="{reverse("account_signup")}">' in text
    assert deal_boards.rank_of(deal, "race", guest) is None


def test_a_banned_player_sees_no_place(deal: Any) -> None:
    banned = result(deal, 5, NEWCOMERS, show=False).player
    assert 'data-standing=""' in signed_in(banned).get(after(banned)).content.decode()


def test_the_api_includes_the_ladder(client: Client, deal: Any) -> None:
    first, second = result(deal, 5, Ladder.ESTABLISHED), result(deal, 9, NEWCOMERS)
    page = client.get(f"/api/v1/boards/{deal.pk}").json()
    assert (page["ladder"], [entry["ladder"] for entry in page["entries"]]) == ("established", ["established"])
    page = client.get(f"/api/v1/boards/{deal.pk}?ladder=newcomers").json()
    assert [entry["attempt"] for entry in page["entries"]] == [str(second.attempt.public_id)]
    standing = client.get(f"/api/v1/boards/{deal.pk}/players/{second.player.public_id}").json()
    assert (standing["rank"], standing["ladder"]) == (1, "newcomers")
    around = client.get(f"/api/v1/boards/{deal.pk}/around/{first.player.public_id}").json()
    assert [entry["player"] for entry in around] == [str(first.player.public_id)]
    (own,) = client.get(f"/api/v1/players/{second.player.public_id}/results").json()
    assert own["ladder"] == "newcomers"
    assert client.get(f"/api/v1/boards/{deal.pk}?ladder=masters").status_code == 422


def test_a_live_board_switches_at_the_first_established_result(deal: Any) -> None:
    result(deal, 9, NEWCOMERS)
    assert json.loads(live_boards.read_frame(deal, "race"))["ladder"] == "newcomers"
    result(deal, 5, Ladder.ESTABLISHED)
    frame = json.loads(live_boards.read_frame(deal, "race"))
    assert (frame["ladder"], [entry["cards_up"] for entry in frame["entries"]]) == ("established", [5])
    frame = json.loads(live_boards.read_frame(deal, "race", NEWCOMERS))
    assert (frame["ladder"], frame["total"], frame["entries"][0]["ladder"]) == ("newcomers", 1, "newcomers")


def test_the_reopened_table_shows_the_ladder(deal: Any) -> None:
    attempt = factories.settled(deal, factories.make_old_account())
    verdict = load(attempt.public_id).verdict
    assert verdict is not None
    assert verdict.ladder == "newcomers"


def test_the_established_lead_however_good_a_newcomer_is(deal: Any) -> None:
    newcomer = result(deal, 9, NEWCOMERS)
    assert ghost_candidates.leader(deal.pk) == newcomer.attempt_id
    leader = result(deal, 5, Ladder.ESTABLISHED)
    assert ghost_candidates.leader(deal.pk) == leader.attempt_id
    for cards, ahead in ((7, newcomer), (4, leader)):
        own = result(deal, cards, Ladder.ESTABLISHED, show=False).attempt
        assert ghost_candidates.next_better(own) == ahead.attempt_id
    assert ghost_candidates.among(deal.pk, [leader.player_id, newcomer.player_id]) == [
        newcomer.attempt_id,
        leader.attempt_id,
    ]


def test_a_deals_page_shows_the_ladder_of_its_result(client: Client, settings: Settings) -> None:
    today = timezone.now().date()
    make_deal("plot", today)
    page = reverse("games:play", args=["plot"])
    old = timezone.now() - timedelta(days=30)
    newcomer, regular = (factories.make_old_account(date_joined=old) for _ in range(2))
    for variant, days in ON_THREE_DAYS:
        factories.verified_win(regular, make_deal(variant, today - timedelta(days=days)))
    assert "Create an account to put it on the leaderboard." in client.get(page).content.decode()
    assert "Create an account to put it on the leaderboard." in signed_in(create_guest()).get(page).content.decode()
    assert "It counts for the newcomers' leaderboard." in signed_in(newcomer).get(page).content.decode()
    assert "It counts for the established players' leaderboard." in signed_in(regular).get(page).content.decode()
    settings.LADDERS = False
    assert "It counts for" not in signed_in(newcomer).get(page).content.decode()
