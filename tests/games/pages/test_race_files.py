"""The file of a race, as its page hands it out."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Deal
from games.races.models import Race, Room
from games.rules import RaceFile
from tests.games.races.results import race_of

pytestmark = pytest.mark.django_db


def test_a_race_is_downloaded_when_all_on_its_deal_are_finished() -> None:
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


def _nobody() -> dict[str, object]:
    return {
        "id": 1, "name": None, "player": None, "state": "absent", "place": None, "cards_up": None, "elapsed_ms": None,
        "tokens": None, "record": None, "in_review": False,
    }  # fmt: skip
