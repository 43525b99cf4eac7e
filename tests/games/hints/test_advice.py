"""Hints: the source of the next good move, and the games that get none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import BACKEND, create_guest
from games.attempts.lifecycle import start_attempt
from games.core.errors import Refusal
from games.deals import first_game, publishing
from games.hints import position_search, questions, search_results
from games.hints.advice import WITHIN, Advice, advise, likely_move
from games.hints.plans import Outlook
from games.hints.position_search import PositionVerdict
from games.models import Attempt, Question
from games.rules import CATALOGUE, open_table
from tests.factories import add_moves, signed_in, won_records
from tests.games.hints.test_questions import practised
from tests.games.races.runs import Run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("requested")]


def other_move(attempt: Attempt, token: str) -> str:
    """Return a legal move after which the line that continued with `token` no longer works."""
    table = questions.table_of(attempt, None)
    tokens = questions.tokens_of(attempt)
    for other in table.legal_moves():
        if other != token and Outlook(attempt, (*tokens, other)).settled() is None:
            return other
    raise AssertionError("every move leads on")


def free() -> None:
    """Lift the limits."""


def test_a_known_line_gives_the_next_move_at_once(player: User, requested: list[int]) -> None:
    line = won_records("stonewall")[0]
    attempt = practised(player, proven=True, solution=line.to_bytes())
    add_moves(attempt, *line.tokens[:5])
    assert advise(attempt, player.pk, free) == Advice(line.tokens[5], "way")
    assert not requested


def test_hints_follow_the_guide_of_a_first_game(player: User, requested: list[int]) -> None:
    attempt = start_attempt(player, first_game.deal_for(player.pk, "labyrinth"))
    for step in first_game.guide(attempt.deal):
        assert advise(attempt, player.pk, free) == Advice(step["token"], "way")
        add_moves(attempt, step["token"])
    assert not requested


def test_a_found_line_is_reused_while_it_is_followed(player: User, requested: list[int]) -> None:
    line, attempt = won_records("stonewall")[0].tokens, practised(player)
    add_moves(attempt, *line[:5])
    assert advise(attempt, player.pk, free) is None
    assert advise(attempt, player.pk, free) is None
    assert len(requested) == 1
    Question.objects.update(answer="yes", way=list(line[5:]))
    for token in line[5:8]:
        assert advise(attempt, player.pk, free) == Advice(token, "way")
        add_moves(attempt, token)
    add_moves(attempt, "u")
    assert advise(attempt, player.pk, free) == Advice(line[7], "way")
    add_moves(attempt, other_move(attempt, line[7]))
    assert advise(attempt, player.pk, free) is None
    assert len(requested) == 2


def astray(player: User, *, moves: int = 1) -> tuple[Attempt, tuple[str, ...]]:
    """Create a game three moves along the deal's line and then `moves` off it; return it with the line."""
    line = won_records("stonewall")[0]
    attempt = practised(player, proven=True, solution=line.to_bytes())
    add_moves(attempt, *line.tokens[:3])
    add_moves(attempt, other_move(attempt, line.tokens[3]))
    while len(questions.tokens_of(attempt)) < 3 + moves:
        add_moves(attempt, other_move(attempt, ""))
    return attempt, line.tokens


def answered(attempt: Attempt, answer: str, way: Sequence[str] = ()) -> None:
    verdict = PositionVerdict(Question.Answer(answer), tuple(way))
    search_results.remember(questions.table_of(attempt, None).position(), verdict)
    Question.objects.filter(attempt=attempt).update(answer=answer, way=list(way))


def test_a_lost_game_goes_back_to_the_last_won_position(player: User, requested: list[int]) -> None:
    attempt, line = astray(player, moves=3)
    assert advise(attempt, player.pk, free) is None
    answered(attempt, "no")
    for left in (3, 2, 1):
        assert advise(attempt, player.pk, free) == Advice("u", "back", left, 3, more=left < 3)
        add_moves(attempt, "u")
    assert advise(attempt, player.pk, free) == Advice(line[3], "way")
    assert len(requested) == 1, "no position on the way back is searched"


def test_all_positions_after_a_lost_one_are_lost(player: User, requested: list[int]) -> None:
    attempt, _ = astray(player)
    advise(attempt, player.pk, free)
    answered(attempt, "no")
    add_moves(attempt, questions.table_of(attempt, None).legal_moves()[0])
    assert advise(attempt, player.pk, free) == Advice("u", "back", 2, 3)
    assert advise(*repeated(attempt), free) == Advice("u", "back", 2, 3)
    assert len(requested) == 1


def test_an_unplanned_game_goes_back_before_the_first_loss(player: User, requested: list[int]) -> None:
    attempt = practised(player)
    add_moves(attempt, *won_records("stonewall")[0].tokens[:2])
    advise(attempt, player.pk, free)
    answered(attempt, "no")
    assert advise(attempt, player.pk, free) == Advice("u", "back", 1, 1)
    add_moves(attempt, "u")
    assert advise(attempt, player.pk, free) is None
    assert len(requested) == 2


def test_a_lost_deal_gets_likely_moves_labelled_so(player: User) -> None:
    attempt = practised(player)
    advise(attempt, player.pk, free)
    answered(attempt, "no")
    advice = advise(attempt, player.pk, free)
    assert advice is not None
    assert (advice.why, advice.lost, advice.provisional) == ("likely", True, False)
    assert advice.to_json()["lost"] is True


def test_likely_moves_never_return_to_earlier_positions(player: User) -> None:
    attempt = practised(player)
    advise(attempt, player.pk, free)
    answered(attempt, "no")
    seen = {questions.table_of(attempt, None).position()}
    for _ in range(30):
        try:
            advice = advise(attempt, player.pk, free)
        except Refusal:
            break
        assert advice is not None
        add_moves(attempt, advice.token)
        position = questions.table_of(attempt, None).position()
        assert position not in seen
        seen.add(position)


def test_the_way_back_is_provisional_during_the_search(player: User) -> None:
    attempt, _ = astray(player)
    now = timezone.now()
    assert advise(attempt, player.pk, free, now=now) is None
    assert advise(attempt, player.pk, free, now=now + WITHIN) == Advice("u", "return", 1, 3, provisional=True)
    answered(attempt, "unknown")
    assert advise(attempt, player.pk, free, now=now) == Advice("u", "return", 1, 3)


def test_a_late_line_does_not_cancel_the_way_back(player: User) -> None:
    attempt, line = astray(player, moves=2)
    now, searched = timezone.now(), questions.tokens_of(attempt)
    assert advise(attempt, player.pk, free, now=now) is None
    assert advise(attempt, player.pk, free, now=now + WITHIN) == Advice("u", "return", 2, 3, provisional=True)
    add_moves(attempt, "u")
    Question.objects.filter(attempt=attempt).update(answer="yes", way=["t0-f"])
    assert advise(attempt, player.pk, free) == Advice("u", "return", 1, 3, more=True)
    add_moves(attempt, "u")
    advice = advise(attempt, player.pk, free)
    assert advice == Advice(line[3], "way")
    assert advice.token != searched[3]


def test_a_hint_waits_for_the_search_unless_a_move_is_safe(player: User, requested: list[int]) -> None:
    attempt, now = practised(player), timezone.now()
    while safe := questions.table_of(attempt, None).safe_moves():
        assert advise(attempt, player.pk, free, now=now) is None
        assert advise(attempt, player.pk, free, now=now + WITHIN) == Advice(safe[0], "safe", provisional=True)
        add_moves(attempt, safe[0])
    assert advise(attempt, player.pk, free, now=now) is None
    assert advise(attempt, player.pk, free, now=now + WITHIN) is None
    answered(attempt, "unknown")
    advice = advise(attempt, player.pk, free)
    assert advice is not None
    assert (advice.why, advice.provisional) == ("likely", False)
    assert requested


def test_only_a_larger_budget_repeats_an_unknown_search(
    player: User, requested: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt, _ = astray(player)
    advise(attempt, player.pk, free)
    answered(attempt, "unknown")
    assert advise(*repeated(attempt), free) == Advice("u", "return", 1, 3)
    assert len(requested) == 1
    monkeypatch.setattr(search_results, "FULL", position_search.Limit(8_000_000, 30.0))
    assert advise(*repeated(attempt), free) is None
    assert len(requested) == 2


def repeated(attempt: Attempt) -> tuple[Attempt, int]:
    """Have another player make the same moves; return their game and id."""
    other = create_guest()
    again = start_attempt(other, attempt.deal)
    add_moves(again, *questions.tokens_of(attempt))
    return again, other.pk


def test_returning_to_a_plan_cancels_the_search(player: User) -> None:
    attempt, line = astray(player)
    assert advise(attempt, player.pk, free) is None
    add_moves(attempt, "u")
    assert advise(attempt, player.pk, free) == Advice(line[3], "way")
    assert not Question.objects.exists()


@pytest.mark.parametrize("variant", CATALOGUE)
def test_a_likely_move_is_legal_and_changes_nothing(variant: str) -> None:
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


def test_a_ranked_game_gets_no_hint(player: User, requested: list[int]) -> None:
    attempt = start_attempt(player, publishing.todays_deal("stonewall"))
    with pytest.raises(Refusal) as caught:
        advise(attempt, player.pk, free)
    assert caught.value.code == "no_hints"
    assert not requested
    client = signed_in(player)
    address = f"/table/{attempt.public_id}/hint"
    assert client.post(address).json()["error"]["code"] == "no_hints"
    assert address not in client.get(f"/table/{attempt.public_id}/").content.decode()


def test_the_page_asks_until_it_gets_an_answer(player: User) -> None:
    attempt, client = practised(player), Client()
    address = f"/table/{attempt.public_id}/hint"
    assert client.post(address).json()["error"]["code"] == "not_yours"
    client.force_login(player, backend=BACKEND)
    assert address in client.get(f"/table/{attempt.public_id}/").content.decode()
    waiting = client.post(address)
    assert (waiting.status_code, waiting.json()) == (202, {"state": "looking"})
    line = won_records("stonewall")[0].tokens
    Question.objects.update(answer="yes", way=list(line))
    assert client.post(address).json() == {"state": "answered", "token": line[0], "why": "way"}


@pytest.mark.parametrize("address", ["hint", "can-win"])
@pytest.mark.parametrize("has_finished", [False, True])
def test_a_race_table_gets_no_hints(address: str, has_finished: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "_request_answer", lambda question: pytest.fail("a search was requested"))
    run = Run.racing(2)
    if has_finished:
        run.play(0)
    client = signed_in(run.players[0])
    refused = client.post(f"/table/{run.attempt(0).public_id}/{address}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "no_hints")
    assert not Question.objects.exists()
