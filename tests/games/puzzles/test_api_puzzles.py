"""Puzzles in the API: the day's, any and the next; moves; the player's own tries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.core import limits
from games.puzzles import shipped_file, store, tries
from games.puzzles.losses.refutations import explain
from games.puzzles.models import DailyPuzzle, PuzzleTry, PuzzleVote, StoredPuzzle
from games.puzzles.ratings.rated_tries import estimate_of
from games.puzzles.shipped_file import PuzzleRow
from games.puzzles.themes import themes_of
from tests.factories import signed_in
from tests.games.puzzles.puzzles import LABYRINTH, STONEWALL, TAROT, TRIED, UNEXPLAINED, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db

API = "/api/v1/puzzles"
DAY = timedelta(days=1)
#: All keys of the replies besides the names of piles: none holds a move that has not been found.
STEP_KEYS = {"token", "view", "legal", "face_down", "hidden"}
PROGRESS = {"turn": 0, "mistakes": 0, "tries_left": None, "solved": False, "failed": False} | {
    "rating_change": None,
    "late": False,
    "review": False,
}


@pytest.fixture
def guest(db: None) -> User:
    return create_guest()


@pytest.fixture
def mine(guest: User) -> Client:
    return signed_in(guest)


@pytest.fixture
def stored(db: None) -> StoredPuzzle:
    return stored_puzzle()


def read(client: Client, path: str, status: int = 200) -> Any:
    answer = client.get(f"{API}/{path}")
    assert answer.status_code == status, answer.content
    return answer.json()


def play(client: Client, puzzle: StoredPuzzle, turn: int, token: str, status: int = 200, **headers: str) -> Any:
    return send(client, puzzle, {"turn": turn, "token": token}, status, **headers)


def send(client: Client, puzzle: StoredPuzzle, move: dict[str, Any], status: int = 200, **headers: str) -> Any:
    answer = client.post(f"{API}/{puzzle.pk}/moves", move, content_type="application/json", headers=headers)
    assert answer.status_code == status, answer.content
    return answer.json()


def code(answer: Any) -> str:
    return str(answer["error"]["code"])


def today() -> date:
    return timezone.now().date()


# Puzzles.


def test_a_puzzle_is_shown_without_its_solution(client: Client, stored: StoredPuzzle) -> None:
    found = read(client, f"{stored.pk}")
    assert (found["number"], found["variant"], found["turns"]) == (stored.pk, "labyrinth", 3)
    assert found["progress"] == PROGRESS
    assert set(found) == {"number", "variant", "asks", "turns", "themes", "progress", "rating", "position"}
    assert found["rating"] == {"own": None, "provisional": True, "puzzle": None, "seen_in": None}
    assert set(found["position"]) == STEP_KEYS
    assert found["position"]["legal"] == LABYRINTH.table_at(0).legal_moves()
    assert not {"line", "finish", "losses", "contents"} & set(keys(found))


def test_a_winning_move_is_wrong_where_the_loss_is_asked_for(mine: Client) -> None:
    stored = stored_puzzle(TAROT)
    assert read(mine, f"{stored.pk}")["asks"] == "loss"
    reply = play(mine, stored, 0, wrong(TAROT, 0))
    moves = 1 + len(TAROT.wins[wrong(TAROT, 0)])
    assert (reply["right"], reply["loss"]) == (False, {"goal": 78, "moves": moves})


def test_ratings_appear_with_the_decision(stored: StoredPuzzle) -> None:
    player = User.objects.create_user("solver")
    mine = signed_in(player)
    assert read(mine, f"{stored.pk}")["rating"] == {"own": 1500, "provisional": True, "puzzle": None, "seen_in": None}
    reply = play(mine, stored, 0, wrong(LABYRINTH, 0))
    own = 1500 + reply["progress"]["rating_change"]
    assert reply["rating"] == {"own": own, "provisional": True, "puzzle": 1500, "seen_in": None}
    (row,) = read(mine, "tries")["tries"]
    assert (row["rating_before"], round(row["rating_after"])) == (1500, own)
    assert estimate_of(player.pk).mu == row["rating_after"]


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from keys(one)


def test_an_unknown_puzzle_is_not_found(client: Client, stored: StoredPuzzle) -> None:
    assert code(read(client, f"{stored.pk + 1}", 404)) == "not_found"
    assert code(read(client, f"{10**30}", 404)) == "not_found"


def test_a_puzzle_is_shown_at_the_players_turn(client: Client, mine: Client, stored: StoredPuzzle) -> None:
    play(mine, stored, 0, right(LABYRINTH, 0))
    found = read(mine, f"{stored.pk}")
    assert found["progress"] == PROGRESS | {"turn": 1}
    assert found["position"]["legal"] == LABYRINTH.table_at(LABYRINTH.turns[1]).legal_moves()
    assert read(client, f"{stored.pk}")["progress"] == PROGRESS


def test_todays_puzzle_is_the_same_for_all(client: Client, mine: Client) -> None:
    for _ in range(5):
        stored_puzzle()
    found = read(client, "daily")
    assert found == read(mine, "daily") == read(client, f"daily?day={today()}")
    assert (found["day"], found["progress"]["tries_left"]) == (str(today()), 1)


def test_past_days_are_shown_and_future_ones_refused(client: Client, stored: StoredPuzzle) -> None:
    yesterday = today() - DAY
    DailyPuzzle.objects.create(day=yesterday, puzzle=stored)
    assert read(client, f"daily?day={yesterday}")["number"] == stored.pk
    assert code(read(client, f"daily?day={today() + 2 * DAY}", 400)) == "bad_days"
    assert code(read(client, f"daily?day={yesterday - DAY}", 404)) == "not_found"
    assert DailyPuzzle.objects.count() == 1, "no puzzle is drawn for another day"


def test_a_site_without_puzzles_has_none_today(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_file, "first_rows", lambda _: [])
    assert code(read(client, "daily", 503)) == "no_puzzles"
    assert code(read(client, "next", 404)) == "not_found"


def test_the_next_puzzle_has_not_been_tried(mine: Client, guest: User) -> None:
    stonewall = stored_puzzle(STONEWALL)
    tried, untried = stored_puzzle(), stored_puzzle()
    PuzzleTry.objects.create(player=guest, puzzle=tried)
    assert read(mine, "next?variant=labyrinth")["number"] == untried.pk
    assert read(mine, "next?variant=stonewall")["number"] == stonewall.pk
    assert code(read(mine, "next?variant=tarot", 404)) == "not_found"
    assert code(read(mine, "next?variant=nonsense", 404)) == "not_found"
    assert read(mine, "next")["number"] in {untried.pk, stonewall.pk}


def test_the_next_puzzle_has_the_wanted_theme(client: Client, stored: StoredPuzzle) -> None:
    store.add([PuzzleRow.of(STONEWALL)])
    assert read(client, "next?theme=dig")["variant"] == "stonewall"
    assert code(read(client, "next?theme=redeal", 404)) == "not_found"
    assert code(read(client, "next?theme=nonsense", 422)) == "bad_parameters"


# Moves.


def test_a_solution_is_played_to_its_end(mine: Client, stored: StoredPuzzle) -> None:
    replies = [play(mine, stored, turn, right(LABYRINTH, turn)) for turn in range(3)]
    assert [reply["right"] for reply in replies] == [True] * 3
    assert [[step["token"] for step in reply["steps"]] for reply in replies] == [
        list(LABYRINTH.line[:2]),
        [LABYRINTH.line[2]],
        [LABYRINTH.line[3]],
    ]
    assert all(set(step) == STEP_KEYS for reply in replies for step in reply["steps"])
    assert replies[-1]["progress"] == PROGRESS | {"turn": 3, "solved": True}
    assert code(play(mine, stored, 3, right(LABYRINTH, 0), 409)) == "closed"


def test_a_wrong_move_is_explained(mine: Client, stored: StoredPuzzle) -> None:
    reply = play(mine, stored, 0, wrong(LABYRINTH, 0))
    loss = {"most_up": 22, "goal": 52, "ends": ["3S", "2H", "8C"]}
    progress = PROGRESS | {"mistakes": 1}
    rating = {"own": None, "provisional": True, "puzzle": 1500, "seen_in": None}
    assert reply == {"right": False, "progress": progress, "rating": rating, "steps": [], "loss": loss, "themes": None}


def test_a_wrong_move_beyond_search_is_explained(mine: Client) -> None:
    reply = play(mine, stored_puzzle(TRIED), 0, "d")
    assert reply["loss"] == {"best_up": 27, "games": 200, "goal": 52, "lacks": ["5S", "7H", "5C"]}


def test_themes_are_told_once_the_try_is_over(mine: Client) -> None:
    store.add([PuzzleRow.of(LABYRINTH)])
    stored = StoredPuzzle.objects.get()
    assert read(mine, f"{stored.pk}")["themes"] is None
    replies = [play(mine, stored, turn, right(LABYRINTH, turn)) for turn in range(3)]
    assert [reply["themes"] for reply in replies] == [None, None, list(themes_of(LABYRINTH))]
    assert read(mine, f"{stored.pk}")["themes"] == list(themes_of(LABYRINTH))


def test_an_explanation_follows_when_it_is_ready(mine: Client) -> None:
    stored, move = stored_puzzle(UNEXPLAINED), {"turn": 0, "mistakes": 0, "token": wrong(UNEXPLAINED, 0)}
    reply = send(mine, stored, move)
    assert (reply["right"], reply["loss"], reply["steps"]) == (False, None, [])
    explain(stored.pk, 0, wrong(UNEXPLAINED, 0))
    assert send(mine, stored, move)["loss"]["goal"] == 52


def test_replies_before_the_end_hold_nothing_of_the_win(mine: Client, stored: StoredPuzzle) -> None:
    """Except for the moves that were found, and the forced ones after them."""
    for turn in range(2):
        for token in (wrong(LABYRINTH, turn), right(LABYRINTH, turn)):
            reply = play(mine, stored, turn, token)
            assert set(reply) == {"right", "progress", "rating", "steps", "loss", "themes"}
            assert not {"line", "finish", "losses", "contents"} & set(keys(reply))
            assert not leaked(reply)


def leaked(reply: Any) -> list[str]:
    """Return stretches of the win that appear in a reply; lists of legal moves alone hold none of them."""
    win, text = (*LABYRINTH.line, *LABYRINTH.finish), json.dumps(reply)
    stretches = [win[n : n + 4] for n in range(len(win) - 3)]
    return [" ".join(part) for part in stretches if " ".join(part) in text or json.dumps(part)[1:-1] in text]


def test_visitors_must_sign_in_to_move(client: Client, stored: StoredPuzzle) -> None:
    assert code(play(client, stored, 0, right(LABYRINTH, 0), 401)) == "not_signed_in"
    assert not PuzzleTry.objects.exists()


def test_a_move_from_another_site_is_refused(guest: User, stored: StoredPuzzle) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies = signed_in(guest).cookies
    assert code(play(client, stored, 0, right(LABYRINTH, 0), 403)) == "csrf_failed"
    token = "a" * 32
    client.cookies["csrftoken"] = token
    assert play(client, stored, 0, right(LABYRINTH, 0), 200, **{"x-csrftoken": token})["right"]


@pytest.mark.django_db(transaction=True)
def test_a_guest_who_is_gone_gets_a_code(
    guest: User, mine: Client, stored: StoredPuzzle, monkeypatch: pytest.MonkeyPatch
) -> None:
    account, real = User.objects.create_user("Ada"), tries.play

    def merge_and_play(*move: Any, **options: Any) -> tries.Reply:
        merge_guest(guest, account)
        mine.session.flush()
        return real(*move, **options)

    monkeypatch.setattr(tries, "play", merge_and_play)
    assert code(play(mine, stored, 0, right(LABYRINTH, 0), 401)) == "session_expired"
    assert not PuzzleTry.objects.exists()


def test_moves_count_towards_the_limit_of_the_api(
    mine: Client, stored: StoredPuzzle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limits.RATES, "api", "1/m")
    play(mine, stored, 0, right(LABYRINTH, 0))
    assert code(play(mine, stored, 1, right(LABYRINTH, 1), 429)) == "rate_limited"


# Votes.


def vote(client: Client, puzzle: StoredPuzzle, choice: str, status: int = 200, **headers: str) -> Any:
    body = {"vote": choice}
    answer = client.post(f"{API}/{puzzle.pk}/vote", body, content_type="application/json", headers=headers)
    assert answer.status_code == status, answer.content
    return answer.json()


def test_a_player_votes_after_the_try_and_may_change_the_vote(stored: StoredPuzzle) -> None:
    mine = signed_in(User.objects.create_user("voter"))
    assert code(vote(mine, stored, "good", 403)) == "forbidden"
    for turn in range(3):
        play(mine, stored, turn, right(LABYRINTH, turn))
    for choice in ("good", "bad", "wrong"):
        assert vote(mine, stored, choice) == {"vote": choice}
        assert PuzzleVote.objects.get().vote == choice
    assert code(vote(mine, stored, "great", 422)) == "bad_parameters"


def test_guests_and_visitors_may_not_vote(client: Client, mine: Client, stored: StoredPuzzle) -> None:
    for turn in range(3):
        play(mine, stored, turn, right(LABYRINTH, turn))
    assert code(vote(mine, stored, "good", 403)) == "account_required"
    assert code(vote(client, stored, "good", 401)) == "not_signed_in"
    assert not PuzzleVote.objects.exists()


def test_a_vote_from_another_site_is_refused(stored: StoredPuzzle) -> None:
    player, client = User.objects.create_user("voter"), Client(enforce_csrf_checks=True)
    PuzzleTry.objects.create(player=player, puzzle=stored, solved_at=timezone.now())
    client.cookies = signed_in(player).cookies
    assert code(vote(client, stored, "good", 403)) == "csrf_failed"
    client.cookies["csrftoken"] = token = "a" * 32
    assert vote(client, stored, "good", 200, **{"x-csrftoken": token}) == {"vote": "good"}


# Tries.


def test_own_tries_are_listed_newest_first(mine: Client, guest: User) -> None:
    puzzles = [stored_puzzle() for _ in range(5)]
    for number, puzzle in enumerate(puzzles):
        day = today() if number == 4 else None
        PuzzleTry.objects.create(player=guest, puzzle=puzzle, mistakes=number, day=day)
    PuzzleTry.objects.create(player=create_guest(), puzzle=puzzles[0])
    pages = [read(mine, "tries?limit=2")]
    while pages[-1]["cursor"] is not None:
        pages.append(read(mine, f"tries?limit=2&cursor={pages[-1]['cursor']}"))
    rows = [row for page in pages for row in page["tries"]]
    assert [row["number"] for row in rows] == [puzzle.pk for puzzle in reversed(puzzles)]
    assert [len(page["tries"]) for page in pages] == [2, 2, 1]
    assert (
        rows[0].items() >= {"variant": "labyrinth", "turns": 3, "day": str(today()), "turn": 0, "mistakes": 4}.items()
    )
    assert (rows[0]["solved_at"], rows[0]["failed_at"]) == (None, None)


def test_a_cursor_of_another_list_is_refused(mine: Client, stored: StoredPuzzle) -> None:
    PuzzleTry.objects.create(player=create_guest(), puzzle=stored)
    assert code(read(mine, f"tries?cursor={stored.pk}", 400)) == "bad_cursor"
    assert code(read(mine, f"tries?cursor={10**30}", 422)) == "bad_parameters"


def test_visitors_have_no_tries(client: Client) -> None:
    assert code(read(client, "tries", 401)) == "not_signed_in"


def test_a_body_that_is_too_large_is_refused(mine: Client, stored: StoredPuzzle) -> None:
    answer = mine.post(f"{API}/{stored.pk}/moves", b"x" * (1024 * 1024 + 1), content_type="application/json")
    assert (answer.status_code, code(answer.json())) == (413, "too_large")
