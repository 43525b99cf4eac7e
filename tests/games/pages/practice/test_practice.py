"""Practice pages: available deals, and permissions."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.attempts.lifecycle import close_attempt, start_attempt
from games.core import events
from games.deals import numbered_deals, practice_deals, publishing
from games.deals.certification import Certificate
from games.models import Attempt, Deal, PracticeOrder, SealedDeal
from games.rules import CATALOGUE
from tests.deals import make_deal
from tests.games import certified

pytestmark = pytest.mark.django_db(transaction=True)


def test_practice_deals(mine: Client, player: Any, yesterday: Deal) -> None:
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
        {"name": "plot", "number": "0"},
        {"name": "plot", "number": "-1"},
        {"name": "plot", "number": "12345678"},
        {"name": "plot", "seed": "x" * 64},
    ],
)
def test_deals_that_cannot_be_practised(form: dict[str, str], mine: Client) -> None:
    answer = mine.post("/practice/start", form)
    assert answer["Location"] == "/practice/"
    assert not Attempt.objects.exists()
    assert not Deal.objects.filter(day=None).exists()


def test_open_deals_and_others_games_cannot_be_practised(mine: Client, rival: Any) -> None:
    foreign = publishing.practice_deal("plot")
    start_attempt(rival, foreign)
    for deal in (make_deal("plot"), foreign):
        assert mine.post("/practice/start", {"deal": deal.pk})["Location"] == "/practice/"
    assert Attempt.objects.count() == 1


@pytest.fixture
def asked(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Make the site certify deals, and record the requested tasks."""
    settings.SEALED_STOCK = 14
    tasks: list[tuple[Any, ...]] = []

    def take(*task: Any, **_: Any) -> bool:
        tasks.append(task)
        return True

    monkeypatch.setattr(events, "request_task", take)
    return tasks


def proven(index: int = 0, grade: int = 2) -> Deal:
    record = certified.won("stonewall")[index]
    return publishing.seeded_deal(CATALOGUE["stonewall"], record.seed, Certificate(record, None, grade))


WINNABLE = {"name": "stonewall", "deals": "winnable"}


def test_winnable_only_is_the_default_with_certification(client: Client, settings: Any) -> None:
    assert b'name="deals"' not in client.get("/practice/").content
    settings.SEALED_STOCK = 14
    page = client.get("/practice/").content
    assert page.count(b'name="deals" value="winnable" checked') == 1 + 2, "variants, Braid and Tarot with options"
    assert b'name="deals" value="winnable"' in client.get("/rules/plot/").content


def test_an_available_winnable_deal_is_dealt_at_once(mine: Client, asked: list[tuple[Any, ...]]) -> None:
    deal = proven()
    kept = certified.seal("stonewall", 1)
    mine.post("/practice/start", WINNABLE)
    assert Attempt.objects.get().deal == deal
    assert mine.post("/practice/start", WINNABLE)["Location"] == "/practice/looking/", "it has been started"
    assert mine.post("/practice/start", WINNABLE | {"deals": "any"})["Location"].startswith("/table/")
    assert SealedDeal.objects.get() == kept
    assert asked == [("talon.find_practice_deal", PracticeOrder.objects.get().pk)]


def test_the_page_waits_and_deals_the_found_deal(mine: Client, player: Any, asked: list[tuple[Any, ...]]) -> None:
    assert mine.get("/practice/looking/")["Location"] == "/practice/", "nothing is ordered yet"
    assert mine.post("/practice/looking/start")["Location"] == "/practice/"
    mine.post("/practice/start", WINNABLE | {"grade": "2"})
    assert mine.get("/practice/looking.json").json() == {"state": "looking", "tried": 0}
    assert b"looking.js" in mine.get("/practice/looking/").content
    PracticeOrder.objects.update(tried=3, deal=proven(grade=2))
    assert mine.get("/practice/looking.json").json() == {"state": "found", "tried": 3}
    assert mine.post("/practice/looking/start")["Location"].startswith("/table/")
    assert Attempt.objects.get().deal.proven
    assert not PracticeOrder.objects.exists()


def test_another_grade_is_offered_when_time_is_up(mine: Client, asked: list[tuple[Any, ...]]) -> None:
    mine.post("/practice/start", WINNABLE | {"grade": "5"})
    PracticeOrder.objects.update(deal=proven(grade=4))
    assert mine.get("/practice/looking.json").json()["state"] == "looking"
    PracticeOrder.objects.update(made_at=timezone.now() - practice_deals.PATIENCE)
    assert mine.get("/practice/looking.json").json()["state"] == "other"
    assert (
        "No deal that is fiendish turned up in time. This one is hard"
        in mine.get("/practice/looking/").content.decode()
    )
    PracticeOrder.objects.update(deal=None)
    assert mine.get("/practice/looking.json").json()["state"] == "none"
    assert "Look again" in mine.get("/practice/looking/").content.decode()


def test_grades_can_be_chosen_for_variants_only(mine: Client, asked: list[tuple[Any, ...]]) -> None:
    mine.post("/practice/start", {"name": "tarot", "option-draw": "1", "deals": "winnable", "grade": "3"})
    wish = PracticeOrder.objects.get()
    assert (wish.variant, wish.game, wish.grade) == ("", "tarot", None)
    mine.post("/practice/start", WINNABLE | {"grade": "9"})
    assert PracticeOrder.objects.get().grade is None


@pytest.mark.parametrize("form", [{"name": "stonewall"}, {"name": "tarot", "option-draw": "1"}])
def test_a_link_deals_a_friend_the_same_cards(form: dict[str, str], mine: Client, rival: Any) -> None:
    mine.post("/practice/start", form)
    attempt = Attempt.objects.get()
    page = mine.get(f"/table/{attempt.public_id}/")
    assert page.context["number"] == numbered_deals.number_of(attempt.deal)
    friend = Client()
    shown = friend.get(page.context["link"])
    named = shown.context["named"]
    assert (named.number, named.deal.id) == (page.context["number"], attempt.deal_id)
    friend.post("/practice/start", named.fields)
    assert Attempt.objects.latest("pk").deal == attempt.deal
    assert Attempt.objects.count() == 2


def test_an_unused_number_creates_nothing_until_begun(client: Client) -> None:
    named = client.get("/practice/?name=plot&code=48 213").context["named"]
    assert (named.number, named.deal) == (48213, None)
    assert not Deal.objects.exists()
    client.post("/practice/start", named.fields)
    assert numbered_deals.number_of(Attempt.objects.get().deal) == 48213
    for wrong in ("0", "x", "f" * 63):
        page = client.get(f"/practice/?name=plot&code={wrong}")
        assert page.context["named"] is None
        assert "There is no such deal" in page.content.decode()


def test_a_seed_is_shared_only_after_the_game(mine: Client, player: Any) -> None:
    deal = proven()
    attempt = start_attempt(player, deal)
    address = f"/table/{attempt.public_id}/"
    assert (mine.get(address).context["number"], mine.get(address).context["link"]) == (None, "")
    close_attempt(attempt.pk, "resigned")
    link = mine.get(address).context["link"]
    assert f"seed={bytes(deal.seed).hex()}" in link
    assert Client().get(link).context["named"].deal.id == deal.pk


def test_no_link_leads_to_a_deal_that_may_be_ranked(mine: Client, player: Any) -> None:
    today = make_deal("plot")
    attempt = start_attempt(player, today)
    assert mine.get(f"/table/{attempt.public_id}/").context["link"] == ""
    kept = certified.seal("plot")
    for seed in (bytes(today.seed), bytes(kept.seed)):
        shown = mine.get(f"/practice/?name=plot&seed={seed.hex()}").context["named"]
        assert shown.deal is None, "nothing of it is shown"
        assert mine.post("/practice/start", shown.fields)["Location"] == "/practice/"
    assert Attempt.objects.count() == 1


def test_searches_are_limited_like_questions(mine: Client, asked: list[tuple[Any, ...]]) -> None:
    codes = [mine.post("/practice/start", WINNABLE).status_code for _ in range(21)]
    assert codes == [302] * 20 + [429]
    assert len(asked) == 20
