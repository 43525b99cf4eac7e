"""The pages: who sees what, and when."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from accounts.guests import BACKEND
from games.attempts import close_attempt, start_attempt
from games.deals import publishing
from games.models import GRACE, Attempt, Deal, Move
from games.pages import tables
from games.rules import CATALOGUE, GAMES, Record, open_table, replay
from tests.games.conftest import Play, make_deal

pytestmark = pytest.mark.django_db(transaction=True)
DENIED = (403, 404)


@pytest.fixture
def today() -> list[Deal]:
    return [make_deal(variant) for variant in CATALOGUE]


@pytest.fixture
def mine(player: Any) -> Client:
    client = Client()
    client.force_login(player, backend=BACKEND)
    return client


def test_home_shows_the_nine_deals_of_the_day(client: Client, today: list[Deal]) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert [card["deal"].variant for card in page.context["cards"]] == list(CATALOGUE)


def test_the_guide_is_for_newcomers(client: Client, mine: Client, today: list[Deal]) -> None:
    assert "New here?" in client.get("/").content.decode()
    assert "New here?" not in mine.get("/").content.decode()
    client.cookies["talon_guide"] = "known"
    assert "New here?" not in client.get("/").content.decode()


def test_a_visitor_becomes_a_guest_by_playing_and_comes_back_to_the_same_table(
    client: Client, today: list[Deal]
) -> None:
    assert client.get("/play/plot/").status_code == 200
    assert not Attempt.objects.exists()  # looking at the page starts no clock
    table = client.post("/play/plot/start")["Location"]
    attempt = Attempt.objects.get()
    assert (attempt.ranked, attempt.player.is_guest, table) == (True, True, f"/table/{attempt.public_id}/")
    assert client.post("/play/plot/start")["Location"] == table
    assert client.get("/play/plot/")["Location"] == table
    assert client.get(table).context["socket"] == f"/ws/play/{attempt.public_id}/"


def test_a_start_by_a_player_who_is_removed_just_then(
    mine: Client, today: list[Deal], player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*given: Any) -> Attempt:
        player.delete()
        return start_attempt(*given)

    monkeypatch.setattr(tables, "start_attempt", start)
    assert mine.post("/play/plot/start")["Location"] == "/play/plot/"
    monkeypatch.undo()
    assert mine.post("/play/plot/start")["Location"].startswith("/table/")


@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_start_at_midnight(client: Client, today: list[Deal], accept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deal was open when it was looked up, and is not when the clock should begin to run."""
    (plot,) = [deal for deal in today if deal.variant == "plot"]
    Deal.objects.filter(pk=plot.pk).update(opens_at=plot.opens_at - timedelta(days=1), closes_at=timezone.now())
    monkeypatch.setattr(publishing, "todays_deal", lambda _: Deal.objects.get(pk=plot.pk))
    answer = client.post("/play/plot/start", headers={"Accept": accept})
    if accept == "text/html":
        assert (answer.status_code, answer["Location"]) == (302, "/play/plot/")
        assert "The day of this deal is over." in client.get("/play/plot/").content.decode()
    else:
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "deal_closed")
    assert not Attempt.objects.exists()


def test_beginning_takes_a_post_from_our_own_page(today: list[Deal]) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.get("/play/plot/start").status_code == 405
    assert strict.post("/play/plot/start").status_code == 403
    assert strict.post("/practice/start", {"name": "plot"}).status_code == 403


@pytest.mark.parametrize(
    "path", ["/play/nonsense/", "/rules/nonsense/", "/deals/2026-02-30/braid/", "/deals/2026-01-01/braid/"]
)
def test_what_there_is_not(path: str, client: Client, today: list[Deal]) -> None:
    assert client.get(path).status_code == 404


def test_somebody_elses_table(client: Client, mine: Client, attempt_at: Play) -> None:
    attempt = attempt_at()
    path = f"/table/{attempt.public_id}/"
    assert mine.get(path).status_code == 200
    assert client.get(path).status_code == 403
    close_attempt(attempt.pk, "resigned")
    assert client.get(path).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    assert client.get(path)["Location"] == f"/replay/{attempt.public_id}/"


@pytest.mark.parametrize("suffix", ["", "steps.json", "record.json"])
def test_a_record_is_shown_when_nobody_can_play_the_deal_any_more(
    suffix: str, client: Client, mine: Client, attempt_at: Play
) -> None:
    attempt = attempt_at()
    path = f"/replay/{attempt.public_id}/{suffix}"
    for closes_at in (None, timezone.now() - GRACE / 2, timezone.now() - 2 * GRACE):
        if closes_at:
            Deal.objects.update(closes_at=closes_at)
        assert mine.get(path).status_code == 403  # it is still being played
    Deal.objects.update(closes_at=timezone.now() + timedelta(hours=3))
    close_attempt(attempt.pk, "resigned")
    for closes_at in (timezone.now() + timedelta(hours=3), timezone.now() - GRACE / 2):
        Deal.objects.update(closes_at=closes_at)
        assert mine.get(path).status_code == 403
        assert client.get(path).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    assert client.get(path).status_code == 200


def test_a_practice_record_is_its_players_once_the_game_is_over(client: Client, mine: Client, player: Any) -> None:
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


def test_steps_are_what_the_game_showed(client: Client, player: Any, seed: bytes) -> None:
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


def test_a_deals_secrets_come_out_when_they_may(client: Client, seed: bytes) -> None:
    deal = make_deal("braid", seed=seed)
    page, data = f"/deals/{deal.day}/braid/", f"/deals/{deal.day}/braid/deal.json"
    assert deal.commitment in client.get(page).content.decode()
    assert client.get(data).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - GRACE / 2)
    assert seed.hex() not in client.get(page).content.decode()
    assert client.get(data).status_code == 403
    Deal.objects.update(closes_at=timezone.now() - 2 * GRACE)
    assert seed.hex() in client.get(page).content.decode()
    told = client.get(data).json()
    assert (told["seed"], told["commitment"]) == (seed.hex(), deal.commitment)
    assert open_table("braid", deck=told["deck"]).view() == open_table("braid", seed).view()


def test_no_page_gives_an_open_deals_secrets_away(
    mine: Client, today: list[Deal], attempt_at: Any, player: Any
) -> None:
    """Every page there is, while nine deals are open, coming and being played."""
    coming = [make_deal(v, day=timezone.now().date() + timedelta(days=1)) for v in CATALOGUE]
    attempts = [start_attempt(player, deal) for deal in today]
    close_attempt(attempts[0].pk, "resigned")
    paths = ["/", "/practice/", "/deals/", "/verify/", *(f"/rules/{game}/" for game in GAMES)]
    paths += [f"/play/{variant}/" for variant in CATALOGUE]
    paths += [f"/deals/{deal.day}/{deal.variant}/" for deal in (*today, *coming)]
    paths += [f"/practice/?deal={deal.pk}" for deal in (*today, *coming)]
    paths += [f"/table/{attempt.public_id}/" for attempt in attempts]
    paths += [
        f"/replay/{attempt.public_id}/{what}" for attempt in attempts for what in ("", "steps.json", "record.json")
    ]
    paths += [f"/deals/{deal.day}/{deal.variant}/deal.json" for deal in (*today, *coming)]
    for path in paths:
        text = mine.get(path, follow=True).content.decode()
        for deal in (*today, *coming):
            seed = bytes(deal.seed)
            assert seed.hex() not in text, path
            assert repr(seed) not in text, path
            assert str(seed) not in text, path


def test_what_is_practised(mine: Client, player: Any, yesterday: Deal) -> None:
    mine.post("/practice/start", {"name": "tarot", "option-draw": "3", "option-fool": '"trump"'})
    odd = Attempt.objects.get()
    assert (odd.ranked, odd.deal.day, odd.deal.variant) == (False, None, "tarot-adept")
    mine.post("/practice/start", {"name": "tarot", "option-draw": "1"})
    assert Attempt.objects.latest("id").deal.options == {"first_row": True, "draw": 1, "fool": "wild"}
    mine.post("/practice/start", {"deal": yesterday.pk})
    assert Attempt.objects.latest("id").deal_id == yesterday.pk


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"name": "chess"},
        {"name": "tarot", "option-draw": "9"},
        {"name": "tarot", "option-draw": "{"},
        {"deal": "x"},
    ],
)
def test_what_cannot_be_practised(form: dict[str, str], mine: Client) -> None:
    answer = mine.post("/practice/start", form)
    assert answer["Location"] == "/practice/"
    assert not Attempt.objects.exists()
    assert not Deal.objects.filter(day=None).exists()


def test_an_open_deal_is_not_practised_nor_somebody_elses(mine: Client, rival: Any) -> None:
    foreign = publishing.practice_deal("plot")
    start_attempt(rival, foreign)
    for deal in (make_deal("plot"), foreign):
        assert mine.post("/practice/start", {"deal": deal.pk})["Location"] == "/practice/"
    assert Attempt.objects.count() == 1


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


def test_verifying_a_record_somebody_brings(client: Client) -> None:
    good = client.post("/verify/", {"record": json.dumps(record_json())})
    assert good.context["result"] == replay(Record.from_json(record_json())).to_json()
    assert good.context["result"]["ok"] is True
    illegal = client.post("/verify/", {"record": json.dumps(record_json(tokens=["n"]))})
    assert illegal.context["result"]["failure"]["index"] == 0


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"rules": 1}', "[" * 100_000])
def test_verifying_what_is_no_record(text: str, client: Client) -> None:
    page = client.post("/verify/", {"record": text})
    assert page.status_code == 400
    assert page.context["error"]


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_rules(game: str, client: Client) -> None:
    page = client.get(f"/rules/{game}/")
    assert page.status_code == 200
    assert {v["name"] for v in page.context["variants"]} == {v.name for v in CATALOGUE.values() if v.game == game}


def test_the_admin_shows_no_seed(client: Client, seed: bytes) -> None:
    client.force_login(get_user_model().objects.create_superuser("staff"), backend=BACKEND)
    deal = make_deal("braid", seed=seed)
    for path in ("/admin/games/deal/", f"/admin/games/deal/{deal.pk}/change/"):
        page = client.get(path, follow=True)
        assert page.status_code == 200
        text = page.content.decode()
        assert deal.commitment in text or "braid" in text
        assert not re.search(seed.hex(), text)
        assert repr(seed) not in text
