"""Winnability questions at the table: permissions, answers, and the end of searches."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest
from games.attempts.lifecycle import close_attempt, deal_table, start_attempt
from games.core.search_process import SearchProcess
from games.deals import publishing
from games.hints import position_search, questions
from games.hints.position_search import Limit, PositionQuestion, PositionVerdict
from games.models import Attempt, Deal, Question
from games.rules import Record, Table, from_position, open_table
from games.solver import Budget, Effort, GaveUp
from tests.factories import add_moves, begin_practice, won_records
from tests.games.core.test_search_process import sleeping
from tests.games.hints.hint_games import searched

STONEWALL = open_table("stonewall", bytes(32)).position()


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bound searches by nodes alone, so that a busy machine makes no difference."""
    monkeypatch.setattr(position_search, "FULL", Limit(position_search.FULL.nodes, 900.0))
    monkeypatch.setattr(position_search, "KILL_AFTER", 900.0)
    monkeypatch.setattr(questions, "PATIENCE", timedelta(minutes=15))


def practised(player: User, *, won_by: int = 0, **fields: Any) -> Attempt:
    return begin_practice(player, won_records("stonewall")[won_by], **fields)


def address(attempt: Attempt) -> str:
    return f"/table/{attempt.public_id}/can-win"


def test_a_question_is_asked_read_and_answered(player: User, mine: Client, requested: list[int]) -> None:
    attempt = practised(player)
    assert mine.get(address(attempt)).status_code == 404
    begun = mine.post(address(attempt))
    assert (begun.status_code, begun.json()) == (202, {"state": "looking", "n": 0})
    assert mine.get(address(attempt)).json() == {"state": "looking", "n": 0}
    questions.answer(requested[0])
    reply = mine.get(address(attempt)).json()
    assert (reply["state"], reply["answer"]) == ("answered", "yes")
    assert "way" not in reply, "the line is shown on request"
    way = mine.get(address(attempt), {"way": "1"}).json()["way"]
    assert len(way) == reply["moves"]
    table = deal_table(attempt.deal)
    for token in way:
        table.push(token)
    assert table.is_won


def test_the_found_line_plays_in_the_replay_viewer(
    player: User, mine: Client, client: Client, requested: list[int]
) -> None:
    attempt = practised(player)
    record = won_records("stonewall")[0]
    add_moves(attempt, *record.tokens[:3])
    page = f"/table/{attempt.public_id}/way/"
    assert mine.get(page).status_code == 404
    questions.ask(attempt, player.pk)
    Question.objects.update(answer="yes", way=list(record.tokens[3:]))
    assert f"{page}steps.json" in mine.get(page).content.decode()
    steps = mine.get(f"{page}steps.json").json()
    assert steps["view"]["moves"] == 3
    assert steps["moved"][-1]["changes"]["won"]
    assert {client.get(page).status_code, client.get(f"{page}steps.json").status_code} == {403}


def test_the_question_is_offered_where_it_may_be_asked(player: User, mine: Client) -> None:
    free, counted = practised(player), ranked(player)
    assert address(free) in mine.get(f"/table/{free.public_id}/").content.decode()
    page = mine.get(f"/table/{counted.public_id}/").content.decode()
    assert "can-win" not in page
    assert "hints.js" not in page
    assert mine.get(f"/table/{counted.public_id}/way/").status_code == 403


def test_a_lost_position_is_answered_no(player: User, requested: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position_search.Searcher, "ask", lambda _searcher, position, *_: searched(position))
    attempt = practised(player)
    Deal.objects.filter(pk=attempt.deal_id).update(seed=bytes(32))
    attempt.deal.refresh_from_db()
    questions.ask(attempt, player.pk)
    questions.answer(requested[0])
    reply = questions.status(attempt, player.pk)
    assert reply is not None
    assert (reply.answer, reply.way) == ("no", [])


def test_the_question_is_about_the_position_after_n_moves(player: User, mine: Client, requested: list[int]) -> None:
    attempt = practised(player)
    line = won_records("stonewall")[0].tokens
    add_moves(attempt, *line[:3], "u", "u")
    assert mine.post(address(attempt)).json()["n"] == 5
    assert mine.post(address(attempt), {"n": 2}, content_type="application/json").json()["n"] == 2
    for n in (6, -1):
        refused = mine.post(address(attempt), {"n": n}, content_type="application/json")
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_position")


@pytest.mark.parametrize("body", ["{", "[]", '{"n": "2"}', '{"n": true}', "{}", "7"])
def test_malformed_questions_are_refused(player: User, mine: Client, requested: list[int], body: str) -> None:
    refused = mine.post(address(practised(player)), body, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_request")
    assert not Question.objects.exists()


def test_the_deals_own_line_needs_no_search(player: User, requested: list[int]) -> None:
    record = won_records("stonewall")[0]
    attempt = practised(player, proven=True, solution=record.to_bytes())
    add_moves(attempt, *record.tokens[:4], record.tokens[4], "u")
    reply = questions.ask(attempt, player.pk)
    assert (reply.answer, tuple(reply.way)) == ("yes", record.tokens[4:])
    assert not requested


def test_a_line_is_found_by_moves_in_another_order(player: User, requested: list[int]) -> None:
    record = won_records("stonewall")[0]
    attempt = practised(player, proven=True, solution=record.to_bytes())
    line, swapped = record.tokens, swappable(record)
    add_moves(attempt, *line[:swapped], line[swapped + 1], line[swapped])
    reply = questions.ask(attempt, player.pk)
    assert (reply.answer, tuple(reply.way)) == ("yes", line[swapped + 2 :])
    assert not requested


def swappable(record: Record) -> int:
    """Return an index in the line at which two moves can be swapped without changing the position after them."""
    table, line = open_table("stonewall", record.seed), record.tokens
    for at in range(len(line) - 1):
        if after(table, [line[at + 1], line[at]]) == after(table, line[at : at + 2]):
            return at
        table.push(line[at])
    raise AssertionError("no two moves of the line can be swapped")


def after(table: Table, tokens: Sequence[str]) -> str | None:
    copy = from_position(table.position())
    for token in tokens:
        if not copy.is_legal(token):
            return None
        copy.push(token)
    return copy.position()


def test_a_won_game_is_won(player: User, requested: list[int]) -> None:
    attempt = practised(player)
    add_moves(attempt, *won_records("stonewall")[0].tokens)
    attempt = close_attempt(attempt.pk, "won")
    reply = questions.ask(attempt, player.pk)
    assert (reply.answer, reply.way) == ("yes", [])


# Permissions.


def ranked(player: User) -> Attempt:
    return start_attempt(player, publishing.todays_deal("stonewall"))


def ranked_and_over(player: User) -> Attempt:
    return close_attempt(ranked(player).pk, "resigned")


def closed_but_not_revealed(player: User) -> Attempt:
    attempt = ranked(player)
    now = timezone.now()
    Deal.objects.filter(pk=attempt.deal_id).update(
        opens_at=now - timedelta(days=1, minutes=5), closes_at=now - timedelta(minutes=5)
    )
    return attempt


def ranked_at_a_deal_of_no_day(player: User) -> Attempt:
    attempt = practised(player)
    Attempt.objects.filter(pk=attempt.pk).update(ranked=True)
    return attempt


def unranked_at_a_race_deal(player: User) -> Attempt:
    attempt = practised(player)
    Deal.objects.filter(pk=attempt.deal_id).update(for_race=True)
    return attempt


@pytest.mark.parametrize(
    "begin",
    [ranked, ranked_and_over, closed_but_not_revealed, ranked_at_a_deal_of_no_day, unranked_at_a_race_deal],
)
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_no_question_in_a_game_that_counts(
    player: User, mine: Client, requested: list[int], begin: Callable[[User], Attempt], method: str
) -> None:
    attempt = begin(player)
    Question.objects.create(attempt=attempt, n=0, asked_at=timezone.now(), answer="yes", way=["t0-f"])
    refused = getattr(mine, method)(f"{address(attempt)}?way=1")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "no_hints")
    assert "t0-f" not in refused.content.decode()
    assert not requested


def test_players_may_ask_about_their_revealed_deals(player: User, mine: Client, requested: list[int]) -> None:
    attempt = closed_but_not_revealed(player)
    close_attempt(attempt.pk, "closed")
    Deal.objects.filter(pk=attempt.deal_id).update(closes_at=timezone.now() - timedelta(hours=1))
    assert mine.post(address(attempt)).status_code == 202


@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_other_players_may_not_ask(player: User, client: Client, requested: list[int], method: str) -> None:
    attempt = practised(player)
    questions.ask(attempt, player.pk)
    assert getattr(client, method)(address(attempt)).json()["error"]["code"] == "not_yours"
    client.force_login(create_guest(), backend=BACKEND)
    assert getattr(client, method)(address(attempt)).status_code == 403
    assert Question.objects.count() == 1
    assert getattr(client, method)("/table/00000000-0000-4000-8000-000000000000/can-win").status_code == 404


def test_questions_are_limited(player: User, mine: Client, requested: list[int]) -> None:
    attempt = practised(player)
    codes = [mine.post(address(attempt)).status_code for _ in range(21)]
    assert codes == [202] * 20 + [429]


# Searches that end early.


def test_a_player_has_one_question_at_a_time(player: User, requested: list[int]) -> None:
    first, second = practised(player), practised(player, won_by=1)
    questions.ask(first, player.pk)
    questions.ask(second, player.pk)
    assert [question.attempt_id for question in Question.objects.all()] == [second.pk]


def test_a_withdrawn_question_ends_its_search(
    player: User, mine: Client, requested: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = practised(player)
    questions.ask(attempt, player.pk)
    monkeypatch.setattr(questions._quick.searcher, "process", process := SearchProcess(sleeping, niceness=0))
    thread = questions.enqueue(requested[0])
    while not process.is_running:
        time.sleep(0.01)
    assert mine.delete(address(attempt)).status_code == 204
    thread.join(60)
    assert not thread.is_alive()
    assert not process.is_running
    assert mine.get(address(attempt)).status_code == 404


def test_a_hung_search_is_killed(player: User, requested: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = practised(player)
    monkeypatch.setattr(position_search, "KILL_AFTER", 0.1)
    questions.ask(attempt, player.pk)
    monkeypatch.setattr(questions._thorough.searcher, "process", process := SearchProcess(sleeping, niceness=0))
    questions.answer(requested[0])
    assert not process.is_running
    reply = questions.status(attempt, player.pk)
    assert reply is not None
    assert reply.answer == "unknown"


@pytest.mark.parametrize("way", [("r0-f",), ("zz",), ()])
def test_a_verdict_without_a_winning_line_is_discarded(way: tuple[str, ...], caplog: pytest.LogCaptureFixture) -> None:
    assert not position_search.is_proven(PositionVerdict("yes", way), STONEWALL)
    assert STONEWALL not in caplog.text


def test_the_budget_of_a_search_is_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    used = iter([0.0, 0.5, 1.5])
    monkeypatch.setattr("games.hints.position_search.time.process_time", lambda: next(used))
    looks: list[bool] = []

    def solve(_table: Table, budget: Budget, *, cancel: Callable[[], bool]) -> GaveUp:
        assert budget.seconds is None, "the wall clock does not count"
        looks.extend([cancel(), cancel()])
        return GaveUp("cancelled", Effort(1, 1, 0.0))

    monkeypatch.setattr(position_search, "solve", solve)
    assert list(position_search.search(PositionQuestion(STONEWALL, Limit(9, 1.0)))) == [PositionVerdict("unknown")]
    assert looks == [False, True]


def test_a_process_answers_questions_and_stays() -> None:
    searcher = position_search.Searcher()
    for _ in range(2):
        assert searcher.ask(STONEWALL, position_search.FULL, lambda: True) == PositionVerdict("no")
        assert searcher.process.is_running
    searcher.process.kill()
