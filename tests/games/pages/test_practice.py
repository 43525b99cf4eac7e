"""Practice: what may be practised, and by whom."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from games.attempts import start_attempt
from games.deals import publishing
from games.models import Attempt, Deal
from tests.games.conftest import make_deal

pytestmark = pytest.mark.django_db(transaction=True)


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
