"""The queue of questions: players take turns, and hard questions do not delay others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import start_attempt
from games.core import events
from games.deals import publishing
from games.hints import questions
from games.hints.position_search import QUICK, Limit, PositionVerdict, Searcher
from games.hints.search_queue import SearchQueue
from games.models import Attempt, Question
from tests.factories import add_moves, signed_in

pytestmark = pytest.mark.django_db(transaction=True)

LOST = PositionVerdict("no")


@pytest.fixture
def thorough(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Searches that answer every position but deals at the first look, and deals once this event is set."""
    over = threading.Event()
    openings: set[str] = set()

    def ask(_searcher: Searcher, position: str, limit: Limit, is_wanted: Callable[[], bool]) -> PositionVerdict | None:
        if not openings:
            openings.update(questions.table_of(attempt, 0).position() for attempt in Attempt.objects.all())
        if position not in openings:
            return LOST
        if limit == QUICK:
            return PositionVerdict("unknown")
        while not over.wait(0.02):
            if not is_wanted():
                return None
        return LOST

    monkeypatch.setattr(Searcher, "ask", ask)
    yield over
    over.set()


@pytest.fixture(autouse=True)
def threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[threading.Thread]]:
    """Threads of this process that answer questions as a worker does."""
    made: list[threading.Thread] = []

    def send(_name: str, question: int, **_: object) -> bool:
        made.append(questions.enqueue(question))
        return True

    monkeypatch.setattr(events, "request_task", send)
    yield made
    Question.objects.all().delete()
    for thread in made:
        thread.join(60)


def hard(player: User) -> Attempt:
    return start_attempt(player, publishing.practice_deal("stonewall"))


def easy(player: User) -> Attempt:
    attempt = hard(player)
    add_moves(attempt, questions.table_of(attempt, None).legal_moves()[0])
    return attempt


def answers(*attempts: Attempt) -> list[str]:
    found = dict(Question.objects.values_list("attempt", "answer"))
    return [found[attempt.pk] for attempt in attempts]


def until(condition: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(3000):
        if condition():
            return
        pause.wait(0.02)
    raise AssertionError("it has not come")


def until_queued(games: list[Attempt]) -> None:
    """Wait until the first game's question is being searched, and all others have had their first look and wait."""
    later = {Question.objects.get(attempt=game).pk for game in games[1:]}
    until(lambda: set(questions._thorough.waiting()) == later)


def test_an_easy_question_overtakes_hard_ones(thorough: threading.Event) -> None:
    guests = [create_guest() for _ in range(5)]
    games = [hard(guest) for guest in guests]
    player = create_guest()
    quick = easy(player)
    for guest, game in zip(guests, games, strict=True):
        questions.ask(game, guest.pk)
    questions.ask(quick, player.pk)
    until(lambda: answers(quick) == ["no"])
    assert answers(*games) == [""] * 5


def test_a_queued_question_does_not_expire(thorough: threading.Event) -> None:
    guests = [create_guest() for _ in range(4)]
    games = [hard(guest) for guest in guests]
    for guest, game in zip(guests, games, strict=True):
        questions.ask(game, guest.pk)
    until_queued(games)
    questions._renew_heartbeats(Question.objects.get(attempt=games[0]).pk)
    late = timezone.now() + 20 * questions.PATIENCE
    replies = [questions.status(game, guest.pk, now=late) for guest, game in zip(guests, games, strict=True)]
    assert [reply and reply.answer for reply in replies] == [""] * 4
    thorough.set()
    until(lambda: answers(*games) == ["no"] * 4)


def test_a_question_without_a_worker_counts_as_unknown(thorough: threading.Event) -> None:
    guest = create_guest()
    game = hard(guest)
    question = Question.objects.create(attempt=game, n=0, asked_at=timezone.now())
    late = timezone.now() + questions.PATIENCE

    def answer_at(now: datetime) -> str:
        reply = questions.status(game, guest.pk, now=now)
        assert reply is not None
        return reply.answer

    cache.set(questions._alive_key(question.pk), True)
    assert answer_at(late) == ""
    cache.delete(questions._alive_key(question.pk))
    assert answer_at(late) == "unknown"
    assert answer_at(late - timedelta(seconds=5)) == ""


def test_a_new_question_replaces_the_players_older_one(thorough: threading.Event) -> None:
    guest, other = create_guest(), create_guest()
    first, second, theirs = hard(guest), hard(guest), hard(other)
    questions.ask(first, guest.pk)
    questions.ask(theirs, other.pk)
    questions.ask(second, guest.pk)
    assert not Question.objects.filter(attempt=first).exists()
    thorough.set()
    until(lambda: answers(theirs, second) == ["no", "no"])


def test_a_flood_of_hints_does_not_delay_other_players(thorough: threading.Event) -> None:
    flooders = []
    for _ in range(4):
        guest = create_guest()
        flooders.append((signed_in(guest), [hard(guest) for _ in range(3)]))
    player = create_guest()
    visit, game = signed_in(player), easy(player)
    codes = set()
    for turn in range(30):
        for client, games in flooders:
            codes.add(client.post(f"/table/{games[turn % 3].public_id}/hint").status_code)
    assert 429 in codes
    assert Question.objects.filter(answer="").count() <= len(flooders), "one question of each player"
    visit.post(f"/table/{game.public_id}/hint")
    until(lambda: visit.post(f"/table/{game.public_id}/hint").status_code == 200)
    assert answers(game) == ["no"]


def test_networks_take_turns_in_the_queue() -> None:
    answered: list[int] = []
    begin = threading.Event()

    def answer(question_id: int) -> None:
        begin.wait(60)
        answered.append(question_id)

    queue = SearchQueue("test", answer)
    for question_id in range(8):
        queue.put(question_id, "one network")
    thread = queue.put(8, "another")
    begin.set()
    thread.join(60)
    assert answered.index(8) <= 2
    assert [one for one in answered if one != 8] == list(range(8))


def test_questions_queue_by_the_network_of_the_request(thorough: threading.Event) -> None:
    """A guest's IPv6 networks count as one if a provider may have given them to one customer."""
    addresses = (*("203.0.113.7",) * 3, "2001:db8:0:1::1", "2001:db8:0:2::1", "127.0.0.1", "127.0.0.1")
    guests = [create_guest() for _ in addresses]
    games = [hard(guest) for guest in guests]
    for guest, game, address in zip(guests, games, addresses, strict=True):
        answer = signed_in(guest).post(f"/table/{game.public_id}/can-win", REMOTE_ADDR=address)
        assert answer.status_code == 202
    until_queued(games)
    assert sorted(len(waiting) for waiting in questions._thorough._waiting._waiting.values()) == [1, 1, 2, 2]


def test_a_failing_question_does_not_stop_the_queue(caplog: pytest.LogCaptureFixture) -> None:
    answered: list[int] = []

    def answer(question_id: int) -> None:
        if question_id == 1:
            raise ValueError
        answered.append(question_id)

    queue = SearchQueue("test", answer)
    for thread in [queue.put(1), queue.put(2)]:
        thread.join(60)
    assert answered == [2]
    assert "question 1 failed" in caplog.text
    queue.put(3).join(60)
    assert answered == [2, 3]
