"""The player's day: figures, places, the shared text, and a cheap home page."""

from __future__ import annotations

import re
import secrets
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import strip_tags
from pytest_django import Settings

from accounts.sign_in.guests import BACKEND
from accounts.templatetags.player_figures import shown_name
from games.attempts.player_attempts import attempts_on
from games.core.ladders import Ladder
from games.daily import day_summary
from games.daily.day_places import DayBoards, Place
from games.daily.shared_day import shared_day, shared_days
from games.db.shared_cache import CACHES
from games.deals import relaxed_deals
from games.deals.difficulty import goal_of
from games.deals.todays_game import todays_game
from games.models import GRACE, Attempt, Deal
from games.presentation.anonymous_cache import RANKED_COOKIE
from games.presentation.view_models import ShownDeal
from games.puzzles import daily
from games.rules import CATALOGUE
from leaderboards.boards import seasons
from leaderboards.boards.rank_keys import BoardScore
from tests import factories
from tests.factories import make_account, make_deal, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def deals() -> dict[str, Deal]:
    today = timezone.now().date()
    return {name: make_deal(name, today, seed=secrets.token_bytes(32)) for name in CATALOGUE}


@pytest.fixture
def who() -> Any:
    return make_account(preferences={"deals": "ranked"})


def visitor() -> Client:
    """Return a visitor whose home shows the ranked games."""
    client = Client()
    client.cookies[RANKED_COOKIE] = "1"
    return client


@pytest.fixture
def mine(who: Any) -> Client:
    return signed_in(who)


def won(deal: Deal, who: Any, ms: int = 1_000, **fields: Any) -> Attempt:
    result = factories.listed(
        deal, BoardScore(goal_of(deal.variant), ms, 50), who=who, finished_at=timezone.now(), **fields
    )
    Attempt.objects.filter(pk=result.attempt_id).update(end="won", started_at=deal.opens_at)
    return result.attempt


def played(deal: Deal, who: Any, cards_up: int) -> None:
    result = factories.listed(deal, BoardScore(cards_up, 1_000, 50), who=who, finished_at=timezone.now())
    Attempt.objects.filter(pk=result.attempt_id).update(started_at=deal.opens_at)


def summary_of(player: int) -> day_summary.DaySummary | None:
    now = timezone.now()
    attempts, day = attempts_on(player, now.date()), shared_day(now)
    return day_summary.standing_of(player, now, attempts, day.deals, day.boards).summary


def test_the_figures_of_a_day(deals: dict[str, Deal], who: Any, mine: Client) -> None:
    now = timezone.now()
    for back in (1, 2):
        won(make_deal("plot", now.date() - timedelta(days=back), seed=secrets.token_bytes(32)), who)
    won(deals["stonewall"], who)
    played(deals["braid"], who, 52)
    Attempt.objects.create(deal=deals["plot"], player=who, ranked=True, started_at=now)
    won(deals["tarot"], make_account())
    seasons.recount_marked()
    found = summary_of(who.pk)
    assert found is not None
    assert found.place is not None
    assert (found.day, found.played, found.tally["won"], found.of) == (now.date(), 2, 1, 9)
    assert (found.points, found.max_points, found.streaks.any_game) == (150, 900, 3)
    assert (found.place.rank, found.place.ladder, found.players) == (1, "established", 2)
    assert day_summary.share_text(found, day_summary.address_of(found.day)).splitlines()[1:] == [
        "🟨⬜⬜⬜⬜⬜⬜⬜🟩",
        "2 of 9 played, 1 won · 150 points · 🔥 3 days in a row",
        f"http://127.0.0.1:8000/deals/{now.date()}/",
    ]
    assert day_summary.standing_of(None, now, {}, [], DayBoards()).summary is None


def test_todays_game_comes_first_and_can_be_shared(deals: dict[str, Deal], who: Any, mine: Client) -> None:
    now = timezone.now()
    game = deals[todays_game(now.date())]
    page = mine.get("/")
    assert page.context["todays"].deal.variant == game.variant
    assert 'id="todays-text"' not in page.content.decode()
    yesterday = now.date() - timedelta(days=1)
    won(make_deal(todays_game(yesterday), yesterday, seed=secrets.token_bytes(32)), who)
    won(game, who, 151_000)
    page = mine.get("/")
    title, result, address = page.context["todays_text"].splitlines()
    assert title.startswith(f"Talon, {page.context['todays'].deal.title}, ")
    assert result == "🟩 Won in 2:31.0 · 🔥 2 days in a row"
    assert address == day_summary.address_of(now.date())
    assert 'id="todays-text"' in page.content.decode()


def test_recap_of_yesterday_compares_with_the_leader(deals: dict[str, Deal], who: Any, mine: Client) -> None:
    now = timezone.now()
    yesterday = now.date() - timedelta(days=1)
    braid, plot = (make_deal(name, yesterday, seed=secrets.token_bytes(32)) for name in ("braid", "plot"))
    assert mine.get("/").context["recap"] is None
    cache.clear()
    rival = make_account()
    own, best = won(plot, who, 91_000), won(plot, rival, 60_000)
    won(braid, who, 50_000), won(braid, rival, 99_000)
    Deal.objects.filter(day=yesterday).update(closes_at=now - 2 * GRACE)  # revealed, even shortly after midnight
    seasons.recount_marked()
    page = mine.get("/")
    recap = page.context["recap"]
    assert (recap.day, recap.won, recap.of, recap.points) == (yesterday, 2, 9, 200)
    assert recap.comparison.variant == "plot"
    text = page.content.decode()
    assert f"The Plot: {shown_name(rival)} took 1:00.0, you 1:31.0." in text
    assert f"?game={own.public_id}&amp;game={best.public_id}" in text
    assert visitor().get("/").context["recap"] is None


@pytest.mark.parametrize(("best", "is_compared"), [(20, False), (21, True)])
def test_recap_compares_a_loss_by_its_cards_alone(
    deals: dict[str, Deal], who: Any, mine: Client, best: int, is_compared: bool
) -> None:
    deal = make_deal("plot", timezone.now().date() - timedelta(days=1), seed=secrets.token_bytes(32))
    played(deal, make_account(), best)
    played(deal, who, 20)
    Deal.objects.filter(pk=deal.pk).update(closes_at=timezone.now() - 2 * GRACE)
    recap = mine.get("/").context["recap"]
    assert (recap.comparison is not None) == is_compared


def test_recap_names_no_game_until_the_deals_are_revealed(deals: dict[str, Deal], who: Any, mine: Client) -> None:
    yesterday = timezone.now().date() - timedelta(days=1)
    deal = make_deal("plot", yesterday, seed=secrets.token_bytes(32))
    won(deal, who, 91_000), won(deal, make_account(), 60_000)
    Deal.objects.filter(pk=deal.pk).update(closes_at=timezone.now())
    recap = mine.get("/").context["recap"]
    assert (recap.won, recap.comparison) == (1, None)


def test_an_empty_day_invites_once(deals: dict[str, Deal]) -> None:
    assert visitor().get("/").content.decode().count("Be the first today.") == 1


def test_a_coming_deal_is_one_of_the_nine(
    deals: dict[str, Deal], who: Any, mine: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = [deal for name, deal in deals.items() if name != "stonewall"]
    monkeypatch.setattr("games.deals.publishing.todays_deals", lambda _now: ready)
    page = mine.get("/").content.decode()
    assert "<b>0 <small>of 9</small></b>" in page
    assert "One game is on the way." in page
    won(deals["plot"], who)
    found = summary_of(who.pk)
    assert found is not None
    assert (found.played, found.of, found.tally["open"], found.tally["coming"]) == (1, 9, 7, 1)
    squares = day_summary.share_text(found, "").splitlines()[1]
    assert (len(squares), squares.count("🟩")) == (9, 1)
    ready.append(deals["stonewall"])
    assert "still being prepared" not in mine.get("/").content.decode()


def test_home_shows_day_leaders_and_next_steps(deals: dict[str, Deal], who: Any, mine: Client) -> None:
    rival = make_account()
    won(deals["stonewall"], rival, 500)
    won(deals["stonewall"], who)
    running = Attempt.objects.create(deal=deals["plot"], player=who, ranked=True, started_at=timezone.now())
    seasons.recount_marked()
    page = mine.get("/")
    tiles = {tile.deal.variant: tile for tile in page.context["tiles"]}
    assert tiles["stonewall"].place.rank == 2
    assert tiles["plot"].place is None
    text = page.content.decode()
    board = f"/boards/{deals['stonewall'].day}/stonewall/"
    leader = rf'Leader:</span>\s+<a href="{board}">{re.escape(shown_name(rival))}</a>'
    assert not re.search(leader, text)  # the player's own result is shown instead
    assert re.search(leader, visitor().get("/").content.decode())
    assert text.count("deal-link") == 9
    assert len(re.findall(r'aria-describedby="deal-plot"\s+href="/table/', text)) == 1
    assert re.search(rf'href="/table/{running.public_id}/"\s*>\s*Resume', text)
    assert re.search(r"2\s*<small>/ 2</small>", text)
    assert "Share your day" in text
    stranger = visitor().get("/").content.decode()
    assert stranger.count('href="/play/') == 10
    assert stranger.count("Be the first today.") == 0
    assert "Your day" not in stranger
    assert "100 points" in stranger  # the best of the nine


def test_a_new_result_is_on_the_next_home_page(
    deals: dict[str, Deal], who: Any, mine: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_days, "fresh", 60.0)
    page = visitor().get("/")
    assert page.context["boards"].leaders == {}
    attempt = won(deals["stonewall"], who)
    page = mine.get("/")
    assert page.context["boards"].leaders == {}, "no verdict yet"
    assert "Place 1" not in page.content.decode(), "on a board that is still empty"
    Attempt.objects.filter(pk=attempt.pk).update(verified_at=timezone.now())
    page = mine.get("/")
    assert page.context["boards"].leaders[deals["stonewall"].pk].player == who.public_id
    assert "Place 1" in page.content.decode()
    assert visitor().get("/").context["boards"].leaders, "and everybody else has it, too"


def test_game_in_doubt_earns_nothing(deals: dict[str, Deal], who: Any, mine: Client) -> None:
    attempt = won(deals["stonewall"], who)
    for state, played in (("rejected", 0), ("review", 1)):
        Attempt.objects.filter(pk=attempt.pk).update(state=state)
        found = summary_of(who.pk)
        assert found is not None
        assert (found.played, found.tally["review"], found.counted) == (played, played, 0)
        assert (found.tally["won"], found.points, found.streaks.any_game, found.tally["open"]) == (0, 0, 0, 8)
        page = mine.get("/").content.decode()
        assert f"<b>{played} <small>of 9</small></b>" in page
        assert ("Under review: 1" in page) == bool(played)
        assert "Share your day" not in page
    won(deals["braid"], who)
    found = summary_of(who.pk)
    assert found is not None
    assert found.played == 2
    assert "1 of 9 played, 1 won · 100 points" in day_summary.share_text(found, ""), "without the one under review"


def test_newcomers_get_their_own_boards_and_lead_alone(
    deals: dict[str, Deal], who: Any, mine: Client, settings: Settings
) -> None:
    settings.LADDERS = True
    won(deals["stonewall"], who, ladder=Ladder.NEWCOMERS)
    seasons.recount_marked()
    page = mine.get("/")
    assert page.context["boards"].ladder == "newcomers"
    assert page.context["boards"].leaders[deals["stonewall"].pk].player == who.public_id
    assert "Place 1 among newcomers" in page.content.decode()
    rival = make_account()
    won(deals["stonewall"], rival, 2_000)
    seasons.recount_marked()
    page = mine.get("/")
    assert page.context["boards"].ladder == "established"
    assert [leader.player for leader in page.context["boards"].best] == [rival.public_id]
    assert page.context["boards"].leaders[deals["stonewall"].pk].player == rival.public_id
    assert page.context["mine"].place == Place(1, "newcomers")


def test_a_guest_has_figures_but_no_place(deals: dict[str, Deal]) -> None:
    guest = make_account(is_guest=True)
    won(deals["stonewall"], guest, show=False)
    client = Client()
    client.force_login(guest, backend=BACKEND)
    page = client.get("/")
    assert (page.context["mine"].points, page.context["mine"].place) == (100, None)
    assert page.context["boards"].best == ()
    assert "Guests are not on the leaderboard." in page.content.decode()


def test_home_needs_few_queries(
    deals: dict[str, Deal], who: Any, mine: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for deal in deals.values():
        won(deal, who)
    seasons.recount_marked()
    daily.puzzle_of(timezone.now().date())
    relaxed_deals.ensure_relaxed(timezone.now().date())
    for one in CACHES.values():
        monkeypatch.setattr(one, "fresh", 1e9)
    fresh = Client()
    fresh.force_login(make_account(preferences={"deals": "ranked"}), backend=BACKEND)
    with CaptureQueriesContext(connection) as first:
        visitor().get("/")
    assert len(first) <= 11  # shared by all visitors
    fresh.get("/"), mine.get("/")
    counts = []
    for client in (visitor(), fresh, mine):
        with CaptureQueriesContext(connection) as captured:
            client.get("/")
        counts.append(len(captured))
    # Session, player, attempts, streak, notices, known variants, game left, puzzle; places on all boards in three.
    assert counts[0] == 0
    assert counts[1] <= 8
    assert counts[2] <= 10


def test_tiles_show_how_hard_and_long_a_game_is_and_how_many_won_yesterdays(who: Any) -> None:
    now = timezone.now()
    for day in (now.date(), now.date() - timedelta(days=1)):
        seed = secrets.token_bytes(32)
        deal = make_deal("stonewall", day, seed=seed, proven=True, grade=2, par=83, solution=b"")
    won(deal, who)
    played(deal, make_account(), 3)
    tile = visitor().get("/").content.decode().split('id="deal-stonewall"')[1].split("</li>")[0]
    assert "Easy · about 6 min" in " ".join(strip_tags(tile).split())
    assert "1 of 2 won yesterday's" in tile
    pars = {1: 1, 52: 3, 83: 6, 150: 10, 288: 20}
    assert {par: ShownDeal.of(Deal(game="plot", options={}, par=par, opens_at=now)).minutes for par in pars} == pars
