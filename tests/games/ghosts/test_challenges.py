"""Challenges and the inbox: permissions, one notification for each side, limits, and deletion."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.lifecycle.bans import ban_player, lift_ban
from accounts.lifecycle.erasure import erase_player
from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.attempts.lifecycle import DealClosedError, start_attempt
from games.attempts.pausing import may_pause, pause_attempt
from games.core import limits
from games.core.errors import ErrorCode, RateLimitedError, Refusal
from games.core.retention import remove_aged
from games.daily.page_header import header_of
from games.deals import publishing
from games.ghosts import challenges
from games.ghosts.models import Answer, Challenge
from games.inbox import housekeeping
from games.inbox import notices as inbox
from games.inbox.models import Notice
from games.models import Attempt
from leaderboards import tasks
from leaderboards.verdicts.decisions import decide
from leaderboards.verdicts.settlement import State, settle
from tests.games.ghosts.playing import end_running, open_deal, past_deal, played, practice_deal

pytestmark = pytest.mark.django_db(transaction=True)


def refusal(*args: Any, **kwargs: Any) -> ErrorCode:
    with pytest.raises(Refusal) as refused:
        challenges.challenge(*args, **kwargs)
    return refused.value.code


def notices(player: User) -> list[tuple[str, dict[str, Any]]]:
    return [(one.kind, one.data) for one in inbox.latest(player.pk)]


def test_an_open_deal_cannot_be_a_challenge(ada: User) -> None:
    attempt = played(ada, open_deal(), ranked=True)
    assert refusal(ada, attempt) == ErrorCode.NO_CHALLENGE
    race = played(ada, practice_deal("plot", for_race=True))
    assert refusal(ada, race) == ErrorCode.NO_CHALLENGE


@pytest.mark.parametrize("state", ["playing", "pending", "rejected", "review"])
def test_an_unverified_game_cannot_be_a_challenge(state: str, ada: User) -> None:
    attempt = played(ada, past_deal())
    attempt.state = state
    assert refusal(ada, attempt) == ErrorCode.NO_CHALLENGE


@pytest.mark.parametrize("kind", ["closed", "race", "practice"])
def test_closed_deals_races_and_practice_can_be_challenges(kind: str, ada: User) -> None:
    deal = {
        "closed": past_deal,
        "race": lambda: practice_deal(for_race=True, revealed_at=timezone.now()),
        "practice": practice_deal,
    }[kind]()
    attempt = played(ada, deal)
    challenge = challenges.challenge(ada, attempt)
    assert challenges.find(challenge.code) == challenge
    assert len(challenge.code) == 12  # 72 random bits
    assert challenges.challenge(ada, attempt) == challenge


def test_a_challenge_by_name_notifies_once(ada: User, brook: User) -> None:
    attempt = played(ada, past_deal())
    challenge = challenges.challenge(ada, attempt, to="brook")
    assert challenge.addressee == brook
    assert challenges.challenge(ada, attempt, to="BROOK") == challenge
    assert notices(brook) == [("challenged", {"challenge": challenge.code, "player": ada.pk})]
    assert challenges.challenge(ada, attempt) != challenge  # the link works for anyone


def test_only_searchable_accounts_are_challenged_by_name(ada: User, brook: User, player: User) -> None:
    attempt = played(ada, past_deal())
    assert refusal(ada, attempt, to="Ada") == ErrorCode.NO_CHALLENGE
    assert refusal(ada, attempt, to="Nobody") == ErrorCode.NOT_FOUND
    assert refusal(ada, attempt, to=str(player)) == ErrorCode.NOT_FOUND
    ban_player(brook)
    assert refusal(ada, attempt, to="Brook") == ErrorCode.NOT_FOUND
    lift_ban(brook)
    erase_player(brook)
    assert refusal(ada, attempt, to="Brook") == ErrorCode.NOT_FOUND
    assert not Challenge.objects.exists()
    # A guest can only send the link.
    own = played(player, past_deal("plot"))
    assert refusal(player, own, to="Ada") == ErrorCode.ACCOUNT_REQUIRED
    assert challenges.challenge(player, own).addressee is None


def test_challenges_of_deleted_players_are_deleted(ada: User, brook: User) -> None:
    one = challenges.challenge(ada, played(ada, past_deal()))
    two = challenges.challenge(brook, played(brook, past_deal("plot")), to="Ada")
    ban_player(ada)
    with pytest.raises(Challenge.DoesNotExist):
        challenges.find(one.code)
    lift_ban(ada)
    assert challenges.find(one.code) == one
    erase_player(ada)
    assert not Challenge.objects.filter(pk__in=[one.pk, two.pk]).exists()


def test_a_friend_plays_the_same_deal_unranked_without_its_seed(ada: User, player: User) -> None:
    deal = practice_deal()
    challenge = challenges.challenge(ada, played(ada, deal))
    attempt = challenges.answer(challenge, player)
    assert (attempt.deal, attempt.player, attempt.ranked) == (deal, player, False)
    assert challenges.answer(challenge, player) == attempt
    assert Answer.objects.get(attempt=attempt).challenge == challenge
    assert not publishing.may_see_seed(deal, player.pk)


def test_an_answer_is_not_paused(ada: User, player: User) -> None:
    attempt = challenges.answer(challenges.challenge(ada, played(ada, past_deal())), player)
    assert attempt.may_pause
    assert not may_pause(attempt)
    with pytest.raises(Refusal) as refused:
        pause_attempt(attempt.pk, timezone.now())
    assert refused.value.code is ErrorCode.NO_PAUSE


def test_a_paused_game_is_no_answer_but_another_is(ada: User, player: User) -> None:
    deal = practice_deal()
    challenge = challenges.challenge(ada, played(ada, deal))
    before = start_attempt(player, deal)
    pause_attempt(before.pk, timezone.now())
    attempt = challenges.answer(challenge, player)
    assert attempt != before
    assert (attempt.paused_at, attempt.paused_ms, attempt.state) == (None, 0, Attempt.State.PLAYING)
    assert challenges.answer(challenge, player) == attempt
    before.refresh_from_db()
    assert before.is_over


def test_a_deal_that_became_secret_again_is_not_played(ada: User, brook: User) -> None:
    challenge = challenges.challenge(ada, played(ada, past_deal()))
    challenge.attempt.deal.closes_at = timezone.now() + timedelta(hours=1)
    with pytest.raises((Refusal, DealClosedError)):
        challenges.answer(challenge, brook)


@pytest.mark.parametrize(
    ("pace", "moves", "outcomes"),
    [
        (1000, None, ("won", "lost")),
        (2000, None, ("even", "even")),
        (3000, None, ("lost", "won")),
        (100, 9, ("lost", "won")),
    ],
)
def test_both_sides_learn_who_won(
    pace: int, moves: int | None, outcomes: tuple[str, str], ada: User, brook: User
) -> None:
    challenge = challenges.challenge(ada, played(ada, past_deal(), 2000))
    attempt = end_running(challenges.answer(challenge, brook), pace, moves)
    code, (answerer, sender) = challenge.code, outcomes
    assert notices(brook) == [("answered", {"challenge": code, "player": ada.pk, "outcome": answerer, "own": True})]
    assert notices(ada) == [("answered", {"challenge": code, "player": brook.pk, "outcome": sender, "own": False})]
    assert challenges.answers_to(challenge) == [attempt]
    assert Answer.objects.get(attempt=attempt).told_at is not None


def test_no_notice_is_sent_twice(ada: User, brook: User) -> None:
    challenge = challenges.challenge(ada, played(ada, past_deal()))
    attempt = end_running(challenges.answer(challenge, brook))
    assert challenges.notify_verdicts([attempt.pk]) == 0
    assert settle(attempt.pk) == State.VERIFIED
    decide(attempt.pk, State.REJECTED, "staff")
    assert (len(notices(ada)), len(notices(brook))) == (1, 1)
    assert challenges.answers_to(challenge) == []


def test_a_rejected_answer_stays_private(ada: User, brook: User) -> None:
    challenge = challenges.challenge(ada, played(ada, past_deal()))
    attempt = challenges.answer(challenge, brook)
    Attempt.objects.filter(pk=attempt.pk).update(
        state="pending", finished_at=timezone.now(), end="won", record=played(ada, past_deal("plot")).record
    )
    assert settle(attempt.pk) == State.REJECTED
    assert [data["outcome"] for _, data in notices(brook)] == ["rejected"]
    assert notices(ada) == []


def test_a_doubted_answer_is_reported_once_decided(ada: User, brook: User) -> None:
    challenge = challenges.challenge(ada, played(ada, past_deal()))
    attempt = challenges.answer(challenge, brook)
    done = played(brook, past_deal("plot"), judged=False)
    Attempt.objects.filter(pk=attempt.pk).update(
        state="review", finished_at=timezone.now(), end="resigned", record=done.record
    )
    assert challenges.notify_verdicts([attempt.pk]) == 0
    decide(attempt.pk, State.REJECTED, "staff")
    assert len(notices(brook)) == 1


def test_a_lost_call_is_repeated(ada: User, brook: User, monkeypatch: pytest.MonkeyPatch) -> None:
    challenge = challenges.challenge(ada, played(ada, past_deal()))
    with monkeypatch.context() as lost:
        lost.setattr("leaderboards.verdicts.settlement.challenges.notify_verdicts", lambda _ids: 0)
        attempt = end_running(challenges.answer(challenge, brook))
    assert challenges.notify_forgotten() == 0  # it may be on its way
    assert notices(ada) == []
    Attempt.objects.filter(pk=attempt.pk).update(verified_at=timezone.now() - timedelta(minutes=2))
    tasks.sweep()
    assert (len(notices(ada)), len(notices(brook))) == (1, 1)
    assert challenges.notify_forgotten() == 0


def test_answers_cannot_flood_the_inbox(ada: User, brook: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "answered", "4/d")
    challenge = challenges.challenge(ada, played(ada, past_deal()))
    for answerer in [brook] * 5 + [create_guest() for _ in range(3)]:
        end_running(challenges.answer(challenge, answerer))
    players = [data["player"] for _, data in notices(ada)]
    assert players.count(brook.pk) == inbox.MAX_UNREAD_PER_SENDER
    assert len(players) == 4
    assert len(challenges.answers_to(challenge)) == 8
    assert len(notices(brook)) == 5, "the outcomes of one's own answers"


def test_one_networks_answers_leave_notices_for_others(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(limits.RATES, "notify", "2/d")
    challenge = challenges.challenge(ada, played(ada, past_deal()))
    for address in ["203.0.113.7"] * 4 + ["198.51.100.9"]:
        client = Client(REMOTE_ADDR=address)
        assert client.post(reverse("games:answer_challenge", args=[challenge.code])).status_code == 302
        end_running(Attempt.objects.latest("pk"))
    assert len(challenges.answers_to(challenge)) == 5
    assert len(notices(ada)) == 3


def test_answers_are_ranked_without_banned_players(ada: User, brook: User, player: User) -> None:
    challenge = challenges.challenge(ada, played(ada, past_deal()))
    late = end_running(challenges.answer(challenge, player), 3000)
    soon = end_running(challenges.answer(challenge, brook), 1000)
    again = end_running(challenges.answer(challenge, brook), 500, 4)
    assert challenges.answers_to(challenge) == [soon, late, again]
    ban_player(brook)
    assert challenges.answers_to(challenge) == [late]


def test_an_account_takes_over_a_guests_challenges(ada: User, brook: User, player: User) -> None:
    challenge = challenges.challenge(player, played(player, past_deal()))
    end_running(challenges.answer(challenge, brook))
    merge_guest(player, ada)
    assert challenges.find(challenge.code).sender == ada
    assert [kind for kind, _ in notices(ada)] == [Notice.Kind.ANSWERED]


@pytest.mark.parametrize(("count", "shown"), [(0, ""), (1, "1"), (9, "9"), (10, "9+"), (30, "9+")])
def test_the_header_counts_to_nine(count: int, shown: str, player: User, rival: User) -> None:
    for _ in range(count):
        inbox.put(player.pk, Notice.Kind.RATING_MOVED, {})
    assert header_of(player.pk).unread_text == shown
    assert header_of(rival.pk).unread_text == ""
    assert header_of(AnonymousUser().pk).unread_text == ""
    assert inbox.mark_seen(player.pk) == count
    assert header_of(player.pk).unread_text == ""


def test_the_newest_come_first(player: User) -> None:
    kinds = [Notice.Kind.RATING_MOVED, Notice.Kind.APPEALED]
    notices = [inbox.put(player.pk, kinds[n % 2], {"n": n}) for n in range(inbox.MAX_SHOWN + 5)]
    assert inbox.latest(player.pk) == notices[::-1][: inbox.MAX_SHOWN]


def test_many_notices_of_one_kind_do_not_push_out_others(player: User) -> None:
    answer = inbox.put(player.pk, Notice.Kind.APPEALED, {})
    joined = [inbox.put(player.pk, Notice.Kind.JOINED, {"player": n}) for n in range(2 * inbox.MAX_SHOWN)]
    assert inbox.latest(player.pk) == [*joined[::-1][: inbox.MAX_OF_KIND], answer]


def test_one_network_does_not_use_up_a_players_limit(player: User) -> None:
    """Challenges of strangers elsewhere still arrive."""

    def arrives(network: str) -> bool:
        try:
            inbox.check_limits(player.pk, "challenged", create_guest().pk, network)
        except RateLimitedError:
            return False
        return True

    arrived = sum(arrives(f"2001:db8:0:{n:x}::/64") for n in range(30))
    assert arrived <= 12
    assert arrives("198.51.100.9")


def test_notices_are_deleted_after_ninety_days(player: User) -> None:
    now = timezone.now()
    young = inbox.put(player.pk, Notice.Kind.RATING_MOVED, {}, now - timedelta(days=89))
    inbox.put(player.pk, Notice.Kind.RATING_MOVED, {}, now - timedelta(days=91))
    assert remove_aged(housekeeping.KINDS, now) == 1
    assert inbox.latest(player.pk) == [young]
