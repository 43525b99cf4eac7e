"""Race tables get no hints during the race, by any address."""

from __future__ import annotations

import pytest
from django.utils import timezone

from games.hints import questions
from games.models import Question
from tests.games.races.runs import Run
from tests.players import signed_in

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_a_race_deal_is_secret_until_it_is_revealed() -> None:
    run = Run.racing(2)
    attempt = run.attempt(0)
    attempt.ranked = False
    assert not questions.may_ask(attempt, run.players[0].pk, timezone.now())
