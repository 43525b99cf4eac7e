"""Practice pages: available deals, permissions, and restarts with the same cards."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.attempts.lifecycle import close_attempt, deal_table, start_attempt
from games.deals import first_game, numbered_deals, practice_deals, publishing
from games.deals.certification import Certificate
from games.fairplay import pace
from games.ghosts.models import Answer, Challenge
from games.models import Attempt, Deal, Move, PracticeOrder, SealedDeal
from games.replays.continuations import play_on
from games.rules import CATALOGUE, open_table
from tests.factories import make_deal, seal_deal, won_records
from tests.games.ghosts.playing import past_deal, played, practice_deal

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_ranked_table_offers_no_new_deal(mine: Client, player: Any) -> None:
    page = mine.get(f"/table/{start_attempt(player, make_deal('plot')).public_id}/").content.decode()
    assert 'id="new-deal"' not in page
    assert 'class="tool brief" type="button" id="resign"' in page


def test_practice_deals(mine: Client, player: Any, yesterday: Deal) -> None:
    mine.post("/practice/start", {"name": "tarot", "option-draw": "3", "option-fool": '"trump"'})
    odd = Attempt.objects.get()
    assert (odd.ranked, odd.deal.day, odd.deal.variant) == (False, None, "tarot-adept")
    mine.post("/practice/start", {"name": "tarot", "option-draw": "1"})
    assert Attempt.objects.latest("id").deal.options == {"first_row": True, "draw": 1, "fool": "wild"}
    mine.post("/practice/start", {"deal": yesterday.pk})
    assert Attempt.objects.latest("id").deal_id == yesterday.pk


def test_deals_that_cannot_be_practised(mine: Client) -> None:
    forms: list[dict[str, str]] = [
        {},
        {"name": "chess"},
        {"name": "tarot", "option-draw": "9"},
        {"name": "tarot", "option-draw": "{"},
        {"deal": "x"},
        {"name": "plot", "number": "0"},
        {"name": "plot", "number": "-1"},
        {"name": "plot", "number": "12345678"},
        {"name": "plot", "seed": "x" * 64},
    ]
    for form in forms:
        assert mine.post("/practice/start", form)["Location"] == "/practice/", form
    assert not Attempt.objects.exists()
    assert not Deal.objects.filter(day=None).exists()


def test_open_deals_and_others_games_cannot_be_practised(mine: Client, rival: Any) -> None:
    foreign = publishing.practice_deal("plot")
    start_attempt(rival, foreign)
    for deal in (make_deal("plot"), foreign):
        assert mine.post("/practice/start", {"deal": deal.pk})["Location"] == "/practice/"
    assert Attempt.objects.count() == 1


@pytest.fixture
def requested_tasks(settings: Any, requested_tasks: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    settings.SEALED_STOCK = 14
    return requested_tasks


def proven(index: int = 0, grade: int = 2) -> Deal:
    record = won_records("stonewall")[index]
    return publishing.seeded_deal(CATALOGUE["stonewall"], record.seed, Certificate(record, None, grade))


WINNABLE = {"name": "stonewall", "deals": "winnable"}


def test_winnable_only_is_the_default_with_certification(client: Client, settings: Any) -> None:
    assert b'name="deals"' not in client.get("/practice/").content
    settings.SEALED_STOCK = 14
    page = client.get("/practice/").content
    assert len(re.findall(rb'name="deals" value="winnable"\s+checked', page)) == 1 + 2, (
        "variants, Braid and Tarot with options"
    )
    assert b'name="deals" value="winnable"' in client.get("/rules/plot/").content


def test_an_available_winnable_deal_is_dealt_at_once(mine: Client, requested_tasks: list[tuple[Any, ...]]) -> None:
    deal = proven()
    kept = seal_deal("stonewall", 1)
    mine.post("/practice/start", WINNABLE)
    assert Attempt.objects.get().deal == deal
    assert mine.post("/practice/start", WINNABLE)["Location"] == "/practice/looking/", "it has been started"
    assert mine.post("/practice/start", WINNABLE | {"deals": "any"})["Location"].startswith("/table/")
    assert SealedDeal.objects.get() == kept
    assert requested_tasks == [("talon.find_practice_deal", PracticeOrder.objects.get().pk)]


def test_the_next_deal_is_one_tap_away_and_alike(mine: Client, requested_tasks: list[tuple[Any, ...]]) -> None:
    played, gentle, hard = proven(0, 1), proven(1, 1), proven(2, 4)
    attempt = Attempt.objects.create(player=User.objects.get(), deal=played, ranked=False, started_at=timezone.now())
    for expected in (gentle, hard):
        page = mine.get(f"/table/{attempt.public_id}/").content.decode()
        form = next(part for part in re.findall(r"<form.*?</form>", page, re.DOTALL) if 'id="new-deal"' in part)
        mine.post("/practice/start", dict(re.findall(r'name="(\w+)" value="(\w*)"', form)))
        attempt = Attempt.objects.latest("id")
        assert attempt.deal == expected
    assert requested_tasks == []


def test_a_game_without_first_games_starts_with_a_winnable_deal(
    mine: Client, requested_tasks: list[tuple[Any, ...]], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_game, "winning_lines", lambda _: {})
    settings.SEALED_STOCK = 1
    assert mine.post("/practice/first", {"name": "stonewall"})["Location"] == "/practice/looking/"
    assert [name for name, _ in requested_tasks] == ["talon.find_practice_deal"]
    settings.SEALED_STOCK = 0
    assert mine.post("/practice/first", {"name": "stonewall"})["Location"].startswith("/table/")
    assert Attempt.objects.get().deal.variant == "stonewall"


def test_the_page_waits_and_deals_the_found_deal(
    mine: Client, player: Any, requested_tasks: list[tuple[Any, ...]]
) -> None:
    assert mine.get("/practice/looking/")["Location"] == "/practice/", "nothing is ordered yet"
    assert mine.post("/practice/looking/start")["Location"] == "/practice/"
    mine.post("/practice/start", WINNABLE | {"grade": "2"})
    assert mine.get("/practice/looking.json").json() == {"state": "looking", "tried": 0}
    assert b"looking.js" in mine.get("/practice/looking/").content
    PracticeOrder.objects.update(tried=3, deal=proven(grade=2))
    assert mine.get("/practice/looking.json").json() == {"state": "found", "tried": 3}
    assert mine.post("/practice/looking/start")["Location"].startswith("/table/")
    assert Attempt.objects.get().deal.proven
    assert mine.post("/practice/looking/start")["Location"] == f"/table/{Attempt.objects.get().public_id}/"


def test_a_chosen_bot_races_the_deal_that_the_search_finds(
    mine: Client, requested_tasks: list[tuple[Any, ...]]
) -> None:
    found = mine.post("/practice/start", WINNABLE | {"ghost": "jack"})["Location"]
    assert found == "/practice/looking/?ghost=jack"
    PracticeOrder.objects.update(deal=proven())
    page = mine.get(found)
    assert '<input type="hidden" name="ghost" value="jack">' in page.content.decode()
    table = mine.post("/practice/looking/start", {"ghost": "jack"})["Location"]
    assert table == f"/table/{Attempt.objects.get().public_id}/?ghost=jack"
    assert mine.get(table).context["ghost_url"].endswith("racer=jack")
    odd = mine.post("/practice/start", {"name": "stonewall", "ghost": "//elsewhere.example"})["Location"]
    assert odd == f"/table/{Attempt.objects.latest('pk').public_id}/", "an unknown bot is ignored"


def test_another_grade_is_offered_when_time_is_up(mine: Client, requested_tasks: list[tuple[Any, ...]]) -> None:
    mine.post("/practice/start", WINNABLE | {"grade": "5"})
    PracticeOrder.objects.update(deal=proven(grade=4))
    assert mine.get("/practice/looking.json").json()["state"] == "looking"
    PracticeOrder.objects.update(made_at=timezone.now() - practice_deals.PATIENCE)
    assert mine.get("/practice/looking.json").json()["state"] == "other"
    assert "We found no fiendish deal in time. This one is hard" in mine.get("/practice/looking/").content.decode()
    PracticeOrder.objects.update(deal=None)
    assert mine.get("/practice/looking.json").json()["state"] == "none"
    assert "Search again" in mine.get("/practice/looking/").content.decode()


def test_grades_can_be_chosen_for_variants_only(mine: Client, requested_tasks: list[tuple[Any, ...]]) -> None:
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
        assert "Deal not found" in page.content.decode()


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
    kept = seal_deal("plot")
    for seed in (bytes(today.seed), bytes(kept.seed)):
        shown = mine.get(f"/practice/?name=plot&seed={seed.hex()}").context["named"]
        assert shown.deal is None, "nothing of it is shown"
        assert mine.post("/practice/start", shown.fields)["Location"] == "/practice/"
    assert Attempt.objects.count() == 1


def test_searches_are_limited_like_questions(mine: Client, requested_tasks: list[tuple[Any, ...]]) -> None:
    codes = [mine.post("/practice/start", WINNABLE).status_code for _ in range(21)]
    assert codes == [302] * 20 + [429]
    assert len(requested_tasks) == 20


def begun(player: Any, deal: Deal) -> Attempt:
    attempt = start_attempt(player, deal)
    Move.objects.create(attempt=attempt, n=1, token=deal_table(deal).legal_moves()[0], ms=900)
    return attempt


def restarted(mine: Client, attempt: Attempt, ghost: str = "") -> Attempt:
    """Restart a game and return the new one."""
    answer = mine.post(f"/table/{attempt.public_id}/restart" + ghost)
    assert answer.status_code == 302
    address, _, query = answer["Location"].partition("?")
    assert query == ghost.removeprefix("?")
    return Attempt.objects.get(public_id=address.split("/")[2])


def test_only_practice_can_be_paused_and_restarted(mine: Client, player: Any, rival: Any) -> None:
    practice = start_attempt(player, publishing.practice_deal("stonewall"))
    daily = start_attempt(player, publishing.todays_deal("stonewall"))
    for attempt, has in ((practice, True), (daily, False)):
        page = mine.get(f"/table/{attempt.public_id}/").content.decode()
        assert [f'id="{name}"' in page for name in ("pause", "paused", "resume")] == [has] * 3
        assert ("<kbd>B</kbd>" in page) is has
        assert (f"/table/{attempt.public_id}/restart" in page) is has
        assert ("The clock keeps running while you read." in page) is not has
    for other in (daily, start_attempt(rival, publishing.practice_deal("stonewall"))):
        assert mine.post(f"/table/{other.public_id}/restart").status_code == 403
    assert Attempt.objects.count() == 3


def test_a_merged_guests_ranked_game_cannot_restart(mine: Client, player: Any) -> None:
    User.objects.filter(pk=player.pk).update(is_guest=False)
    player.refresh_from_db()
    guest = create_guest()
    attempt = start_attempt(guest, publishing.todays_deal("stonewall"))
    merge_guest(guest, player)
    page = mine.get(f"/table/{attempt.public_id}/")
    assert (page.context["may_restart"], page.context["auto_pace"]) == (False, pace.AUTO_MS)
    assert mine.post(f"/table/{attempt.public_id}/restart").status_code == 403
    assert Attempt.objects.get().state == Attempt.State.PLAYING


def test_only_games_with_a_move_are_left_to_resume(mine: Client, player: Any) -> None:
    start_attempt(player, publishing.practice_deal("stonewall"))
    left = begun(player, publishing.practice_deal("plot"))
    assert [tile.attempt.public_id for tile in mine.get("/practice/").context["running"]] == [left.public_id]


def test_a_game_without_a_move_is_reused(mine: Client, player: Any) -> None:
    attempt = start_attempt(player, publishing.practice_deal("stonewall"))
    assert restarted(mine, attempt) == attempt
    assert Attempt.objects.get().state == Attempt.State.PLAYING


def test_every_other_game_of_the_deal_is_closed(mine: Client, player: Any) -> None:
    origin = played(player, practice_deal())
    normal, going_on = begun(player, origin.deal), play_on(player, origin, 5)
    elsewhere = begun(player, publishing.practice_deal("plot"))
    again = restarted(mine, going_on)
    assert not Move.objects.filter(attempt=again).exists()
    assert (again.deal, again.ranked) == (origin.deal, False)
    assert set(Attempt.objects.filter(state=Attempt.State.PLAYING)) == {again, elsewhere}
    assert set(Attempt.objects.filter(end="closed")) == {normal, going_on}


def test_a_race_entrants_game_is_left_alone(mine: Client, player: Any) -> None:
    race = practice_deal("plot", for_race=True, closes_at=timezone.now() - timedelta(days=1))
    mark = {"player": player, "deal": race, "ranked": False, "started_at": timezone.now()}
    entrants, practice = (Attempt.objects.create(**mark, deadline=when) for when in (timezone.now(), None))
    Move.objects.create(attempt=entrants, n=1, token="d", ms=1)
    restarted(mine, practice)
    entrants.refresh_from_db()
    assert entrants.state == Attempt.State.PLAYING


def test_the_ghost_stays(mine: Client, player: Any, rival: Any) -> None:
    ghost = f"?ghost={played(rival, past_deal()).public_id}"
    attempt = begun(player, Deal.objects.get())
    assert f"/restart{ghost}" in mine.get(f"/table/{attempt.public_id}/{ghost}").content.decode()
    assert restarted(mine, attempt, ghost) != attempt


def test_an_answer_to_a_challenge_cannot_restart(mine: Client, player: Any, rival: Any) -> None:
    sent = played(rival, past_deal())
    challenge = Challenge.objects.create(attempt=sent, sender=rival, made_at=timezone.now())
    attempt = begun(player, sent.deal)
    Answer.objects.create(challenge=challenge, attempt=attempt)
    for one in (attempt, play_on(player, sent, 3)):  # whose new start would be the answer
        page = mine.get(f"/table/{one.public_id}/")
        assert (page.context["may_restart"], page.context["auto_pace"]) == (False, pace.AUTO_PRACTICE_MS)
        assert mine.post(f"/table/{one.public_id}/restart").status_code == 403
    attempt.refresh_from_db()
    assert attempt.state == Attempt.State.PLAYING


def test_the_deck_of_practice_is_its_players(mine: Client, player: Any, yesterday: Deal) -> None:
    deal = publishing.practice_deal("plot")
    attempt = start_attempt(player, deal)
    Move.objects.create(attempt=attempt, n=1, token="d", ms=5)
    answer = mine.get(f"/table/{attempt.public_id}/deck.json").json()
    assert (answer["n"], answer["moves"]) == (1, ["d"])
    table = open_table("plot", deck=answer["deck"])
    assert table.position() == open_table("plot", bytes(deal.seed)).position()
    others = [start_attempt(create_guest(), deal), start_attempt(player, make_deal("tarot"))]
    secret = Attempt.objects.create(player=player, deal=make_deal("stonewall"), ranked=False, started_at=timezone.now())
    close_attempt(attempt.pk, "resigned")
    for other in (*others, secret, attempt):
        assert mine.get(f"/table/{other.public_id}/deck.json").status_code == 403, other.deal


def test_the_deck_of_an_answered_challenge_stays_secret(mine: Client, player: Any) -> None:
    deal = publishing.practice_deal("plot")
    challenge = Challenge.objects.create(
        attempt=start_attempt(create_guest(), deal), sender=create_guest(), made_at=timezone.now()
    )
    answer = start_attempt(player, deal)
    Answer.objects.create(attempt=answer, challenge=challenge)
    assert mine.get(f"/table/{answer.public_id}/deck.json").status_code == 403


def test_a_new_deal_is_the_one_fetched_ahead(mine: Client) -> None:
    mine.post("/practice/start", {"name": "plot"})
    first = Attempt.objects.get()
    fields = {"name": "plot", "after": str(first.public_id)}
    ahead = mine.post("/practice/start", fields | {"ahead": "1"})["Location"]
    second = Attempt.objects.exclude(pk=first.pk).get()
    Attempt.objects.filter(pk=second.pk).update(started_at=timezone.now() - timedelta(hours=1))
    assert ahead == mine.post("/practice/start", fields)["Location"] == f"/table/{second.public_id}/"
    second.refresh_from_db()
    assert timezone.now() - second.started_at < timedelta(minutes=1)
    Move.objects.create(attempt=second, n=1, token="d", ms=5)
    mine.post("/practice/start", fields)
    assert Attempt.objects.count() == 3
