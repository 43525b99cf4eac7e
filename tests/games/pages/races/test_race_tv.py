"""Race TV and the overlay for streams: the choice of the race, access, and the overlay's size."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.sign_in.guests import create_guest
from games.pages.races import lobby
from games.races.models import Entrant, Race, Room
from tests.games.races.finished_races import race_of
from tests.games.races.runs import Run, at

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("requested_tasks")]


def live(racers: int, second: int, *, rated: bool = False, kind: Room.Kind = Room.Kind.PUBLIC) -> Race:
    race = race_of(at(second), state="racing", kind=kind, rated=rated, finished_at=None)
    for _ in range(racers):
        Entrant.objects.create(race=race, player=create_guest(), joined_at=at(second), state="racing")
    return race


def best() -> str | None:
    return lobby.read(at(60))["best"]


def test_the_best_race_is_rated_then_large_then_new() -> None:
    assert best() is None
    old = live(2, 10)
    assert best() == old.room.code
    new = live(2, 20)
    assert best() == new.room.code
    large = live(3, 5)
    assert best() == large.room.code
    rated = live(2, 1, rated=True, kind=Room.Kind.QUICK)
    assert best() == rated.room.code
    Race.objects.filter(pk=rated.pk).update(state=Race.State.SETTLING)
    assert best() == large.room.code


def test_private_races_are_never_on_tv(client: Client) -> None:
    private = live(5, 10, kind=Room.Kind.PRIVATE)
    assert best() is None
    cache.clear()
    assert private.room.code not in client.get("/races/tv/").content.decode()


def test_tv_is_in_the_lobby_and_knows_the_best_race(client: Client) -> None:
    code = live(2, 10).room.code
    cache.clear()
    assert "/races/tv/" in client.get("/races/").content.decode()
    assert client.get("/races/tv/").context["lobby"]["best"] == code


def test_any_room_has_an_overlay_and_others_do_not(client: Client) -> None:
    code = Run.of(1).room.code
    page = client.get(f"/races/{code}/overlay/")
    assert (page.status_code, page["X-Frame-Options"]) == (200, "DENY")
    assert f'data-code="{code}"' in page.content.decode()
    assert f"/races/{code}/overlay/" in client.get(f"/races/{code}/").content.decode()
    assert client.get("/races/0000000000/overlay/").status_code == 404


def test_a_wrong_overlay_size_counts_as_the_usual_one(client: Client) -> None:
    overlay = f"/races/{Run.of(1).room.code}/overlay/"
    sizes = {"": 100, "?size=50": 50, "?size=300": 300, "?size=49": 100, "?size=301": 100, "?size=big": 100}
    for query, size in sizes.items():
        assert f'data-size="{size}"' in client.get(overlay + query).content.decode(), query
