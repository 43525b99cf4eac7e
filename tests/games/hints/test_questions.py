"""Winnability questions at the table: permissions, answers, and the end of searches."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest
from games.attempts.lifecycle import close_attempt, deal_table, start_attempt
from games.deals import publishing
from games.hints import questions, search_client, search_process
from games.models import Attempt, Deal, Move, Question
from games.rules import Record, Table, from_position, open_table
from games.solver import Budget, Effort, GaveUp
from tests.factories import won_records

STONEWALL = open_table("stonewall", bytes(32)).position()


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bound searches by nodes alone, so that a busy machine makes no difference."""
    monkeypatch.setattr(search_client, "FULL", search_client.Limit(search_client.FULL.nodes, 900.0))
    monkeypatch.setattr(search_client, "HUNG", 900.0)
    monkeypatch.setattr(questions, "PATIENCE", timedelta(minutes=15))


def practised(player: User, *, won_by: int = 0, **fields: Any) -> Attempt:
    record = won_records("stonewall")[won_by]
    deal = publishing.practice_deal("stonewall")
    Deal.objects.filter(pk=deal.pk).update(seed=record.seed, **fields)
    deal.refresh_from_db()
    return start_attempt(player, deal)


def play(attempt: Attempt, *tokens: str) -> None:
    first = attempt.moves.count() + 1
    Move.objects.bulk_create(Move(attempt=attempt, n=n, token=token, ms=n) for n, token in enumerate(tokens, first))


def address(attempt: Attempt) -> str:
    return f"/table/{attempt.public_id}/can-win"


def test_a_question_is_asked_read_and_answered(player: User, mine: Client, asked: list[int]) -> None:
    attempt = practised(player)
    assert mine.get(address(attempt)).status_code == 404
    begun = mine.post(address(attempt))
    assert (begun.status_code, begun.json()) == (202, {"state": "looking", "n": 0})
    assert mine.get(address(attempt)).json() == {"state": "looking", "n": 0}
    questions.answer(asked[0])
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
    player: User, mine: Client, client: Client, asked: list[int]
) -> None:
    attempt = practised(player)
    record = won_records("stonewall")[0]
    play(attempt, *record.tokens[:3])
    page = f"/table/{attempt.public_id}/way/"
    assert mine.get(page).status_code == 404
    questions.ask(attempt, player.pk)
    questions.answer(asked[0])
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


def test_a_lost_position_is_answered_no(player: User, asked: list[int]) -> None:
    attempt = practised(player)
    Deal.objects.filter(pk=attempt.deal_id).update(seed=bytes(32))
    attempt.deal.refresh_from_db()
    questions.ask(attempt, player.pk)
    questions.answer(asked[0])
    reply = questions.status(attempt, player.pk)
    assert reply is not None
    assert (reply.answer, reply.way) == ("no", [])


def test_the_question_is_about_the_position_after_n_moves(player: User, mine: Client, asked: list[int]) -> None:
    attempt = practised(player)
    line = won_records("stonewall")[0].tokens
    play(attempt, *line[:3], "u", "u")
    assert mine.post(address(attempt)).json()["n"] == 5
    assert mine.post(address(attempt), {"n": 2}, content_type="application/json").json()["n"] == 2
    for n in (6, -1):
        refused = mine.post(address(attempt), {"n": n}, content_type="application/json")
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_position")


@pytest.mark.parametrize("body", ["{", "[]", '{"n": "2"}', '{"n": true}', "{}", "7"])
def test_malformed_questions_are_refused(player: User, mine: Client, asked: list[int], body: str) -> None:
    refused = mine.post(address(practised(player)), body, content_type="application/json")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_request")
    assert not Question.objects.exists()


def test_the_deals_own_line_needs_no_search(player: User, asked: list[int]) -> None:
    record = won_records("stonewall")[0]
    attempt = practised(player, proven=True, solution=record.to_bytes())
    play(attempt, *record.tokens[:4], record.tokens[4], "u")
    reply = questions.ask(attempt, player.pk)
    assert (reply.answer, tuple(reply.way)) == ("yes", record.tokens[4:])
    assert not asked


def test_a_line_is_found_by_moves_in_another_order(player: User, asked: list[int]) -> None:
    record = won_records("stonewall")[0]
    attempt = practised(player, proven=True, solution=record.to_bytes())
    line, swapped = record.tokens, swappable(record)
    play(attempt, *line[:swapped], line[swapped + 1], line[swapped])
    reply = questions.ask(attempt, player.pk)
    assert (reply.answer, tuple(reply.way)) == ("yes", line[swapped + 2 :])
    assert not asked


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


def test_a_won_game_is_won(player: User, asked: list[int]) -> None:
    attempt = practised(player)
    play(attempt, *won_records("stonewall")[0].tokens)
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
    player: User, mine: Client, asked: list[int], begin: Callable[[User], Attempt], method: str
) -> None:
    attempt = begin(player)
    Question.objects.create(attempt=attempt, n=0, asked_at=timezone.now(), answer="yes", way=["t0-f"])
    refused = getattr(mine, method)(f"{address(attempt)}?way=1")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "no_hints")
    assert "t0-f" not in refused.content.decode()
    assert not asked


def test_players_may_ask_about_their_revealed_deals(player: User, mine: Client, asked: list[int]) -> None:
    attempt = closed_but_not_revealed(player)
    close_attempt(attempt.pk, "closed")
    Deal.objects.filter(pk=attempt.deal_id).update(closes_at=timezone.now() - timedelta(hours=1))
    assert mine.post(address(attempt)).status_code == 202


@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_other_players_may_not_ask(player: User, client: Client, asked: list[int], method: str) -> None:
    attempt = practised(player)
    questions.ask(attempt, player.pk)
    assert getattr(client, method)(address(attempt)).json()["error"]["code"] == "not_yours"
    client.force_login(create_guest(), backend=BACKEND)
    assert getattr(client, method)(address(attempt)).status_code == 403
    assert Question.objects.count() == 1
    assert getattr(client, method)("/table/00000000-0000-4000-8000-000000000000/can-win").status_code == 404


def test_questions_need_the_csrf_token(player: User, asked: list[int]) -> None:
    mine = Client(enforce_csrf_checks=True)
    mine.force_login(player, backend=BACKEND)
    assert mine.post(address(practised(player))).status_code == 403
    assert not asked


def test_questions_are_limited(player: User, mine: Client, asked: list[int]) -> None:
    attempt = practised(player)
    codes = [mine.post(address(attempt)).status_code for _ in range(21)]
    assert codes == [202] * 20 + [429]


# Searches that end early.


def test_a_player_has_one_question_at_a_time(player: User, asked: list[int]) -> None:
    first, second = practised(player), practised(player, won_by=1)
    questions.ask(first, player.pk)
    questions.ask(second, player.pk)
    assert [question.attempt_id for question in Question.objects.all()] == [second.pk]


def test_a_withdrawn_question_ends_its_search(
    player: User, mine: Client, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = practised(player)
    questions.ask(attempt, player.pk)
    processes = endless(monkeypatch)
    thread = questions.enqueue(asked[0])
    process = processes()
    assert mine.delete(address(attempt)).status_code == 204
    thread.join(60)
    assert not thread.is_alive()
    assert process.returncode is not None
    assert mine.get(address(attempt)).status_code == 404


def test_a_hung_search_is_killed(player: User, asked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = practised(player)
    monkeypatch.setattr(search_client, "HUNG", 0.1)
    questions.ask(attempt, player.pk)
    processes = endless(monkeypatch)
    questions.answer(asked[0])
    assert processes().returncode is not None
    reply = questions.status(attempt, player.pk)
    assert reply is not None
    assert reply.answer == "unknown"


@pytest.mark.parametrize(
    "output",
    [b"", b"nothing", b'{"answer": "yes", "way": ["r0-f"]}', b'{"answer": "yes", "way": ["zz"]}', b'{"answer": "yes"}'],
)
def test_a_search_without_proof_is_not_believed(output: bytes, caplog: pytest.LogCaptureFixture) -> None:
    assert search_client.checked(output, STONEWALL) is None
    assert STONEWALL not in caplog.text


def test_the_search_reads_positions_from_stdin() -> None:
    asked = json.dumps({"position": STONEWALL, "nodes": 1_000_000, "seconds": 900}) + "\n"
    command = [sys.executable, "-m", "games.hints.search_process"]
    done = subprocess.run(command, input=2 * asked, capture_output=True, text=True, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == 2 * [{"answer": "no", "way": []}]


def test_the_budget_of_a_search_is_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    used = iter([0.0, 0.5, 1.5])
    monkeypatch.setattr("games.hints.search_process.time.process_time", lambda: next(used))
    looks: list[bool] = []

    def solve(_table: Table, budget: Budget, *, cancel: Callable[[], bool]) -> GaveUp:
        assert budget.seconds is None, "the wall clock does not count"
        looks.extend([cancel(), cancel()])
        return GaveUp("cancelled", Effort(1, 1, 0.0))

    monkeypatch.setattr(search_process, "solve", solve)
    assert search_process.search({"position": STONEWALL, "nodes": 9, "seconds": 1.0})["answer"] == "unknown"
    assert looks == [False, True]


def test_one_process_answers_questions_in_turn(searcher: search_client.Searcher) -> None:
    made = []
    for _ in range(2):
        assert searcher.ask(STONEWALL, search_client.FULL, lambda: True) == {"answer": "no", "way": []}
        assert searcher.is_running
        made.append(searcher._process)
    assert made[0] is made[1]


def test_a_dead_process_is_replaced(searcher: search_client.Searcher) -> None:
    searcher.ask(STONEWALL, search_client.FULL, lambda: True)
    assert searcher._process is not None
    searcher._process.kill()
    searcher._process.wait(60)
    assert searcher.ask(STONEWALL, search_client.FULL, lambda: True) == {"answer": "no", "way": []}


def test_a_late_answer_is_not_used_for_the_next_question(searcher: search_client.Searcher) -> None:
    searcher._start()
    before = searcher._process

    def is_wanted() -> bool:
        raise ConnectionError("the database is away")

    with pytest.raises(ConnectionError):
        searcher.ask(STONEWALL, search_client.FULL, is_wanted)
    assert searcher._process is not before
    assert before is not None
    assert before.returncode is not None


def test_an_idle_process_ends(searcher: search_client.Searcher) -> None:
    searcher._start()
    process = searcher._process
    assert process is not None
    assert process.communicate(timeout=60)[0] == b""
    assert process.returncode == 0


@pytest.fixture
def searcher() -> Iterator[search_client.Searcher]:
    searcher = search_client.Searcher()
    yield searcher
    searcher.dismiss()


def endless(monkeypatch: pytest.MonkeyPatch) -> Callable[[], subprocess.Popen[bytes]]:
    """Make searches endless; the returned function waits for the first one and returns its process."""
    begun = threading.Event()
    made: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def popen(_command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        made.append(real([sys.executable, "-c", "import time; time.sleep(60)"], **options))
        begun.set()
        return made[-1]

    def first() -> subprocess.Popen[bytes]:
        assert begun.wait(60)
        return made[0]

    monkeypatch.setattr("games.hints.search_client.subprocess.Popen", popen)
    return first
