"""Ladders: established players and newcomers, decided once per game."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from games.core.ladders import Ladder
from games.fairplay.play_decisions import decision
from games.models import Attempt
from games.rules import Table, open_table
from leaderboards.boards import deal_boards, eligibility, histogram, relisting
from leaderboards.boards.eligibility import Missing
from leaderboards.boards.listings import deal_listings
from leaderboards.boards.rank_keys import BoardScore
from leaderboards.models import Result
from leaderboards.verdicts.decisions import decide
from leaderboards.verdicts.reverification import reverify
from leaderboards.verdicts.settlement import give_up, settle
from tests import factories
from tests.accounts.conftest import PASSWORD
from tests.factories import (
    DAY,
    NOON,
    ON_THREE_DAYS,
    ONE_DAY,
    OPENED,
    make_account,
    make_deal,
    make_established,
    signed_in,
    won_records,
)

State = Attempt.State
NOTHING = Missing(0, win=False, confirmation=False, age=0)
MOMENT = timedelta(microseconds=1)
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ladders(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.LADDERS = True
    monkeypatch.setattr(eligibility, "timezone", Mock(now=lambda: NOON))


def settled(who: Any, deal: Any = None) -> Attempt:
    return factories.settled(deal or make_deal("stonewall", DAY), who)


def ladder_of(attempt: Attempt) -> Ladder:
    assert attempt.ladder == attempt.result.ladder
    return Ladder(attempt.ladder)


def whole(deal: Any) -> None:
    assert [fault for listing in deal_listings(deal.pk) for fault in histogram.faults(listing)] == []


@pytest.mark.parametrize(
    ("games", "ladder"),
    [
        (ON_THREE_DAYS, Ladder.ESTABLISHED),
        (ON_THREE_DAYS[:2], Ladder.NEWCOMERS),
        ((("stonewall", 1), ("plot", 1), ("braid", 1)), Ladder.NEWCOMERS),
        ((("stonewall", 0), ("plot", 2), ("braid", 1)), Ladder.NEWCOMERS),
        ((("stonewall", 30), ("plot", 9), ("braid", 1), ("stonewall", 1)), Ladder.ESTABLISHED),
        ((("stonewall", 31), ("plot", 9), ("braid", 1), ("stonewall", 1)), Ladder.NEWCOMERS),
        ((), Ladder.NEWCOMERS),
    ],
)
def test_games_on_three_of_the_last_thirty_days_are_needed(games: Any, ladder: Ladder) -> None:
    assert ladder_of(settled(make_established(games), make_deal("labyrinth", DAY))) == ladder


@pytest.mark.parametrize(("late", "ladder"), [(0 * MOMENT, Ladder.ESTABLISHED), (MOMENT, Ladder.NEWCOMERS)])
def test_the_account_must_be_a_week_older_than_the_deal(late: timedelta, ladder: Ladder) -> None:
    who = make_established(date_joined=OPENED - 7 * ONE_DAY + late)
    assert ladder_of(settled(who)) == ladder


@pytest.mark.parametrize(
    ("kind", "ladder"), [("webauthn", Ladder.ESTABLISHED), ("totp", Ladder.NEWCOMERS), (None, Ladder.NEWCOMERS)]
)
def test_a_confirmed_address_or_a_passkey_is_needed(kind: str | None, ladder: Ladder) -> None:
    who = make_established()
    EmailAddress.objects.filter(user=who).update(verified=False)
    if kind:
        Authenticator.objects.create(user=who, type=kind, data={})
    assert ladder_of(settled(who)) == ladder
    assert (eligibility.missing(who) or NOTHING).confirmation == (ladder == Ladder.NEWCOMERS)


def test_one_of_the_games_must_be_won() -> None:
    who = factories.make_old_account()
    lost = factories.verified_wins(who, ON_THREE_DAYS, end=Attempt.End.RESIGNED)
    assert ladder_of(settled(who)) == Ladder.NEWCOMERS
    Attempt.objects.filter(pk=lost[0].pk).update(end=Attempt.End.WON)
    assert ladder_of(settled(who, make_deal("labyrinth", DAY))) == Ladder.ESTABLISHED


def played(table: Table, *, won: bool = False, cards_up: int = 0) -> Any:
    return SimpleNamespace(won=won, cards_up=cards_up, goal=52, table=table)


@pytest.mark.parametrize(("is_won", "cards_up", "real"), [(True, 0, True), (False, 18, True), (False, 17, False)])
def test_a_game_is_played_if_won_or_a_third_up(is_won: bool, cards_up: int, real: bool) -> None:
    assert eligibility.is_real_play(played(open_table("plot", bytes(32)), won=is_won, cards_up=cards_up)) == real


def test_a_game_is_played_after_forty_different_decisions() -> None:
    (line, *_) = won_records("plot")
    table = line.open_table()
    decisions: set[int | None] = set()
    for token in line.tokens:
        assert eligibility.is_real_play(played(table)) == (len(decisions) >= 40)
        decisions |= {decision(table, token)} - {None}
        table.push(token)
    assert len(decisions) > 40


def test_moving_a_card_to_and_fro_is_no_real_play() -> None:
    table = open_table("stonewall", (121).to_bytes(32))
    for token in ("t5-t0", "t0-t5") * 40:
        table.push(token)
    assert not eligibility.is_real_play(played(table))


def test_a_verdict_says_whether_the_game_was_played() -> None:
    (line, *_), resigned = won_records("labyrinth"), make_deal("stonewall", DAY)
    wins = make_deal("labyrinth", DAY, seed=line.seed)
    for deal, record, real in ((wins, line, True), (resigned, factories.record_of(resigned, []), False)):
        attempt = factories.settled(deal, record=record)
        assert attempt.real_play == real


def test_verifying_again_marks_a_game_as_played() -> None:
    (line, *_) = won_records("labyrinth")
    attempt = factories.settled(make_deal("labyrinth", DAY, seed=line.seed), record=line)
    Attempt.objects.update(real_play=False)  # as a worker of an earlier release leaves it
    attempt.refresh_from_db()
    assert reverify(attempt).changed
    attempt.refresh_from_db()
    assert attempt.real_play
    assert not reverify(attempt).changed


@pytest.mark.parametrize(
    "unfit",
    [
        {"state": State.REJECTED},
        {"real_play": False},
        {"state": State.REVIEW},
        {"verified_at": OPENED},
        {"verified_at": None},
    ],
)
def test_only_games_verified_before_the_deal_opened_count(unfit: dict[str, Any]) -> None:
    who = make_established(ON_THREE_DAYS[:2])
    factories.verified_wins(who, ON_THREE_DAYS[2:], **unfit)
    assert ladder_of(settled(who)) == Ladder.NEWCOMERS


def test_practice_does_not_count() -> None:
    who = make_established()
    Attempt.objects.filter(player=who, deal__variant="plot").update(ranked=False)
    assert ladder_of(settled(who)) == Ladder.NEWCOMERS


def test_a_guest_is_a_newcomer() -> None:
    assert settled(make_established(is_guest=True)).ladder == Ladder.NEWCOMERS


def test_an_accounts_age_counts_from_its_sign_up() -> None:
    cache.clear()  # resets the sign-up limits
    guest = make_established(is_guest=True)
    client = signed_in(guest)
    form = {"username": "Ada Lovelace", "password1": PASSWORD}
    assert client.post(reverse("account_signup"), form).status_code == 302
    guest.refresh_from_db()
    assert (guest.is_guest, guest.date_joined > OPENED) == (False, True)
    assert ladder_of(settled(guest)) == Ladder.NEWCOMERS


def test_the_settings_define_days_and_age(settings: Settings) -> None:
    settings.ESTABLISHED_DAYS, settings.ESTABLISHED_AGE = 1, 3
    who = make_established((("stonewall", 1), ("plot", 1)), date_joined=OPENED - 3 * ONE_DAY)
    assert ladder_of(settled(who)) == Ladder.ESTABLISHED
    settings.ESTABLISHED_DAYS = 2
    assert ladder_of(settled(who, make_deal("labyrinth", DAY))) == Ladder.NEWCOMERS
    settings.ESTABLISHED_DAYS = 0
    assert ladder_of(settled(factories.make_old_account(), make_deal("braid", DAY))) == Ladder.ESTABLISHED


def test_with_the_rule_off_all_players_are_established(settings: Settings) -> None:
    settings.LADDERS = False
    assert ladder_of(settled(make_account())) == Ladder.ESTABLISHED


@pytest.mark.parametrize("late_first", [True, False])
def test_the_order_of_verdicts_does_not_matter(late_first: bool) -> None:
    who = make_established(ON_THREE_DAYS[:2])
    late = factories.finished(make_deal("plot", DAY - ONE_DAY), who)
    new = factories.finished(make_deal("stonewall", DAY), who)
    for attempt in (late, new) if late_first else (new, late):
        settle(attempt.pk)
    new.refresh_from_db()
    assert ladder_of(new) == Ladder.NEWCOMERS


def test_a_batch_needs_no_more_queries(settings: Settings) -> None:
    def queries(deal: Any) -> int:
        first, *rest = [factories.finished(deal, make_established()) for _ in range(4)]
        with CaptureQueriesContext(connection) as statements:
            settle(first.pk, max_others=len(rest))
        assert set(Result.objects.filter(deal=deal).values_list("ladder", flat=True)) == {Ladder.ESTABLISHED}
        return len(statements)

    with_rule = queries(make_deal("stonewall", DAY))
    settings.LADDERS = False
    assert with_rule == queries(make_deal("plot", DAY))


def test_a_games_ladder_stays_when_the_player_plays_on() -> None:
    who = factories.make_old_account()
    attempt = settled(who)
    factories.verified_wins(who, ON_THREE_DAYS)
    decide(attempt.pk, State.REJECTED, "staff")
    assert not Result.objects.filter(attempt=attempt).exists()
    decide(attempt.pk, State.VERIFIED, "staff")
    attempt.refresh_from_db()
    assert ladder_of(attempt) == Ladder.NEWCOMERS
    whole(attempt.deal)


def test_a_later_decision_keeps_the_first_verdicts_ladder() -> None:
    who = make_established()
    attempt = factories.finished(make_deal("stonewall", DAY), who)
    assert give_up(attempt.pk, "It could not be judged.")
    Attempt.objects.filter(player=who).exclude(pk=attempt.pk).delete()
    decide(attempt.pk, State.VERIFIED, "staff")
    attempt.refresh_from_db()
    assert ladder_of(attempt) == Ladder.ESTABLISHED


def test_a_new_score_keeps_ladder_and_time() -> None:
    attempt = settled(make_established())
    at = timezone.now() - ONE_DAY
    Attempt.objects.filter(player=attempt.player).exclude(pk=attempt.pk).delete()
    Attempt.objects.filter(pk=attempt.pk).update(cards_up=99, verified_at=at)
    attempt.refresh_from_db()
    assert reverify(attempt).changed
    attempt = Attempt.objects.get(pk=attempt.pk)
    assert (ladder_of(attempt), attempt.verified_at) == (Ladder.ESTABLISHED, at)
    assert attempt.cards_up != 99
    whole(attempt.deal)


def test_a_recreated_result_is_on_its_attempts_ladder() -> None:
    attempt = settled(factories.make_old_account())
    attempt.result.delete()
    relisting.relist_player(attempt.player)
    attempt.refresh_from_db()
    assert ladder_of(attempt) == Ladder.NEWCOMERS


def test_the_ladders_are_ranked_separately() -> None:
    deal = make_deal("stonewall", DAY)
    for cards, ladder in ((9, 2), (8, 1), (7, 2), (6, 1)):
        factories.listed(deal, BoardScore(cards, 1_000, 10), ladder=ladder)
    for ladder, best in ((Ladder.ESTABLISHED, [8, 6]), (Ladder.NEWCOMERS, [9, 7])):
        page = deal_boards.page(deal, ladder=ladder)
        assert [(entry.rank, entry.cards_up, entry.ladder) for entry in page.entries] == [
            (rank, up, ladder) for rank, up in enumerate(best, 1)
        ]
        assert (page.total, page.ladder) == (2, ladder)
        last = Result.objects.get(deal=deal, cards_up=best[1])
        assert deal_boards.rank_of(deal, "race", last.player) == 2
        assert [entry.cards_up for entry in deal_boards.around(deal, "fewest", last.player)] == best
    whole(deal)


def test_friends_of_both_ladders_are_ranked_together() -> None:
    deal, me, friend = (
        make_deal("stonewall", DAY),
        make_account(),
        make_account(),
    )
    me.following.create(followed=friend)
    factories.listed(deal, BoardScore(5, 1_000, 10), who=me)
    factories.listed(deal, BoardScore(7, 1_000, 10), who=friend, ladder=Ladder.NEWCOMERS)
    shown = [(entry.rank, entry.player, entry.ladder) for entry in deal_boards.friends(deal, "race", me)]
    assert shown == [(1, friend.public_id, Ladder.NEWCOMERS), (2, me.public_id, Ladder.ESTABLISHED)]


@pytest.mark.parametrize(
    ("games", "days", "win"),
    [
        ((), 3, True),
        ((("stonewall", 0),), 2, False),
        ((("stonewall", 0), ("plot", 0), ("braid", 0)), 2, False),
        ((("stonewall", 0), ("plot", 29)), 1, False),
        ((("stonewall", 0), ("plot", 30)), 2, False),
    ],
)
def test_the_missing_days_are_counted(games: Any, days: int, win: bool) -> None:
    assert eligibility.missing(make_established(games)) == Missing(days, win, confirmation=False, age=0)


def test_the_days_until_the_account_is_old_enough() -> None:
    assert eligibility.missing(make_established()) is None
    for days, age in ((7, 0), (5, 2), (0, 7)):
        who = make_established(date_joined=NOON - days * ONE_DAY)
        assert (eligibility.missing(who) or NOTHING).age == age


def test_nothing_is_missing_with_the_rule_off(settings: Settings) -> None:
    settings.LADDERS = False
    assert eligibility.missing(make_account()) is None
