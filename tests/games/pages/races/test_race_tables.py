"""Pages of a race for its players: tables and their lanes, and the file of the race."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import start_attempt
from games.models import Attempt, Deal
from games.pages.races.table_opponents import DayLanes
from games.races.models import Entrant, Race, Room
from games.rules import RaceFile
from tests import factories
from tests.factories import make_deal, signed_in
from tests.games.races.finished_races import race_of
from tests.games.races.runs import Run
from tests.games.seats import CARD

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run() -> Run:
    return Run.counting(2)


def seat_of(run: Run, place: int) -> Entrant:
    return Entrant.objects.select_related("attempt__deal", "race").get(player=run.players[place])


def starts(entrant: Entrant, in_s: float) -> Attempt:
    at = timezone.now() + timedelta(seconds=in_s)
    assert entrant.attempt is not None
    Attempt.objects.filter(pk=entrant.attempt.pk).update(started_at=at, deadline=at + timedelta(minutes=5))
    return Attempt.objects.select_related("deal").get(pk=entrant.attempt.pk)


def test_before_the_start_the_page_has_only_a_countdown(run: Run) -> None:
    entrant = seat_of(run, 0)
    attempt = starts(entrant, 30)
    answer = signed_in(run.players[0]).get(f"/table/{attempt.public_id}/")
    page = answer.content.decode()
    opening = answer.context["opening"]
    assert (opening["type"], set(opening)) == ("waiting", {"type", "attempt", "starts_in", "now", "deal"})
    assert 25_000 < opening["starts_in"] <= 30_000
    assert 'id="starting"' in page
    assert not re.search(r'id="starting" hidden', page)
    assert bytes(attempt.deal.seed).hex() not in page
    assert not CARD.search(json.dumps(opening))


def test_opening_the_page_after_the_start_counts_as_racing(run: Run) -> None:
    """A page request without a socket shows the cards, so the player is not absent."""
    entrant = seat_of(run, 0)
    attempt = starts(entrant, -5)
    Race.objects.filter(pk=entrant.race_id).update(starts_at=attempt.started_at)
    signed_in(run.players[1]).get(f"/table/{attempt.public_id}/")
    entrant.refresh_from_db()
    assert entrant.state == Entrant.State.SEATED
    signed_in(run.players[0]).get(f"/table/{attempt.public_id}/")
    entrant.refresh_from_db()
    assert entrant.state == Entrant.State.RACING
    assert seat_of(run, 1).state == Entrant.State.SEATED


def test_a_race_page_links_to_its_room_without_hints(run: Run) -> None:
    entrant = seat_of(run, 0)
    attempt = starts(entrant, -5)
    answer = signed_in(run.players[0]).get(f"/table/{attempt.public_id}/")
    page = answer.content.decode()
    assert answer.context["opening"]["type"] == "view"
    assert re.search(r'id="starting" hidden', page)
    assert f'href="/races/{run.room.code}/"' in page
    assert f'href="/races/{run.room.code}/{entrant.race.number}/"' in page
    assert f'data-entrant="{entrant.pk}"' in page
    assert "Race 1" in page
    assert "Practice" not in page
    assert "can-win" not in page
    assert "The others play on." in page


def test_a_daily_table_knows_the_lanes_socket_while_open(player: Any) -> None:
    deal = make_deal("plot")
    attempt = start_attempt(player, deal)
    page = signed_in(player).get(f"/table/{attempt.public_id}/").content.decode()
    assert f'data-socket="/ws/lanes/{deal.pk}/"' in page
    assert f'data-pace="/boards/{deal.day}/plot/pace.json"' in page
    assert deal.closes_at is not None
    assert DayLanes.of(deal, deal.closes_at) is None
    assert DayLanes.of(Deal(variant="plot", opens_at=deal.opens_at), timezone.now()) is None


def test_a_race_is_downloaded_once_its_deal_is_free() -> None:
    race = race_of(timezone.now() - timedelta(hours=1), kind=Room.Kind.PRIVATE)
    address = f"/races/{race.room.code}/1/race.json"
    page = f"/races/{race.room.code}/1/"
    assert Client().get(address).status_code == 403
    assert address not in Client().get(page).content.decode()
    Deal.objects.filter(races=race).update(revealed_at=timezone.now())
    answer = Client().get(address)
    assert "attachment" in answer["Content-Disposition"]
    assert f"/verify/?link={address}" in Client().get(page).content.decode()
    assert RaceFile.from_json(answer.json() | {"entrants": [_nobody()]}).id == race.public_id
    Race.objects.filter(pk=race.pk).update(state="racing", finished_at=None)
    assert Client().get(address).status_code == 403


def test_a_race_games_record_links_to_the_race_file() -> None:
    race = race_of(timezone.now() - timedelta(hours=1), kind=Room.Kind.PRIVATE)
    assert race.deal is not None
    attempt = factories.finished(race.deal, create_guest(), state=Attempt.State.VERIFIED, ranked=False)
    Entrant.objects.create(race=race, player=attempt.player, attempt=attempt, state="retired", joined_at=timezone.now())
    address = f"/replay/{attempt.public_id}/record.json"
    assert Client().get(address).status_code == 403
    Deal.objects.filter(races=race).update(for_race=True, revealed_at=timezone.now())
    assert Client().get(address)["Link"] == f'</races/{race.room.code}/1/race.json>; rel="collection"'


def _nobody() -> dict[str, object]:
    return {
        "id": 1, "name": None, "player": None, "state": "absent", "place": None, "cards_up": None, "elapsed_ms": None,
        "tokens": None, "progress_ms": None, "record": None, "in_review": False,
    }  # fmt: skip
