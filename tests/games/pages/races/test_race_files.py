"""The file of a race, downloaded from its page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.sign_in.guests import create_guest
from games.models import Attempt, Deal
from games.races.models import Entrant, Race, Room
from games.rules import RaceFile
from tests.games.races.finished_races import race_of
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db


def test_a_race_is_downloaded_once_its_deal_is_free() -> None:
    race = race_of(timezone.now() - timedelta(hours=1), kind=Room.Kind.PRIVATE)
    address = f"/races/{race.room.code}/1/race.json"
    page = f"/races/{race.room.code}/1/"
    assert Client().get(address).status_code == 403
    assert address not in Client().get(page).content.decode()
    Deal.objects.filter(races=race).update(revealed_at=timezone.now())
    answer = Client().get(address)
    assert f"/verify/?link={address}" in Client().get(page).content.decode()
    assert RaceFile.from_json(answer.json() | {"entrants": [_nobody()]}).id == race.public_id
    Race.objects.filter(pk=race.pk).update(state="racing", finished_at=None)
    assert Client().get(address).status_code == 403


def test_a_race_games_record_links_to_the_race_file() -> None:
    race = race_of(timezone.now() - timedelta(hours=1), kind=Room.Kind.PRIVATE)
    assert race.deal is not None
    attempt = factory.finished(race.deal, create_guest(), state=Attempt.State.VERIFIED, ranked=False)
    Entrant.objects.create(race=race, player=attempt.player, attempt=attempt, state="retired", joined_at=timezone.now())
    address = f"/replay/{attempt.public_id}/record.json"
    assert Client().get(address).status_code == 403
    Deal.objects.filter(races=race).update(for_race=True, revealed_at=timezone.now())
    assert Client().get(address)["Link"] == f'</races/{race.room.code}/1/race.json>; rel="collection"'


def _nobody() -> dict[str, object]:
    return {
        "id": 1, "name": None, "player": None, "state": "absent", "place": None, "cards_up": None, "elapsed_ms": None,
        "tokens": None, "record": None, "in_review": False,
    }  # fmt: skip
