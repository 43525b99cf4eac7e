"""The explorer on pages: panel, page and summary of a deal, and the sentence in the morning's recap."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from games.daily.recap import DealRecap, recap_of
from games.explorer import building, explorer_build
from games.explorer.deal_summary import DealSummary
from games.explorer.lookup import table_at
from games.explorer.models import Explorer
from games.explorer.trails import PlayedGame
from games.models import Attempt, Deal
from games.races.models import Entrant
from leaderboards.summary.panel import GameSummary
from tests.factories import signed_in
from tests.games.analysis.test_search import RECORD, losing_game
from tests.games.explorer.played import finished, past_deal, winner
from tests.games.races.finished_races import race_of

pytestmark = pytest.mark.django_db(transaction=True)

PANEL = 'id="explorer"'


def lost_game() -> PlayedGame:
    _, tokens = losing_game()
    clock = [1000 * n for n in range(1, len(tokens) + 1)]
    return PlayedGame(tokens, clock, clock[-1], won=False)


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[Attempt]:
    """Two won games and three that were lost by the same move."""
    monkeypatch.setattr(building, "run", explorer_build.build)
    deal = past_deal(RECORD)
    games = [winner(RECORD), winner(RECORD), *[lost_game()] * 3]
    played_games = [finished(User.objects.create_user(f"P{n}"), deal, RECORD, game) for n, game in enumerate(games)]
    building.build_due()
    return played_games


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return " ".join(response.content.decode().split())


def replay(attempt: Attempt) -> str:
    return f"/replay/{attempt.public_id}/"


def test_the_panel_is_on_replays_of_explored_deals_only(client: Client, attempts: list[Attempt]) -> None:
    deal = attempts[0].deal
    page = text_of(client, replay(attempts[0]))
    assert re.search(rf'data-address="/api/v1/deals/{deal.pk}/explorer"\s+data-game="{attempts[0].public_id}"', page)
    solution = text_of(client, f"/deals/{deal.day}/labyrinth/solution/")
    assert f'data-address="/api/v1/deals/{deal.pk}/explorer"' in solution
    assert PANEL not in text_of(client, f"/replay/{attempts[0].public_id}/embed/")
    Explorer.objects.update(built=0)
    assert PANEL not in text_of(client, replay(attempts[0]))
    Explorer.objects.update(built=1)
    Deal.objects.filter(pk=deal.pk).update(closes_at=timezone.now() - timedelta(minutes=59))
    assert PANEL not in text_of(signed_in(attempts[0].player), replay(attempts[0]))


def test_the_page_leads_to_the_key_move(client: Client, attempts: list[Attempt]) -> None:
    address = reverse("games:explorer", args=[attempts[0].deal.day, "labyrinth"])
    n, _ = losing_game()
    page = text_of(client, address)
    assert PANEL in page
    assert "data-game" not in page
    steps = client.get(f"{address}steps.json").json()
    assert [step["token"] for step in steps["moved"]] == list(RECORD.tokens[: n + 1])
    Explorer.objects.update(summary={"path": list(RECORD.tokens[:2])})
    assert len(client.get(f"{address}steps.json").json()["moved"]) == 2


def test_the_page_is_refused_before_the_reveal(client: Client, attempts: list[Attempt]) -> None:
    address = reverse("games:explorer", args=[attempts[0].deal.day, "labyrinth"])
    Explorer.objects.update(games=0)
    assert client.get(address).status_code == 404
    Explorer.objects.update(games=5)
    Deal.objects.update(closes_at=timezone.now() - timedelta(minutes=59))
    assert {client.get(address + more).status_code for more in ("", "steps.json")} == {403}
    assert "How everyone played" not in text_of(client, f"/deals/{attempts[0].deal.day}/labyrinth/")


def test_the_deals_page_sums_up(client: Client, attempts: list[Attempt]) -> None:
    n, _ = losing_game()
    address = f"/deals/{attempts[0].deal.day}/labyrinth/"
    page = text_of(client, address)
    assert f"5 games, 40 % won. Most often lost at move {n + 1}: 3 of 3." in page
    assert "2 of 5 found the key move." in page
    assert f'data-token="{RECORD.tokens[n]}"' in page
    assert f"Most winners have their first {len(RECORD.tokens)} moves in common." in page
    Explorer.objects.update(summary={"half_lost_by": 7})
    assert "5 games, 40 % won. Half of the losses came by move 7." in text_of(client, address)


def recapped(attempt: Attempt) -> DealRecap | None:
    assert attempt.deal.day is not None
    recap = recap_of(attempt.player_id, datetime.combine(attempt.deal.day + timedelta(days=1), time(12), UTC))
    assert recap is not None
    return recap.explored


def test_the_recap_tells_who_found_the_key_move(attempts: list[Attempt]) -> None:
    n, _ = losing_game()
    before, token = table_at(attempts[0].deal, None, 0, ".".join(RECORD.tokens[:n])), RECORD.tokens[n]
    common: dict[str, Any] = {"variant": "labyrinth", "percent_won": 40, "lost_at": n + 1, "half_lost_by": n + 1}
    common |= {"token": token, "view": json.dumps(before.view())}
    assert recapped(attempts[0]) == DealRecap(**common, found=2, own=True)
    assert recapped(attempts[2]) == DealRecap(**common, found=2, own=False)


def test_a_player_who_never_came_there_is_told_nothing_of_it(attempts: list[Attempt]) -> None:
    stray = finished(
        User.objects.create_user("Stray"), attempts[0].deal, RECORD, PlayedGame([], [], 5, won=False), cards_up=4
    )
    found = recapped(stray)
    assert found is not None
    assert found.own is None


def test_the_recap_needs_an_explorer(attempts: list[Attempt]) -> None:
    Explorer.objects.update(built=0)
    assert recapped(attempts[0]) is None


@pytest.mark.parametrize(
    ("summary", "own", "text"),
    [
        (None, True, "Labyrinth: 40 % won; most often lost at move {n}. You were one of 2 who found the key move."),
        (None, False, "Labyrinth: 40 % won; most often lost at move {n}. You lost it there, too."),
        (DealSummary(half_lost_by=7), True, "Labyrinth: 40 % won; half of the losses came by move 7."),
        (DealSummary(), True, "Labyrinth: 40 % won. <a"),
    ],
)
def test_the_home_page_has_the_sentence(
    attempts: list[Attempt], monkeypatch: pytest.MonkeyPatch, summary: DealSummary | None, own: Any, text: str
) -> None:
    if summary is not None:
        Explorer.objects.update(summary={"half_lost_by": summary.half_lost_by})
    attempt = attempts[0 if own else 2]
    assert attempt.deal.day is not None
    noon = datetime.combine(attempt.deal.day + timedelta(days=1), time(12), UTC)
    monkeypatch.setattr(timezone, "now", lambda: noon)
    monkeypatch.setattr("games.deals.publishing.todays_deals", lambda _: [])
    n, _ = losing_game()
    page = text_of(signed_in(attempt.player), "/")
    assert text.format(n=n + 1) in page
    assert (f'data-token="{RECORD.tokens[n]}" hidden>The key move:' in page) == (summary is None)
    assert ('id="key-view"' in page) == (summary is None)


def test_finished_games_and_races_lead_to_it(client: Client, attempts: list[Attempt]) -> None:
    attempt = attempts[0]
    assert GameSummary.of(attempt, attempt.player).is_explored
    assert "See what others played" in text_of(
        signed_in(attempt.player), reverse("boards:after", args=[attempt.public_id])
    )
    race = race_of(timezone.now())
    Entrant.objects.create(race=race, player=attempt.player, attempt=attempt, joined_at=timezone.now(), state="won")
    Deal.objects.filter(pk=attempt.deal_id).update(for_race=True, revealed_at=timezone.now())
    type(race).objects.filter(pk=race.pk).update(deal=attempt.deal_id)
    link = f"{replay(attempt)}#explorer"
    address = reverse("games:race_result", args=[race.room.code, 1])
    assert link in text_of(client, address)
    Explorer.objects.update(games=0)
    assert link not in text_of(client, address)
    assert not GameSummary.of(attempt, attempt.player).is_explored
