"""Games side by side: which, for whom, and race games only after the race."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.models import Attempt
from games.races.models import Entrant, Race
from tests.games.ghosts.playing import open_deal, past_deal, played, practice_deal, race_on

pytestmark = pytest.mark.django_db(transaction=True)


def together(*attempts: Attempt) -> str:
    return "/replay/together/?" + "&".join(f"game={attempt.public_id}" for attempt in attempts)


def test_games_of_a_revealed_deal_stand_side_by_side(client: Client, mine: Client, player: User, rival: User) -> None:
    deal = past_deal()
    one, two = played(player, deal), played(rival, deal, 1000)
    page = client.get(together(one, two, one))
    boards = page.context["boards"]
    assert [board.steps_url for board in boards] == [f"/replay/{game.public_id}/steps.json" for game in (one, two)]
    assert [board.own for board in boards] == [False, False]
    assert [board.own for board in mine.get(together(two, one)).context["boards"]] == [False, True]


def test_each_game_is_as_secret_as_its_replay(client: Client, mine: Client, player: User, rival: User) -> None:
    shown = played(player, past_deal())
    for hidden in (played(rival, open_deal("plot"), ranked=True), played(rival, practice_deal("labyrinth"))):
        assert mine.get(together(shown, hidden)).status_code == 403
        assert client.get(together(hidden)).status_code == 403
    for own in (played(player, open_deal("tarot"), ranked=True), played(player, practice_deal("braid"))):
        assert mine.get(together(own)).status_code == 200
        assert client.get(together(own)).status_code == 403


def test_invalid_sets_of_games(client: Client, player: User) -> None:
    for query in ("", "game=", "game=7", f"game={uuid.uuid4()}"):
        assert client.get(f"/replay/together/?{query}").status_code == 404
    deal = past_deal()
    games = [played(player, deal, 1000 + n, 3) for n in range(17)]
    assert client.get(together(*games)).status_code == 400
    assert client.get(together(*games[1:])).status_code == 200


def a_race(state: str = "finished") -> Race:
    now = timezone.now()
    deal = practice_deal(for_race=True, revealed_at=now if state == "finished" else None)
    race = race_on(deal, state)
    for place, pace in ((2, 3000), (1, 2000), (3, 4000)):
        player = create_guest()
        attempt = played(player, deal, pace)
        Entrant.objects.create(race=race, player=player, attempt=attempt, state="won", joined_at=now, place=place)
    return race


def test_a_finished_races_boards_are_ordered_by_place(client: Client) -> None:
    race = a_race()
    Entrant.objects.create(race=race, player=create_guest(), state="absent", joined_at=timezone.now())
    page = client.get(f"/races/{race.room.code}/1/replay/")
    ran = race.entrants.filter(attempt__isnull=False).order_by("place").values_list("attempt__public_id", flat=True)
    assert [board.steps_url for board in page.context["boards"]] == [f"/replay/{game}/steps.json" for game in ran]
    assert client.get(page.context["boards"][0].steps_url).status_code == 200
    assert page.context["back"] == f"/races/{race.room.code}/1/"


@pytest.mark.parametrize("state", ["countdown", "racing", "settling"])
def test_race_boards_are_hidden_until_the_finish(state: str, client: Client) -> None:
    race = a_race(state)
    assert client.get(f"/races/{race.room.code}/1/replay/").status_code == 403
    entrant = race.entrants.select_related("attempt").order_by("place")[0]
    assert entrant.attempt is not None
    assert client.get(together(entrant.attempt)).status_code == 403


def test_an_unknown_race(client: Client) -> None:
    race = a_race()
    assert client.get(f"/races/{race.room.code}/2/replay/").status_code == 404
    assert client.get("/races/0000000000/1/replay/").status_code == 404
