"""One good next move: where it comes from, and who gets none."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.guests import BACKEND, create_guest
from accounts.models import User
from games.attempts import start_attempt
from games.deals import publishing
from games.errors import Refusal
from games.hints import questions
from games.hints.advice import WITHIN, Advice, advise, likely_move
from games.models import Attempt, Deal, Question
from games.rules import CATALOGUE, Table, open_table
from tests.games import certified
from tests.games.hints.test_questions import play

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The questions sent to the workers, which are not there."""
    sent: list[int] = []
    monkeypatch.setattr(questions, "_request_answer", lambda question: sent.append(question.pk))
    return sent


@pytest.fixture(autouse=True)
def nothing_is_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no move be good by itself."""
    monkeypatch.setattr(Table, "safe_moves", lambda _table, _legal=None: [])


@pytest.fixture
def owner() -> User:
    return create_guest()


def practised(owner: User, **fields: Any) -> Attempt:
    """A practice game of a Stonewall deal that is known to be winnable."""
    deal = publishing.practice_deal("stonewall")
    Deal.objects.filter(pk=deal.pk).update(seed=certified.won("stonewall")[0].seed, **fields)
    deal.refresh_from_db()
    return start_attempt(owner, deal)


def other_move(attempt: Attempt, token: str) -> str:
    """A legal move after which the line that went on with `token` leads nowhere."""
    table = questions.table_of(attempt, None)
    for other in table.legal_moves():
        table.push(other)
        if other != token and questions.known_way(attempt, table) is None:
            return other
        table.pop()
    raise AssertionError("every move leads on")


def free() -> None:
    """No limit."""


def test_on_a_known_line_the_next_move_comes_at_once(owner: User, asked: list[int]) -> None:
    line = certified.won("stonewall")[0]
    attempt = practised(owner, proven=True, solution=line.to_bytes())
    play(attempt, *line.tokens[:5])
    assert advise(attempt, owner.pk, free) == Advice(line.tokens[5], "way")
    assert not asked


def test_a_move_that_spoils_nothing_comes_at_once(
    owner: User, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = practised(owner)
    monkeypatch.setattr(Table, "safe_moves", lambda _table, _legal=None: ["t0-f"])
    assert advise(attempt, owner.pk, free) == Advice("t0-f", "way")
    assert not asked


def test_a_way_that_was_found_serves_as_long_as_it_is_followed(owner: User, asked: list[int]) -> None:
    line, attempt = certified.won("stonewall")[0].tokens, practised(owner)
    play(attempt, *line[:5])
    assert advise(attempt, owner.pk, free) is None
    assert advise(attempt, owner.pk, free) is None
    assert len(asked) == 1
    Question.objects.update(answer="yes", way=list(line[5:]))
    for token in line[5:8]:
        assert advise(attempt, owner.pk, free) == Advice(token, "way")
        play(attempt, token)
    play(attempt, "u")
    assert advise(attempt, owner.pk, free) == Advice(line[7], "way")
    play(attempt, other_move(attempt, line[7]))
    assert advise(attempt, owner.pk, free) is None
    assert len(asked) == 2


def test_a_lost_game_is_told_to_go_back(owner: User) -> None:
    attempt = practised(owner)
    play(attempt, *certified.won("stonewall")[0].tokens[:2])
    advise(attempt, owner.pk, free)
    Question.objects.update(answer="no")
    assert advise(attempt, owner.pk, free) == Advice("u", "back")


def test_where_no_way_is_found_the_moves_since_there_was_one_are_taken_back(owner: User) -> None:
    line = certified.won("stonewall")[0]
    attempt, now = practised(owner, proven=True, solution=line.to_bytes()), timezone.now()
    play(attempt, *line.tokens[:3])
    play(attempt, other_move(attempt, line.tokens[3]))
    assert advise(attempt, owner.pk, free, now=now) is None
    assert advise(attempt, owner.pk, free, now=now + WITHIN) == Advice("u", "return", 1)
    Question.objects.update(answer="unknown")
    assert advise(attempt, owner.pk, free, now=now) == Advice("u", "return", 1)


def test_soon_a_likely_move_is_given(owner: User) -> None:
    attempt, now = practised(owner), timezone.now()
    assert advise(attempt, owner.pk, free, now=now) is None
    advice = advise(attempt, owner.pk, free, now=now + WITHIN)
    assert advice is not None
    assert advice.why == "likely"
    assert timedelta(seconds=2) > WITHIN


@pytest.mark.parametrize("variant", CATALOGUE)
def test_a_likely_move_is_legal_and_leaves_the_table_alone(variant: str) -> None:
    table = open_table(variant, bytes(32))
    for _ in range(40):
        before = table.position()
        token = likely_move(table)
        assert table.position() == before
        if not token:
            break
        assert table.is_legal(token)
        up = [move for move in table.legal_moves() if move.endswith("-f")]
        assert token.endswith("-f") or not up
        table.push(token)


def test_a_ranked_game_gets_none(owner: User, asked: list[int]) -> None:
    attempt = start_attempt(owner, publishing.todays_deal("stonewall"))
    with pytest.raises(Refusal) as caught:
        advise(attempt, owner.pk, free)
    assert caught.value.code == "no_hints"
    assert not asked
    client = Client()
    client.force_login(owner, backend=BACKEND)
    address = f"/table/{attempt.public_id}/hint"
    assert client.post(address).json()["error"]["code"] == "no_hints"
    assert address not in client.get(f"/table/{attempt.public_id}/").content.decode()


def test_the_page_asks_until_it_is_answered(owner: User) -> None:
    attempt, client = practised(owner), Client()
    address = f"/table/{attempt.public_id}/hint"
    assert client.post(address).json()["error"]["code"] == "not_yours"
    client.force_login(owner, backend=BACKEND)
    assert address in client.get(f"/table/{attempt.public_id}/").content.decode()
    waiting = client.post(address)
    assert (waiting.status_code, waiting.json()) == (202, {"state": "looking"})
    line = certified.won("stonewall")[0].tokens
    Question.objects.update(answer="yes", way=list(line))
    assert client.post(address).json() == {"state": "answered", "token": line[0], "why": "way"}
