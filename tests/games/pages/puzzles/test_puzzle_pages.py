"""Pages of puzzles: today's, others, the moves of a try, past days, and the home page's entry."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from accounts.lifecycle.export import _continuation
from accounts.models import User
from games.attempts.lifecycle import close_attempt, journal_of, played_table
from games.core import limits
from games.deals.difficulty import grade_name
from games.models import Attempt, Deal, Move
from games.presentation.anonymous_cache import GUIDE_COOKIE
from games.puzzles import daily, reviews, store, tries
from games.puzzles.models import DailyPuzzle, PuzzleTry, StoredPuzzle
from games.puzzles.shipped_file import PuzzleRow
from games.puzzles.themes import themes_of
from games.replays.models import Continuation
from games.rules.explanations import explain
from leaderboards.verdicts.settlement import settle
from tests.factories import signed_in
from tests.games.puzzles.puzzles import GENEROUS, LABYRINTH, SHORT, STONEWALL, right, stored_puzzle, wrong
from tests.games.puzzles.test_sources import lost_game

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def todays() -> StoredPuzzle:
    stored = stored_puzzle(GENEROUS)
    DailyPuzzle.objects.create(day=timezone.now().date(), puzzle=stored)
    return stored


def play(client: Client, stored: StoredPuzzle, turn: object, token: object) -> Any:
    body = json.dumps({"turn": turn, "token": token})
    return client.post(reverse("games:puzzle_move", args=[stored.pk]), body, content_type="application/json")


def solve(client: Client, stored: StoredPuzzle) -> Any:
    for turn in range(len(LABYRINTH.turns)):
        answer = play(client, stored, turn, right(LABYRINTH, turn))
    return answer.json()


def test_a_visitor_becomes_a_guest_with_the_first_move(client: Client, todays: StoredPuzzle) -> None:
    page = client.get("/puzzles/")
    assert page.status_code == 200
    assert "csrftoken" in page.cookies
    assert not User.objects.exists()
    answer = play(client, todays, 0, right(LABYRINTH, 0)).json()
    assert answer["progress"] == {"turn": 1, "mistakes": 0, "tries_left": 3, "solved": False, "failed": False} | {
        "rating_change": None,
        "late": False,
        "review": False,
    }
    assert [step["token"] for step in answer["steps"]] == list(LABYRINTH.line[: LABYRINTH.turns[1]])
    assert PuzzleTry.objects.get().player.is_guest
    assert client.get("/puzzles/").context["progress"].turn == 1


def test_a_wrong_move_is_explained_and_counted(client: Client, todays: StoredPuzzle) -> None:
    token = wrong(LABYRINTH, 0)
    answer = play(client, todays, 0, token).json()
    assert answer["loss"] == {"most_up": 22, "goal": 52, "ends": ["3S", "2H", "8C"]}
    assert (answer["steps"], answer["progress"]["tries_left"]) == ([], 2)


def test_the_answers_are_not_on_the_page(client: Client, todays: StoredPuzzle) -> None:
    text = client.get("/puzzles/").content.decode()
    data = json.loads(text.split('id="puzzle-data"')[1].split(">", 1)[1].split("</script>")[0])
    others = {"asks", "choices", "streak", "after", "missed", "address"}
    assert set(data) == {"step", "turns", "progress", "rating"} | others
    assert set(data["step"]) == {"token", "view", "legal", "face_down", "hidden"}
    assert not any(" ".join(LABYRINTH.line[n : n + 2]) in text for n in range(len(LABYRINTH.line) - 1))


def test_a_blocked_card_is_explained_at_the_players_turn(client: Client, todays: StoredPuzzle) -> None:
    address = reverse("games:puzzle_why", args=[todays.pk])
    table = LABYRINTH.table_at(LABYRINTH.turns[0])
    pile = next(pile for pile in table.pile_names() if pile[0] == "t" and explain(table, pile) and table.pile(pile))
    reasons = client.get(f"{address}?pile={pile}&cards=1").json()["reasons"]
    assert reasons == [reason.to_json() for reason in explain(table, pile)]
    for query in ("pile=x9&cards=1", f"pile={pile}", f"pile={pile}&cards=999999999", ""):
        answer = client.get(f"{address}?{query}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_request")


def test_the_game_after_a_losing_move_is_shown_to_who_played_it(client: Client, todays: StoredPuzzle) -> None:
    address, token = reverse("games:puzzle_loss", args=[todays.pk]), wrong(LABYRINTH, 0)

    def ask(turn: int, token: str) -> Any:
        return client.get(f"{address}?turn={turn}&token={token}")

    assert ask(0, token).status_code == 403
    play(client, todays, 0, token)
    steps = ask(0, token).json()["steps"]
    assert steps[0]["token"] == token
    assert steps[-1]["view"]["cards_up"] > steps[0]["view"]["cards_up"]
    assert not steps[-1]["view"]["won"]
    assert ask(1, wrong(LABYRINTH, 1)).status_code == 403
    data = solve(client, todays)["after"]
    for turn, losing in enumerate(data["turns"]):
        assert losing["losing"] == [*todays.contents["losses"][turn]]
        assert ask(turn, losing["losing"][0]).json()["steps"]
    for turn, move in ((0, right(LABYRINTH, 0)), (99, token)):
        assert ask(turn, move).json()["error"]["code"] == "bad_request"


def test_everyones_results_come_after_the_try(client: Client, mine: Client, todays: StoredPuzzle) -> None:
    token = wrong(LABYRINTH, 0)
    for _ in range(3):
        failed = play(mine, todays, 0, token).json()
    assert failed["progress"]["failed"]
    assert failed["after"]["day"] == {"finished": 1, "solved": 0, "first_move": token}
    assert client.get("/puzzles/").context["data"]["after"] is None
    assert solve(client, todays)["after"]["day"] | {"first_move": ""} == {"finished": 2, "solved": 1, "first_move": ""}
    assert client.get("/puzzles/").context["data"]["after"]["day"]["finished"] == 2
    other = stored_puzzle()
    assert solve(client, other)["after"]["day"] is None


def test_the_difficulty_of_the_day_is_shown(client: Client, todays: StoredPuzzle) -> None:
    grade = grade_name(daily.grade_of(timezone.now().date()))
    for address, place in (
        ("/puzzles/", f"Labyrinth · {grade} ·"),
        ("/puzzles/days/", f"Labyrinth · {grade} · 3 moves"),
    ):
        assert place in " ".join(re.sub("<[^>]+>", "", client.get(address).content.decode()).split())
    assert client.get(f"/puzzles/{stored_puzzle().pk}/").context["grade"] is None


def test_the_address_of_a_day_shows_its_puzzle(client: Client, todays: StoredPuzzle) -> None:
    today = timezone.now().date()
    DailyPuzzle.objects.create(day=today - timedelta(days=1), puzzle=stored_puzzle(STONEWALL))
    shown = client.get(f"/puzzles/{today}/")
    assert (shown.context["number"], shown.context["day_number"]) == (todays.pk, 2)
    assert shown.context["data"]["address"].endswith(f"/puzzles/{today}/")
    assert client.get(f"/puzzles/{today - timedelta(days=1)}/").context["variant"].name == "stonewall"
    for day in (today - timedelta(days=2), today + timedelta(days=1)):
        assert client.get(f"/puzzles/{day}/").status_code == 404


def test_the_win_is_shown_once_the_try_is_over(client: Client, mine: Client, todays: StoredPuzzle) -> None:
    address = reverse("games:puzzle_win", args=[todays.pk])
    play(client, todays, 0, wrong(LABYRINTH, 0))
    assert client.get(address).status_code == 403
    assert solve(client, todays)["streak"] == 1
    steps = client.get(address).json()["steps"]
    assert [step["token"] for step in steps[1:]] == [*LABYRINTH.line, *LABYRINTH.finish]
    assert steps[-1]["view"]["won"]
    assert mine.get(address).status_code == 403, "another player has not tried it"


@pytest.mark.parametrize(
    ("turn", "token", "refusal"),
    [
        (1, "d", (409, "stale")),
        (0, "u", (422, "illegal_move")),
        ("0", "d", (400, "bad_request")),
        (True, "d", (400, "bad_request")),
        (0, None, (400, "bad_request")),
    ],
)
def test_bad_moves_are_refused_and_not_counted(
    client: Client, todays: StoredPuzzle, turn: object, token: object, refusal: tuple[int, str]
) -> None:
    answer = play(client, todays, turn, token)
    assert (answer.status_code, answer.json()["error"]["code"]) == refusal
    assert not PuzzleTry.objects.filter(mistakes__gt=0).exists()


@pytest.mark.parametrize("tried", [False, True])
def test_a_guest_may_sign_in_in_another_tab_during_a_move(
    client: Client, todays: StoredPuzzle, monkeypatch: pytest.MonkeyPatch, tried: bool
) -> None:
    play(client, todays if tried else stored_puzzle(STONEWALL), 0, wrong(LABYRINTH if tried else STONEWALL, 0))
    account, tab, real = User.objects.create_user("Ada", password="a long secret"), Client(), tries.play
    tab.cookies.update(client.cookies)

    def sign_in_and_play(*move: Any, **options: Any) -> tries.Reply:
        tab.post(reverse("account_login"), {"login": "Ada", "password": "a long secret"})
        return real(*move, **options)

    monkeypatch.setattr(tries, "play", sign_in_and_play)
    answer = play(client, todays, 0, wrong(LABYRINTH, 0))
    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "session_expired"
    assert "sessionid" not in answer.cookies, "the other tab stays signed in"
    assert [row.player for row in PuzzleTry.objects.filter(puzzle=todays)] == [account] * tried


def test_another_puzzle_is_one_not_tried(client: Client, todays: StoredPuzzle) -> None:
    other = stored_puzzle(STONEWALL)
    play(client, todays, 0, wrong(LABYRINTH, 0))
    assert client.get("/puzzles/another/")["Location"] == reverse("games:puzzle", args=[other.pk])
    assert client.get("/puzzles/another/?variant=labyrinth")["Location"] == reverse("games:past_puzzles")
    assert "tried all of these puzzles" in client.get("/puzzles/days/").content.decode().replace("&#x27;", "'")
    assert client.get("/puzzles/another/?variant=klondike").status_code == 404
    assert client.get("/puzzles/999999/").status_code == 404


def test_themes_are_shown_once_the_try_is_over(client: Client) -> None:
    store.add([PuzzleRow.of(LABYRINTH)])
    stored = StoredPuzzle.objects.get()
    address = reverse("games:puzzle", args=[stored.pk])
    assert client.get(address).context["data"]["after"] is None
    shown = solve(client, stored)["after"]["themes"]
    assert [theme["title"] for theme in shown] == [theme.label for theme in themes_of(LABYRINTH)]
    assert client.get(address).context["data"]["after"]["themes"] == shown
    assert client.get(shown[0]["address"]).status_code == 302


def test_themes_in_a_reply_are_in_the_players_language(client: Client) -> None:
    store.add([PuzzleRow.of(SHORT)])
    stored = StoredPuzzle.objects.get()
    body = {"turn": 0, "mistakes": 0, "token": right(SHORT, 0)}
    headers = {"accept": "application/json", "accept-language": "fr"}
    address = reverse("games:puzzle_move", args=[stored.pk])
    after = client.post(address, body, content_type="application/json", headers=headers).json()["after"]
    with translation.override("fr"):
        assert [theme["title"] for theme in after["themes"]] == [str(theme.label) for theme in themes_of(SHORT)]


def test_puzzles_are_offered_by_theme(client: Client) -> None:
    store.add([PuzzleRow.of(LABYRINTH), PuzzleRow.of(STONEWALL)])
    themes = {*themes_of(LABYRINTH), *themes_of(STONEWALL)}
    stonewall = StoredPuzzle.objects.get(variant="stonewall")
    page = client.get("/puzzles/another/?theme=dig&variant=stonewall", follow=True)
    assert page.context["number"] == stonewall.pk
    assert 'href="/puzzles/another/?variant=stonewall&amp;theme=dig"' in page.content.decode(), "another of the same"
    assert client.get("/puzzles/another/?theme=dig&variant=labyrinth")["Location"] == reverse("games:past_puzzles")
    assert client.get("/puzzles/another/?theme=chess").status_code == 404
    assert {name for name, _ in client.get("/puzzles/days/").context["themes"]} == themes


def test_the_source_game_is_shown_if_its_player_and_deal_are_public(
    client: Client, ada: User, requested_tasks: object
) -> None:
    attempt = lost_game(ada)
    deal = Deal.objects.get(pk=attempt.deal_id)
    stored = stored_puzzle(LABYRINTH, source=attempt, source_n=3)
    assert client.get(reverse("games:puzzle", args=[stored.pk])).context["data"]["after"] is None
    assert solve(client, stored)["after"]["source"] is None, "practice is private"
    Deal.objects.filter(pk=deal.pk).update(day=timezone.now().date(), closes_at=timezone.now())
    page = reverse("games:puzzle", args=[stored.pk])
    assert client.get(page).context["data"]["after"]["source"] is None, "not revealed"
    Deal.objects.filter(pk=deal.pk).update(closes_at=timezone.now() - timedelta(days=1))
    source = client.get(page).context["data"]["after"]["source"]
    address = f"/replay/{attempt.public_id}/"
    assert source == {"player": "Ada", "address": f"{address}?n=3"}
    client.post(client.get(page).context["data"]["after"]["play_on"])
    continued = Continuation.objects.get()
    assert (continued.origin, continued.attempt.moves.count()) == (attempt, 3), "practice goes on from the puzzle"
    User.objects.filter(pk=ada.pk).update(is_guest=True)
    after = client.get(page).context["data"]["after"]
    assert (after["source"], after["play_on"]) == (None, None), "guests are not named"


def play_on(client: Client, stored: StoredPuzzle) -> Any:
    return client.post(reverse("games:play_on_puzzle", args=[stored.pk]))


def test_practice_starts_at_the_position_of_a_solved_puzzle(client: Client) -> None:
    stored = stored_puzzle(SHORT)
    assert play_on(client, stored).status_code == 403, "a visitor has not solved it"
    play(client, stored, 0, wrong(SHORT, 0))
    assert play_on(client, stored).status_code == 403
    assert play(client, stored, 0, right(SHORT, 0)).json()["after"]["play_on"] == f"/puzzles/{stored.pk}/play-on"
    page = client.get(play_on(client, stored)["Location"])
    attempt = Attempt.objects.select_related("deal").get()
    assert played_table(attempt.deal, journal_of(attempt.pk)).position() == SHORT.start
    assert (page.context["replay_url"], attempt.ranked, bytes(attempt.deal.seed).hex()) == ("", False, SHORT.seed)
    continuation = Continuation.objects.get()
    assert (continuation.origin, continuation.n) == (None, len(SHORT.history))
    assert _continuation(continuation) == {"attempt": attempt.public_id, "from": None, "moves": len(SHORT.history)}


def test_practice_from_a_puzzle_is_reused_until_the_player_moves(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.RATES, "play_on", "3/h")
    stored = stored_puzzle(SHORT)
    play(client, stored, 0, right(SHORT, 0))
    tables = [play_on(client, stored)["Location"] for _ in range(2)]
    attempt = Attempt.objects.get()
    Move.objects.create(attempt=attempt, n=len(SHORT.history) + 1, token=SHORT.line[0], ms=900)
    assert play_on(client, stored)["Location"] not in tables
    assert play_on(client, stored).status_code == 429
    assert (len(set(tables)), Deal.objects.count(), Attempt.objects.count()) == (1, 1, 2)
    close_attempt(attempt.pk, "resigned")
    assert settle(attempt.pk) == Attempt.State.VERIFIED
    assert client.get(f"/replay/{attempt.public_id}/steps.json").json()["moved"][len(SHORT.history)]["ms"] == 900
    assert client.get(f"/table/{attempt.public_id}/after/").status_code == 200


def test_puzzles_without_a_deal_cannot_be_continued(client: Client) -> None:
    stored = stored_puzzle(LABYRINTH)
    assert solve(client, stored)["after"]["play_on"] is None
    assert play_on(client, stored).status_code == 404
    assert not Attempt.objects.exists()


def test_an_account_is_offered_a_vote_once_the_try_is_over(client: Client, ada: User, todays: StoredPuzzle) -> None:
    mine = signed_in(ada)
    address = f"/api/v1/puzzles/{todays.pk}/vote"
    assert solve(mine, todays)["after"]["vote"] == {"address": address, "mine": ""}
    mine.post(address, {"vote": "good"}, content_type="application/json")
    assert mine.get("/puzzles/").context["data"]["after"]["vote"]["mine"] == "good"
    assert solve(client, todays)["after"]["vote"] is None


def test_ratings_are_shown_as_far_as_the_try_allows(client: Client, todays: StoredPuzzle) -> None:
    mine = signed_in(User.objects.create_user("solver"))
    before = mine.get("/puzzles/").context["data"]["rating"]
    assert before == {"own": 1500, "provisional": True, "puzzle": None, "seen_in": None}
    lost = play(mine, todays, 0, wrong(LABYRINTH, 0)).json()
    assert lost["rating"]["own"] == 1500 + lost["progress"]["rating_change"] < 1500
    assert lost["rating"]["puzzle"] == round(todays.mu)
    after = mine.get("/puzzles/").context["data"]
    assert (after["rating"], after["progress"]) == (lost["rating"], lost["progress"])
    play(client, todays, 0, wrong(LABYRINTH, 0))
    page = client.get("/puzzles/")
    assert page.context["data"]["rating"]["own"] is None, "guests have none"
    assert 'id="rating"' not in page.content.decode()


@pytest.mark.usefixtures("todays")
def test_calendar_shows_the_results(mine: Client, player: User) -> None:
    now = timezone.now()
    for days, fields in (
        (1, {"day": now.date() - timedelta(days=1), "solved_at": now - timedelta(days=1)}),
        (2, {"solved_at": now}),
        (3, {"day": now.date() - timedelta(days=3), "failed_at": now, "mistakes": 3}),
    ):
        puzzle = stored_puzzle(STONEWALL)
        DailyPuzzle.objects.create(day=now.date() - timedelta(days=days), puzzle=puzzle)
        PuzzleTry.objects.create(player=player, puzzle=puzzle, **fields)
    marks: dict[date, str] = {}
    for month in {(now - timedelta(days=days)).date().replace(day=1) for days in range(4)}:
        page = mine.get(f"/puzzles/days/{month:%Y-%m}/")
        marks |= {day: puzzle.mark for week in page.context["weeks"] for day, puzzle in week if puzzle}
    assert [marks[day] for day in sorted(marks)] == ["lost", "late", "won", "open"]
    assert page.context["progress"].streak == 1


def test_missed_puzzles_are_listed_and_come_back_one_after_another(
    mine: Client, player: User, todays: StoredPuzzle
) -> None:
    """Except today's, which may still be open."""
    play(mine, todays, 0, wrong(LABYRINTH, 0))
    failed, due, longer_due = (stored_puzzle(LABYRINTH) for _ in range(3))
    play(mine, failed, 0, wrong(LABYRINTH, 0))
    today = timezone.now().date()
    for ago, missed in ((1, due), (2, longer_due)):
        reviews.miss(player.pk, missed.pk, 0, wrong(LABYRINTH, 0), today - timedelta(days=ago))
    page = mine.get("/puzzles/days/")
    assert [(row.puzzle_id, is_due) for row, _, is_due in page.context["missed"]] == [
        (longer_due.pk, True),
        (due.pk, True),
        (failed.pk, False),
    ]
    for puzzle in (longer_due, due):
        reply = mine.get("/puzzles/another/?review=1")
        assert reply["Location"] == f"/puzzles/{puzzle.pk}/?review=1"
        data = mine.get(reply["Location"]).context["data"]
        assert data["missed"] == {"turn": 0, "token": wrong(LABYRINTH, 0)}
        assert (data["progress"]["review"], data["progress"]["tries_left"]) == (True, 1)
        solve(mine, puzzle)
    after = mine.get("/puzzles/another/?review=1", follow=True)
    assert "No more puzzles to review today." in after.content.decode()


def test_first_visitor_of_a_new_site_finds_puzzles(client: Client) -> None:
    page = client.get("/puzzles/days/").context
    assert page["variants"]
    assert page["themes"]
    assert [day for week in page["weeks"] for day, puzzle in week if puzzle] == [timezone.now().date()]


@pytest.mark.usefixtures("todays")
def test_calendar_leads_from_the_first_puzzle_to_today(client: Client) -> None:
    today = timezone.now().date()
    first = today.replace(day=1) - timedelta(days=40)
    DailyPuzzle.objects.create(day=first, puzzle=stored_puzzle(STONEWALL))
    page = client.get("/puzzles/days/")
    assert page.context["month"].next is None
    while earlier := page.context["month"].previous:
        page = client.get(f"/puzzles/days/{earlier:%Y-%m}/")
    assert page.context["month"].first == first.replace(day=1)
    for month in (first.replace(day=1) - timedelta(days=1), today.replace(day=1) + timedelta(days=31)):
        assert client.get(f"/puzzles/days/{month:%Y-%m}/").status_code == 404


def test_home_leads_to_todays_puzzle_and_shows_its_result(
    client: Client, todays: StoredPuzzle, today: list[Deal]
) -> None:
    assert "Solve it" in client.get("/").content.decode()
    play(client, todays, 0, wrong(LABYRINTH, 0))
    assert "Resume" in client.get("/").content.decode()
    solve(client, todays)
    text = client.get("/").content.decode()
    assert text.index("first-game") < text.index("todays-puzzle solved") < text.index("/rules/which/")
    client.cookies[GUIDE_COOKIE] = "known"
    text = client.get("/").content.decode()
    assert text.index("todays-puzzle solved") < text.index("todays-game")
