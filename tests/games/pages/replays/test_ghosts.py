"""Ghost pages: choosing a ghost, racing it, and reading its lane."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from games.attempts.lifecycle import start_attempt
from games.core.errors import ErrorCode
from games.ghosts import challenges, ghost_lanes
from games.models import Attempt, Deal
from tests.games.ghosts.playing import open_deal, past_deal, played, practice_deal

TEMPLATES = Path(__file__).resolve().parents[4] / "frontend" / "templates"

pytestmark = pytest.mark.django_db(transaction=True)


def code_of(client: Client, path: str) -> tuple[int, str]:
    answer = client.get(path)
    return answer.status_code, answer.json()["error"]["code"]


def test_the_lane_of_a_closed_deal(client: Client, mine: Client, player: User) -> None:
    attempt = played(player, past_deal())
    lane = client.get(f"/ghosts/{attempt.public_id}/lane.json").json()
    expected = ghost_lanes.lane_of(attempt, str(player))
    assert lane == {
        "name": str(player), "goal": 52, "points": [list(point) for point in expected.points], "own": False
    }  # fmt: skip
    assert mine.get(f"/ghosts/{attempt.public_id}/lane.json").json()["own"] is True


@pytest.mark.parametrize("kind", ["today", "practice", "race"])
def test_the_lane_of_a_secret_deal_is_refused(
    kind: str, client: Client, mine: Client, player: User, rival: User
) -> None:
    deal = {"today": open_deal, "practice": practice_deal, "race": lambda: practice_deal(for_race=True)}[kind]()
    attempt = played(rival, deal, ranked=kind == "today")
    start_attempt(player, deal) if kind != "race" else None
    path = f"/ghosts/{attempt.public_id}/lane.json"
    assert code_of(mine, path) == code_of(client, path) == (403, ErrorCode.NOT_REVEALED)
    assert mine.get(f"/ghosts/{deal.pk}/").status_code == 403
    assert mine.post(f"/ghosts/{deal.pk}/start", {"ghost": attempt.public_id}).status_code == 403
    assert mine.post(f"/ghosts/{deal.pk}/start", {"ghost": "line"}).status_code == 403


def test_latest_ghosts_can_be_raced_at_once(client: Client, mine: Client, player: User) -> None:
    deal = past_deal()
    page = client.get("/ghosts/")
    assert [(shown.id, ghost.ghost) for shown, ghost in page.context["offers"]] == [(deal.pk, "line")]
    assert f'action="/ghosts/{deal.pk}/start"' in page.content.decode()
    practised = played(player, practice_deal("labyrinth"), ranked=False)
    offers = mine.get("/ghosts/").context["offers"]
    assert [(shown.id, ghost.ghost) for shown, ghost in offers] == [
        (deal.pk, "line"),
        (practised.deal_id, str(practised.public_id)),
    ]
    begun = mine.post(f"/ghosts/{practised.deal_id}/start", {"ghost": practised.public_id})
    assert begun.headers["Location"].endswith(f"?ghost={practised.public_id}")


def test_no_ghost_of_an_open_deal_is_listed(client: Client, mine: Client, player: User) -> None:
    played(player, open_deal(), ranked=True)
    start_attempt(player, practice_deal("labyrinth"))
    for visitor in (client, mine):
        page = visitor.get("/ghosts/")
        assert page.context["offers"] == []
        assert "There are no ghosts yet." in page.content.decode()


@pytest.mark.parametrize("page", ["races/lobby.html", "races/room.html"])
def test_race_a_ghost_leads_to_the_list_of_ghosts(page: str) -> None:
    source = (TEMPLATES / page).read_text()
    assert re.findall(r'<a [^>]*href="{% url "([\w:]+)" %}"[^>]*>{% translate "Race a ghost', source) == [
        "games:latest_ghosts"
    ]


def test_an_unknown_game_has_no_lane(client: Client) -> None:
    assert code_of(client, f"/ghosts/{uuid.uuid4()}/lane.json") == (404, ErrorCode.NOT_FOUND)


def test_a_ghost_is_raced_in_practice(client: Client, rival: User) -> None:
    attempt = played(rival, past_deal(), ranked=True)
    page = client.get(f"/ghosts/{attempt.deal_id}/")
    assert {ghost.ghost for ghost in page.context["ghosts"]} == {"line"}  # a guest's is not listed, but can be raced
    begun = client.post(f"/ghosts/{attempt.deal_id}/start", {"ghost": attempt.public_id})
    made = Attempt.objects.exclude(pk=attempt.pk).get()
    assert begun.headers["Location"] == f"/table/{made.public_id}/?ghost={attempt.public_id}"
    assert not made.ranked
    table = client.get(begun.headers["Location"])
    assert table.context["ghost_url"] == f"/ghosts/{attempt.public_id}/lane.json"
    assert f'data-ghost="/ghosts/{attempt.public_id}/lane.json"' in table.content.decode()


def test_the_certified_line_is_raced_at_a_human_pace(client: Client, mine: Client) -> None:
    deal = past_deal()
    begun = client.post(f"/ghosts/{deal.pk}/start", {"ghost": "line"})
    made = Attempt.objects.get()
    table = client.get(begun.headers["Location"])
    assert table.context["ghost_url"] == f"/table/{made.public_id}/line.json"
    expected = ghost_lanes.line_of(deal, "")
    assert expected is not None
    assert client.get(table.context["ghost_url"]).json()["points"] == [list(point) for point in expected.points]
    assert code_of(mine, table.context["ghost_url"]) == (403, ErrorCode.NOT_YOURS)


def test_a_new_deals_line_is_stored_when_first_played(mine: Client, player: User) -> None:
    attempt = start_attempt(player, practice_deal())
    assert code_of(mine, f"/table/{attempt.public_id}/line.json") == (403, ErrorCode.NOT_REVEALED)
    assert mine.get(f"/table/{attempt.public_id}/?ghost=line").context["ghost_url"] == ""
    ranked = start_attempt(player, open_deal("labyrinth"))
    assert code_of(mine, f"/table/{ranked.public_id}/line.json") == (403, ErrorCode.NOT_REVEALED)


@pytest.mark.parametrize("ghost", ["", "nobody", str(uuid.UUID(int=1)), "lines"])
def test_an_unknown_ghost_is_not_raced(ghost: str, client: Client, mine: Client, player: User) -> None:
    deal = past_deal()
    assert client.post(f"/ghosts/{deal.pk}/start", {"ghost": ghost}).status_code == 404
    assert not Attempt.objects.exists()
    attempt = start_attempt(player, deal)
    assert mine.get(f"/table/{attempt.public_id}/?ghost={ghost}").context["ghost_url"] == ""


def test_a_ghost_of_another_deal_is_not_raced(mine: Client, player: User) -> None:
    deal, other = past_deal(), played(player, past_deal("plot"))
    assert mine.post(f"/ghosts/{deal.pk}/start", {"ghost": other.public_id}).status_code == 404


def test_ghosts_are_never_raced_for_a_rank(mine: Client, player: User) -> None:
    deal = open_deal()
    attempt = start_attempt(player, deal)
    assert attempt.ranked
    own = played(player, deal)
    assert mine.get(f"/table/{attempt.public_id}/?ghost={own.public_id}").context["ghost_url"] == ""


def test_an_answer_is_played_beside_the_challenges_ghost(mine: Client, player: User, rival: User) -> None:
    sent = played(rival, practice_deal())
    attempt = challenges.answer(challenges.challenge(rival, sent), player)
    lane = f"/ghosts/{sent.public_id}/lane.json"
    for query in ("", "?ghost=line", f"?ghost={uuid.uuid4()}"):
        assert mine.get(f"/table/{attempt.public_id}/{query}").context["ghost_url"] == lane
    assert mine.get(lane).status_code == 200


def test_deal_and_replay_pages_link_to_ghosts(client: Client, player: User) -> None:
    deal = past_deal()
    attempt = played(player, deal)
    pages = (
        f"/deals/{deal.day}/{deal.variant}/",
        f"/replay/{attempt.public_id}/",
        f"/deals/{deal.day}/{deal.variant}/solution/",
    )
    for page in pages:
        assert f"/ghosts/{deal.pk}/" in client.get(page).content.decode()
    # A computed line has no meaningful times.
    assert ["where time was spent" in client.get(page).content.decode() for page in pages[1:]] == [True, False]
    today = open_deal("plot")
    assert "/ghosts/" not in client.get(f"/deals/{today.day}/{today.variant}/").content.decode()


def test_ghosts_are_watched_together_by_permitted_players(client: Client) -> None:
    ada, brook = User.objects.create_user("Ada"), User.objects.create_user("Brook")
    deal: Deal = past_deal()
    first, second = played(ada, deal, 1000, ranked=True), played(brook, deal, 2000, ranked=True)
    client.force_login(brook)
    page = client.get(f"/ghosts/{deal.pk}/")
    assert page.context["together"] == f"/replay/together/?game={second.public_id}&game={first.public_id}"
    assert client.get(page.context["together"]).status_code == 200
