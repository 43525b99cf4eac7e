"""Playing on from a moment of a replay: practice only, never on a deal that may still be ranked."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.lifecycle.export import _continuation
from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts.lifecycle import close_attempt, record_of, start_attempt
from games.core import limits
from games.core.errors import Refusal
from games.ghosts import choice
from games.ghosts.challenges import may_challenge
from games.live.loader import load
from games.models import Attempt, Deal, Move
from games.replays import continuations
from games.replays.models import Continuation
from games.rules import open_table
from leaderboards.verdicts.settlement import settle
from tests.factories import add_moves
from tests.games.ghosts.playing import line, open_deal, past_deal, played, practice_deal

pytestmark = pytest.mark.django_db(transaction=True)


def play_on(client: Client, origin: Attempt, n: Any) -> Any:
    return client.post(f"/replay/{origin.public_id}/play-on", {"n": n})


def begun_from(answer: Any) -> Attempt:
    assert answer.status_code == 302, answer.content
    return Attempt.objects.select_related("deal").get(public_id=answer["Location"].split("/")[2])


def test_the_game_continues_from_the_replays_position(mine: Client, player: User, rival: User) -> None:
    origin = played(rival, past_deal())
    attempt = begun_from(play_on(mine, origin, 12))
    assert (attempt.player_id, attempt.deal_id, attempt.ranked) == (player.pk, origin.deal_id, False)
    loaded = load(attempt.public_id)
    assert loaded.tokens == record_of(origin).tokens[:12]
    assert set(loaded.token_times) == {0}
    page = mine.get(f"/table/{attempt.public_id}/")
    assert page.context["replay_url"] == f"/replay/{origin.public_id}/?n=12"
    assert f'id="back-to-replay" href="/replay/{origin.public_id}/?n=12"' in page.content.decode()
    table = open_table("stonewall", line().seed)
    for token in loaded.tokens:
        table.push(token)
    assert page.context["opening"]["view"]["piles"] == table.view()["piles"]
    close_attempt(attempt.pk, "resigned")
    assert settle(attempt.pk) == Attempt.State.VERIFIED
    assert Attempt.objects.get(pk=attempt.pk).auto_runs == [[1, 12]]


def test_repeated_requests_reuse_an_unplayed_game(mine: Client, player: User) -> None:
    origin = played(player, practice_deal())
    first = begun_from(play_on(mine, origin, 3))
    assert begun_from(play_on(mine, origin, 3)) == first
    Move.objects.create(attempt=first, n=4, token=line().tokens[3], ms=900)
    assert begun_from(play_on(mine, origin, 3)) != first
    assert mine.get(f"/replay/{origin.public_id}/").status_code == 200  # the player's own replay stays open


def test_trying_several_moments_leaves_one_game(mine: Client, player: User) -> None:
    origin, other = played(player, practice_deal()), played(player, practice_deal("plot"))
    elsewhere, gone_on = begun_from(play_on(mine, other, 2)), begun_from(play_on(mine, origin, 3))
    Move.objects.create(attempt=gone_on, n=4, token=line().tokens[3], ms=900)
    for n in (3, 5, 8):
        latest = begun_from(play_on(mine, origin, n))
    assert set(Attempt.objects.filter(state="playing")) == {elsewhere, gone_on, latest}
    assert Move.objects.count() == 2 + 4 + 8


def test_it_has_its_own_time_limit(mine: Client, player: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "play_on", "2/h")
    origin = played(player, practice_deal())
    assert [play_on(mine, origin, n).status_code for n in (1, 2, 3)] == [302, 302, 429]
    assert Attempt.objects.filter(state="playing").count() == 1


def test_games_on_open_deals_cannot_be_continued(mine: Client, player: User) -> None:
    origin = played(player, open_deal(), ranked=True)
    assert play_on(mine, origin, 2).status_code == 409
    race = played(player, practice_deal("plot", for_race=True))
    assert play_on(mine, race, 2).status_code == 409
    assert Attempt.objects.count() == 2


def test_only_watchable_games_can_be_continued(client: Client, mine: Client, rival: User) -> None:
    hidden = played(rival, practice_deal())
    assert play_on(mine, hidden, 2).status_code == 403
    assert play_on(client, hidden, 2).status_code == 403
    assert User.objects.count() == 2  # no guest was created for it
    with pytest.raises(Refusal):
        continuations.play_on(create_guest(), hidden, 2)


def test_a_visitor_becomes_a_guest(client: Client, rival: User) -> None:
    attempt = begun_from(play_on(client, played(rival, past_deal()), 0))
    assert client.get(f"/table/{attempt.public_id}/").status_code == 200


def test_from_the_first_card_it_is_ordinary_practice(mine: Client, player: User) -> None:
    origin = played(player, practice_deal())
    attempt = begun_from(play_on(mine, origin, 0))
    assert not Continuation.objects.exists()
    assert start_attempt(player, attempt.deal) == attempt
    assert not mine.get(f"/table/{attempt.public_id}/").context["replay_url"]


def test_a_continued_game_shows_only_its_origin(player: User) -> None:
    attempt = Attempt.objects.create(player=player, deal=practice_deal(), ranked=False, started_at=timezone.now())
    Continuation.objects.create(attempt=attempt, origin=None, n=0)
    assert start_attempt(player, attempt.deal) != attempt


def test_the_moment_must_exist(mine: Client, player: User) -> None:
    origin = played(player, practice_deal())
    moves = len(record_of(origin).tokens)
    for n in ("", "-1", "x", "²", "1" * 9, moves + 1, moves):  # after the last move it is won
        assert play_on(mine, origin, n).status_code == 400, n
    assert mine.get(f"/replay/{origin.public_id}/play-on").status_code == 405
    begun_from(play_on(mine, origin, moves - 1))


def test_a_continued_game_is_not_taken_for_a_whole_one(mine: Client, player: User) -> None:
    deal = practice_deal()
    slow = played(player, deal, 5000)
    attempt = begun_from(play_on(mine, slow, 5))
    assert start_attempt(player, deal) != attempt
    add_moves(attempt, *line().tokens[5:])
    close_attempt(attempt.pk, "won")
    assert settle(attempt.pk) == Attempt.State.VERIFIED
    attempt.refresh_from_db()
    assert not may_challenge(attempt, player.pk)
    assert may_challenge(slow, player.pk)
    assert choice.best_of(deal, player.pk) == slow


def test_its_origin_is_stored_and_exported(mine: Client, player: User) -> None:
    origin = played(player, practice_deal())
    attempt = begun_from(play_on(mine, origin, 5))
    kept = Continuation.objects.get()
    assert _continuation(kept) == {"attempt": attempt.public_id, "from": origin.public_id, "moves": 5}
    Attempt.objects.filter(pk=origin.pk).delete()
    assert not mine.get(f"/table/{attempt.public_id}/").context["replay_url"]
    Attempt.objects.all().delete()
    assert not Continuation.objects.exists()
    assert Deal.objects.count() == 1
