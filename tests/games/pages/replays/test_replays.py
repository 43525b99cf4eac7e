"""Replays, records and steps of games, alone and side by side: access and timing."""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import close_attempt, deal_table, start_attempt
from games.deals import publishing
from games.models import GRACE, Attempt, Deal, Move
from games.races.models import Entrant, Race
from games.rules import Record, open_table, replay
from tests.factories import make_deal, signed_in
from tests.games.conftest import Play
from tests.games.ghosts.playing import open_deal, past_deal, played, practice_deal, race_on

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_game_is_public_once_it_and_its_deal_are_over(client: Client, mine: Client, attempt_at: Play) -> None:
    attempt, now = attempt_at(), timezone.now()
    ahead, in_grace, over = now + timedelta(hours=3), now - GRACE / 2, now - 2 * GRACE

    def check(reader: Client, closes_at: datetime, status: int) -> None:
        Deal.objects.update(closes_at=closes_at)
        for suffix in ("", "steps.json", "record.json"):
            assert reader.get(f"/replay/{attempt.public_id}/{suffix}").status_code == status, (closes_at, suffix)

    for closes_at in (ahead, in_grace, over):
        check(mine, closes_at, 403)  # still being played
    Deal.objects.update(closes_at=ahead)
    close_attempt(attempt.pk, "resigned")
    for closes_at, status in ((ahead, 403), (in_grace, 403), (over, 200)):
        check(client, closes_at, status)


def others() -> list[Client]:
    """Browsers of everyone but the player: another account, a guest, a superuser, and a visitor without a session."""
    account, _ = User.objects.get_or_create(username="Minos")
    staff, _ = User.objects.get_or_create(username="Daedalus", is_staff=True, is_superuser=True)
    return [signed_in(account), signed_in(create_guest()), signed_in(staff), Client()]


def test_todays_own_game_shows_its_player_only_seen_cards(mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at("tarot")
    Move.objects.create(attempt=attempt, n=1, token="d", ms=70)
    close_attempt(attempt.pk, "resigned")
    for suffix in ("", "steps.json"):
        path = f"/replay/{attempt.public_id}/{suffix}"
        answer = mine.get(path)
        assert answer.status_code == 200
        assert bytes(attempt.deal.seed).hex() not in answer.content.decode()
        assert [client.get(path).status_code for client in others()] == [403] * 4
    steps = mine.get(f"/replay/{attempt.public_id}/steps.json").json()
    table = deal_table(attempt.deal)
    hidden = {table.DECK.names[card] for card in range(len(table.DECK.names)) if table.hidden >> card & 1}
    hidden |= {table.DECK.names[card] for card in table.stock[:-3]}  # one draw turns up to three
    views = json.dumps(steps)
    assert hidden
    assert [name for name in hidden if f'"{name}"' in views] == []
    assert steps["view"]["piles"]["s"] == []
    page = mine.get(f"/replay/{attempt.public_id}/")
    assert not page.context["record_url"]
    assert not page.context["embed_url"]
    assert not page.context["may_be_shared"]
    assert mine.get(f"/replay/{attempt.public_id}/record.json").status_code == 403


def test_a_practice_record_is_private_until_the_game_ends(client: Client, mine: Client, player: Any) -> None:
    attempt = start_attempt(player, publishing.practice_deal("stonewall"))
    path = f"/replay/{attempt.public_id}/record.json"
    assert mine.get(path).status_code == 403
    close_attempt(attempt.pk, "resigned")
    record = Record.from_json(mine.get(path).json())
    assert replay(record).ok
    assert client.get(path).status_code == 403
    # Playing it again hides it again.
    start_attempt(player, attempt.deal)
    assert mine.get(path).status_code == 403


def test_steps_show_what_the_game_showed(client: Client, player: Any, seed: bytes) -> None:
    attempt = start_attempt(player, make_deal("tarot", seed=seed))
    table = open_table("tarot", seed)
    first = table.view()
    Move.objects.create(attempt=attempt, n=1, token="d", ms=70)
    close_attempt(attempt.pk, "resigned")
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    steps = client.get(f"/replay/{attempt.public_id}/steps.json").json()
    table.push("d")
    assert steps["view"] == first
    assert steps["moved"] == [{"n": 1, "token": "d", "ms": 70, "changes": table.view_changes()}]


def test_another_site_may_frame_only_public_games(client: Client, mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    close_attempt(attempt.pk, "resigned")
    path = f"/replay/{attempt.public_id}/embed/"
    assert mine.get(path).status_code == 403  # framed pages ignore the session
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    framed = client.get(path)
    assert framed.status_code == 200
    assert "frame-ancestors *" in framed["Content-Security-Policy"]
    assert "script-src 'self'" in framed["Content-Security-Policy"]
    assert "X-Frame-Options" not in framed
    assert not framed.cookies
    assert "<form" not in framed.content.decode()
    assert not client.get(framed.context["steps_url"]).cookies
    assert mine.get(path).content == framed.content
    page = client.get(f"/replay/{attempt.public_id}/")
    assert page["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert f"&lt;iframe src=&quot;{path}" in page.content.decode().replace(settings.PUBLIC_URL, "").replace(
        '"', "&quot;"
    )


def record_json(**changes: Any) -> dict[str, Any]:
    return {
        "rules": 1,
        "variant": "braid",
        "seed": "00" * 32,
        "tokens": ["d"],
        "clock": [5],
        "end": {"how": "resigned", "ms": 9},
        **changes,
    }


def test_verifying_a_submitted_record(client: Client) -> None:
    good = client.post("/verify/", {"record": json.dumps(record_json())})
    assert good.context["result"] == replay(Record.from_json(record_json())).to_json()
    assert good.context["result"]["ok"] is True
    illegal = client.post("/verify/", {"record": json.dumps(record_json(tokens=["n"]))})
    assert illegal.context["result"]["failure"]["index"] == 0


def test_verifying_an_invalid_record(client: Client) -> None:
    for text in ("", "{", "[]", "null", '{"rules": 1}', "[" * 100_000):
        page = client.post("/verify/", {"record": text})
        assert (page.status_code, bool(page.context["error"])) == (400, True)


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


def test_race_boards_are_hidden_until_the_finish(client: Client) -> None:
    race = a_race("racing")
    entrant = race.entrants.select_related("attempt").order_by("place")[0]
    assert entrant.attempt is not None
    for state in ("countdown", "racing", "settling"):
        Race.objects.update(state=state)
        assert client.get(f"/races/{race.room.code}/1/replay/").status_code == 403
        assert client.get(together(entrant.attempt)).status_code == 403
    assert client.get(f"/races/{race.room.code}/2/replay/").status_code == 404
    assert client.get("/races/0000000000/1/replay/").status_code == 404
