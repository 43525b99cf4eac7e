"""Restarting a practice game: same cards, new clock, and the old game closed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.attempts.lifecycle import deal_table, start_attempt
from games.deals import publishing
from games.fairplay import pace
from games.ghosts.models import Answer, Challenge
from games.models import Attempt, Deal, Move
from games.replays.continuations import play_on
from tests.games.ghosts.playing import past_deal, played, practice_deal

pytestmark = pytest.mark.django_db


def begun(player: Any, deal: Deal) -> Attempt:
    """Create a game with one move."""
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


def test_a_restarted_practice_game_has_the_same_cards(mine: Client, player: Any) -> None:
    first = begun(player, publishing.practice_deal("stonewall"))
    address = f"/table/{first.public_id}/restart"
    assert address in mine.get(f"/table/{first.public_id}/").content.decode()
    answer = mine.post(address)
    first.refresh_from_db()
    again = Attempt.objects.get(state=Attempt.State.PLAYING)
    assert (first.end, again.deal_id, again.ranked) == ("closed", first.deal_id, False)
    assert answer["Location"] == f"/table/{again.public_id}/"


def test_a_ranked_game_cannot_restart(mine: Client, player: Any) -> None:
    attempt = start_attempt(player, publishing.todays_deal("stonewall"))
    address = f"/table/{attempt.public_id}/restart"
    page = mine.get(f"/table/{attempt.public_id}/").content.decode()
    assert address not in page
    assert "The clock runs on while you read." in page
    assert mine.post(address).status_code == 403
    assert Attempt.objects.count() == 1


def test_only_practice_has_a_pause_button(mine: Client, player: Any) -> None:
    practice = start_attempt(player, publishing.practice_deal("stonewall"))
    daily = start_attempt(player, publishing.todays_deal("stonewall"))
    for attempt, has in ((practice, True), (daily, False)):
        page = mine.get(f"/table/{attempt.public_id}/").content.decode()
        assert [f'id="{name}"' in page for name in ("pause", "paused", "resume")] == [has] * 3
        assert ("<kbd>B</kbd>" in page) is has


def test_another_players_game_cannot_restart(mine: Client, rival: Any) -> None:
    attempt = start_attempt(rival, publishing.practice_deal("stonewall"))
    assert mine.post(f"/table/{attempt.public_id}/restart").status_code == 403


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
