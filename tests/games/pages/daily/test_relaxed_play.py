"""Relaxed games on the pages: the switch on home, tiles, results, streak, calendar, and the steps after a game."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import strip_tags

from accounts.models import User
from games.attempts.lifecycle import close_attempt, start_attempt
from games.daily.day_results import day_results
from games.daily.relaxed_day import relaxed_day
from games.daily.shared_day import shared_days
from games.deals import relaxed_deals
from games.models import Attempt, Deal
from games.presentation.anonymous_cache import RANKED_COOKIE
from games.replays.models import Continuation
from games.rules import CATALOGUE
from leaderboards.summary.panel import GameSummary
from tests.factories import make_account, signed_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def current(monkeypatch: pytest.MonkeyPatch) -> None:
    for cache in (shared_days, day_results):
        monkeypatch.setattr(cache, "fresh", 0.0)


@pytest.fixture
def relaxed(today: list[Deal]) -> dict[str, Deal]:
    """Today's relaxed deals; the ranked ones exist too."""
    return {deal.variant: deal for deal in relaxed_deals.todays_relaxed(timezone.now().date())}


def finish(deal: Deal, player: Any, how: str = "won", *, begun_late: timedelta = timedelta()) -> Attempt:
    """Finish a game; a win is only recorded as one, without its moves."""
    attempt = close_attempt(start_attempt(player, deal).pk, "resigned")
    begun = deal.opens_at + begun_late
    Attempt.objects.filter(pk=attempt.pk).update(end=how, state="verified", started_at=begun)
    attempt.refresh_from_db()
    return attempt


def tile(client: Client, variant: str = "stonewall") -> str:
    page = client.get("/").content.decode()
    return " ".join(strip_tags(page.split(f'id="deal-{variant}"')[1].split("</li>")[0]).split())


def is_relaxed(client: Client) -> bool:
    return "is_relaxed" in client.get("/").context


def after(attempt: Attempt) -> GameSummary:
    return GameSummary.of(attempt, attempt.player)


def panel(attempt: Attempt) -> str:
    return signed_in(attempt.player).get(f"/table/{attempt.public_id}/after/").content.decode()


def test_newcomers_get_relaxed_games_and_those_who_play_ranked_ones_keep_them(
    client: Client, mine: Client, player: User, relaxed: dict[str, Deal], today: list[Deal]
) -> None:
    assert is_relaxed(client)
    finish(relaxed["braid"], player)
    assert is_relaxed(mine)
    start_attempt(player, today[0])
    assert not is_relaxed(mine)


def test_the_switch_is_remembered_by_the_account_on_every_device(
    mine: Client, player: User, relaxed: dict[str, Deal]
) -> None:
    mine.post("/deals-shown/", {"deals": "ranked"})
    assert not is_relaxed(mine)
    assert not is_relaxed(signed_in(player))
    mine.post("/deals-shown/", {"deals": "relaxed"})
    mine.cookies[RANKED_COOKIE] = "1"
    assert is_relaxed(mine), "what the account chose counts"


def test_the_switch_is_remembered_by_a_visitors_browser_and_their_guest(
    client: Client, relaxed: dict[str, Deal]
) -> None:
    client.post("/deals-shown/", {"deals": "ranked"})
    assert not is_relaxed(client)
    client.post("/practice/start", {"name": "braid"})
    assert Attempt.objects.get().player.is_guest
    assert not is_relaxed(client)
    visitor = Client()
    visitor.post("/deals-shown/", {"deals": "ranked"})
    visitor.post("/deals-shown/", {"deals": "relaxed"})
    assert not visitor.cookies[RANKED_COOKIE].value


def test_tiles_show_the_players_result_beside_everyones(mine: Client, player: User, relaxed: dict[str, Deal]) -> None:
    deal = relaxed["stonewall"]
    assert tile(mine).endswith("Play")
    running = start_attempt(player, deal)
    assert tile(mine).endswith("In progress Resume")
    close_attempt(running.pk, "resigned")
    assert "1" in tile(mine)
    assert tile(mine).endswith("Played Play again")
    finish(deal, player)
    finish(deal, player, "resigned")
    finish(deal, make_account(), "resigned")
    assert tile(mine).endswith("✓ Won Play again"), "the best counts"
    assert "1 of 2 won it" in tile(mine), "people count, not tries"


def test_games_continued_from_a_replay_do_not_count(player: User, relaxed: dict[str, Deal]) -> None:
    won = finish(relaxed["braid"], player)
    Continuation.objects.create(attempt=won, n=3)
    mine = relaxed_day(player.pk, timezone.now().date())
    assert mine is not None
    assert (mine.played, mine.won, mine.streak) == (0, 0, 0)
    assert tile(signed_in(player), "braid").count("won it") == 0


def relaxed_before(days: int) -> Deal:
    day = timezone.now().date() - timedelta(days=days)
    relaxed_deals.ensure_relaxed(day, ahead=0)
    return Deal.objects.get(relaxed_day=day, variant="plot")


@pytest.mark.parametrize(("late", "streak"), [(timedelta(hours=23), 3), (timedelta(hours=25), 2)])
def test_the_streak_counts_days_won_by_a_game_begun_that_day(
    player: User, relaxed: dict[str, Deal], late: timedelta, streak: int
) -> None:
    for days, begun in ((2, late), (1, timedelta()), (0, timedelta())):
        finish(relaxed_before(days), player, begun_late=begun)
    mine = relaxed_day(player.pk, timezone.now().date())
    assert mine is not None
    assert mine.streak == streak
    assert "🔥" in mine.share_text


def test_the_day_can_be_shared_without_spoilers(player: User, relaxed: dict[str, Deal]) -> None:
    today = timezone.now().date()
    untouched = relaxed_day(player.pk, today)
    assert untouched is not None
    assert untouched.share_text == ""
    finish(relaxed["braid"], player)
    finish(relaxed["stonewall"], player, "resigned")
    mine = relaxed_day(player.pk, today)
    assert mine is not None
    _title, squares, figures, address = mine.share_text.splitlines()
    assert squares == "🟩⬜⬜⬜⬜⬜⬜⬜🟨"
    assert figures == "2 of 9 played, 1 won"
    assert address.endswith(f"/relaxed/{today}/")


def test_the_calendar_has_a_year_of_past_days(client: Client, mine: Client, player: User, today: list[Deal]) -> None:
    now = timezone.now().date()
    oldest, won = relaxed_before(364), relaxed_before(40)
    relaxed_before(366)
    finish(won, player, begun_late=timedelta(days=30))
    page = mine.get(f"/relaxed/{won.relaxed_day}/")
    assert [row.mark for row in page.context["tiles"]] == ["won" if name == "plot" else "open" for name in CATALOGUE]
    assert "1 of 1 won it" in " ".join(strip_tags(page.content.decode()).split())
    assert client.get(f"/relaxed/{won.relaxed_day}/").context["tiles"][0].mark == "open"
    assert client.get(f"/relaxed/{oldest.relaxed_day}/").status_code == 200
    assert client.get(f"/relaxed/{oldest.relaxed_day:%Y-%m}/").status_code == 200
    for missing in (now - timedelta(days=366), now + timedelta(days=1)):
        assert client.get(f"/relaxed/{missing}/").status_code == 404
    month = date(now.year + 1, 1, 1)
    assert client.get(f"/relaxed/{month:%Y-%m}/").status_code == 404


def test_a_lost_ranked_game_leads_to_the_relaxed_one(player: User, relaxed: dict[str, Deal], today: list[Deal]) -> None:
    stonewall = next(deal for deal in today if deal.variant == "stonewall")
    lost = close_attempt(start_attempt(player, stonewall).pk, "resigned")
    assert after(lost).again.step == "relaxed"  # type: ignore[union-attr]
    page = panel(lost)
    assert f'value="{relaxed["stonewall"].pk}"' in page
    assert "you can see where it went wrong" not in page


def test_a_won_relaxed_game_leads_to_ranked_first_and_then_to_the_next(player: User, relaxed: dict[str, Deal]) -> None:
    first, second = finish(relaxed["braid"], player), finish(relaxed["braid"], player)
    assert after(first).again.step == "today"  # type: ignore[union-attr]
    assert after(second).again.step == "next"  # type: ignore[union-attr]
    summary = after(second)
    assert summary.today
    assert summary.today.next
    assert summary.today.next.id == relaxed["braid-either"].pk
    assert (summary.results, summary.streak) == ((1, 1), 1)
    assert f'name="deal" value="{relaxed["braid-either"].pk}"' in panel(second)
    lost = finish(relaxed["plot"], player, "resigned")
    assert after(lost).again.step == "same"  # type: ignore[union-attr]


def test_relaxed_games_count_on_no_board(mine: Client, player: User, relaxed: dict[str, Deal]) -> None:
    finish(relaxed["stonewall"], player)
    day = timezone.now().date()
    assert (
        str(player)
        not in mine.get(f"/boards/{day}/stonewall/").content.decode().split('class="who"')[1].split("</header>")[1]
    )
    mine.post("/deals-shown/", {"deals": "ranked"})
    assert mine.get("/").context["mine"].played == 0
