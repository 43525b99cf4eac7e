"""The archive: a calendar of days, and the page of a day."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.attempts.lifecycle import close_attempt, start_attempt
from games.models import Attempt, Deal
from games.rules import CATALOGUE
from tests.factories import make_deal

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TODAY = NOW.date()


@pytest.fixture(autouse=True)
def _noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)


def deal_day(day: date) -> list[Deal]:
    return [make_deal(variant, day=day) for variant in CATALOGUE]


def played(player: Any, deal: Deal, end: str = "") -> Attempt:
    attempt = start_attempt(player, deal, now=deal.opens_at)
    if end:
        close_attempt(attempt.pk, "resigned")
        Attempt.objects.filter(pk=attempt.pk).update(
            end=end, state=Attempt.State.VERIFIED, cards_up=7, elapsed_ms=61_000
        )
    return attempt


def days_of(client: Client, path: str) -> dict[date, Any]:
    weeks = client.get(path).context["weeks"]
    return {day.day: day for week in weeks for day in week if day is not None}


def test_a_month_is_whole_weeks_from_monday(client: Client) -> None:
    page = client.get("/deals/")
    assert page.context["month"].first == date(2026, 11, 1)
    weeks = page.context["weeks"]
    assert all(len(week) == 7 for week in weeks)
    assert [day.day.weekday() for day in weeks[1]] == list(range(7))
    assert [day.day.day for week in weeks for day in week if day] == list(range(1, 31))
    assert re.findall(r'aria-current="date"', page.content.decode()) == ['aria-current="date"']


def test_every_mark_shows_the_players_result(mine: Client, player: Any) -> None:
    dealt = deal_day(TODAY - timedelta(days=3))
    played(player, dealt[0], "won")
    played(player, dealt[1], "resigned")
    played(player, dealt[2])
    make_deal("plot", day=TODAY + timedelta(days=1))
    days = days_of(mine, "/deals/")
    assert days[TODAY - timedelta(days=3)].marks == ("won", "lost", "playing", *["open"] * 6)
    ahead = days[TODAY + timedelta(days=1)]
    assert (ahead.is_ahead, ahead.marks.count("sealed"), ahead.marks.count("none")) == (True, 1, 8)
    assert not days[TODAY].has_deals
    for language, said in (
        ("en", ": 1 won, 1 played, not won, 1 in progress, 6 not played"),
        ("fr", ": 1 gagnée, 1 jouée, pas gagnée, 1 en cours, 6 pas jouées"),
    ):
        page = mine.get("/deals/", headers={"accept-language": language})
        assert said in re.sub(r"\s+", " ", page.content.decode())


def test_only_an_accepted_win_counts_as_won(mine: Client, player: Any) -> None:
    attempt = played(player, make_deal("plot", day=TODAY - timedelta(days=3)), "won")
    for state, mark, counts in (("review", "lost", (1, 0)), ("rejected", "void", (0, 0)), ("verified", "won", (1, 1))):
        Attempt.objects.filter(pk=attempt.pk).update(state=state)
        page = mine.get("/deals/")
        assert (page.context["played"], page.context["won"]) == counts
        assert mark in days_of(mine, "/deals/")[TODAY - timedelta(days=3)].marks


def test_other_players_games_do_not_count(client: Client, player: Any) -> None:
    played(player, make_deal("plot", day=TODAY - timedelta(days=3)), "won")
    assert "won" not in days_of(client, "/deals/")[TODAY - timedelta(days=3)].marks


def test_months_are_linked_as_far_as_there_are_deals(client: Client) -> None:
    for day in (date(2026, 9, 30), date(2026, 10, 4), TODAY, date(2026, 12, 1)):
        make_deal("plot", day=day)
    page = client.get("/deals/").context
    assert (page["month"].previous, page["month"].next) == (date(2026, 10, 1), date(2026, 12, 1))
    assert 'rel="prev" href="/deals/2026-10/"' in client.get("/deals/").content.decode()
    page = client.get("/deals/2026-09/").context
    assert (page["month"].previous, page["month"].next, page["chosen"]) == (None, date(2026, 10, 1), None)
    assert client.get("/deals/2026-12/").context["month"].next is None


def test_months_and_days_without_deals_are_not_found(client: Client) -> None:
    make_deal("plot", day=TODAY)
    for path in ("2026-08", "2026-13", "2999-12", "9999-12", "2026-11-20", "2026-02-30", "0001-01", "2026-02-30/braid"):
        assert client.get(f"/deals/{path}/").status_code == 404, path


def test_a_closed_day_shows_everything_about_its_deals(mine: Client, player: Any) -> None:
    day = TODAY - timedelta(days=3)
    dealt = deal_day(day)
    Deal.objects.filter(pk=dealt[0].pk).update(proven=True, grade=4, par=131)
    attempt = played(player, dealt[0], "won")
    page = mine.get(f"/deals/{day}/")
    assert [tile.deal.variant for tile in page.context["tiles"]] == list(CATALOGUE)
    text = " ".join(page.content.decode().split())
    for told in (
        bytes(dealt[0].seed).hex(),
        "Hard",
        "par 131",
        "7 up · 1:01.0",
        f'<input type="hidden" name="deal" value="{dealt[0].pk}">',
        f"/boards/{day}/braid/",
        f"/deals/{day}/braid/solution/",
        f"/deals/{day}/braid/deal.json",
        f"/replay/{attempt.public_id}/",
    ):
        assert told in text
    assert f"/deals/{day}/plot/solution/" not in text  # no winning line is known


@pytest.mark.parametrize("day", [TODAY, TODAY + timedelta(days=1)])
def test_open_and_coming_deals_stay_secret(day: date, mine: Client) -> None:
    dealt = deal_day(day)
    Deal.objects.update(proven=True, grade=4, par=131)
    text = mine.get(f"/deals/{day}/").content.decode()
    for deal in dealt:
        assert bytes(deal.seed).hex() not in text
        assert (deal.commitment in text) == (day > TODAY)
        assert f"/play/{deal.variant}/" in text or day > TODAY
    assert "par 131" not in text
    assert "/solution/" not in text


def test_deals_stay_secret_in_the_hour_after_their_day(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    deal = make_deal("plot", day=TODAY - timedelta(days=1))
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 11, 21, 0, 59, tzinfo=UTC))
    assert bytes(deal.seed).hex() not in client.get(f"/deals/{deal.day}/").content.decode()
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 11, 21, 1, tzinfo=UTC))
    assert bytes(deal.seed).hex() in client.get(f"/deals/{deal.day}/").content.decode()


def test_a_full_month_takes_no_more_queries(mine: Client, player: Any, django_assert_max_num_queries: Any) -> None:
    # Session, player, notices, game left, deals, attempts, first and last day, the day's deals.
    with django_assert_max_num_queries(8):
        mine.get("/deals/")
    for n in range(1, 8):
        dealt = deal_day(date(2026, 11, n))
        played(player, dealt[n % 9], "won")
    with django_assert_max_num_queries(8):
        page = mine.get("/deals/")
    assert sum(day.marks.count("won") for week in page.context["weeks"] for day in week if day) == 7
