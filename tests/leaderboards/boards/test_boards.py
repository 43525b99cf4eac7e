"""Boards: order, pages, rank keys, and games listed again after a crash."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from accounts.lifecycle.bans import ban_player, lift_ban
from accounts.sign_in.guests import create_guest
from games.models import Attempt
from games.rules import NO_PROGRESS, Score
from leaderboards.boards import deal_boards, entries, histogram, relisting
from leaderboards.boards.listings import deal_listing
from leaderboards.boards.own_result import own_result
from leaderboards.boards.rank_keys import BOARDS, DEAL, SEASON, BoardName, BoardScore, KeyRangeError, Layout
from leaderboards.boards.rows import BoardPage, CursorError
from leaderboards.models import Reranking, Result
from tests import factories
from tests.accounts.conftest import PASSWORD
from tests.factories import DAY, NOON, make_account, make_deal, signed_in, won_records

pytestmark = pytest.mark.django_db


# Few values, so that ties down to the id are common, far apart, so that all levels are used.
scores = st.builds(
    lambda cards_up, ms, tokens, progress_ms: BoardScore(
        cards_up, ms, tokens, ms if cards_up == 52 else progress_ms, won=cards_up == 52
    ),
    st.sampled_from([0, 7, 52]),
    st.sampled_from([0, 5, 130, 2**20, 10**7]),
    st.sampled_from([0, 3, 70, 5_000]),
    st.sampled_from([0, 5, 2**20, NO_PROGRESS]),
)
finishes = st.integers(0, 2).map(lambda s: NOON + timedelta(microseconds=s))


def naive(results: list[Result], board: BoardName) -> list[Any]:
    """Return the public ids of the players in the order of the rules."""

    def order(one: Result) -> tuple[Any, ...]:
        figures = one.attempt.score.key if board == "race" else (one.tokens, one.elapsed_ms)
        return *figures, one.finished_at, one.pk

    shown = [one for one in results if board == "race" or one.cards_up == 52]
    return [one.player.public_id for one in sorted(shown, key=order)]


def walk(deal: Any, board: BoardName, limit: int) -> list[BoardPage]:
    pages = [deal_boards.page(deal, board, limit=limit)]
    while pages[-1].after:
        pages.append(deal_boards.page(deal, board, pages[-1].after, limit))
    return pages


class BoardProperties(TestCase):
    @settings(max_examples=10, deadline=None)
    @given(st.lists(st.tuples(scores, finishes), min_size=1, max_size=12), st.integers(1, 5), st.data())
    def test_pages_ranks_and_neighbours_agree_with_a_naive_sort(self, given_: Any, limit: int, data: Any) -> None:
        deal, other = make_deal("stonewall", DAY), make_deal("braid", DAY)
        factories.listed(other, BoardScore(50, 1, 1))
        results = [factories.listed(deal, score, finished_at=when) for score, when in given_]
        for gone in data.draw(st.sets(st.sampled_from(range(len(results))), max_size=3)):
            entries.set_listed(results[gone], listed=False)
        shown = [one for one in results if one.listed]
        for board in BOARDS:
            expected = naive(shown, board)
            pages = walk(deal, board, limit)
            found = [entry for page in pages for entry in page.entries]
            assert [entry.player for entry in found] == expected
            assert [entry.rank for entry in found] == list(range(1, len(expected) + 1))
            assert {page.total for page in pages} == {len(expected)}
            for page, previous in zip(pages[1:], pages, strict=False):
                assert page.before
                assert deal_boards.page(deal, board, page.before, limit).entries == previous.entries
            for one in results:
                player = one.player.public_id
                rank = expected.index(player) + 1 if player in expected else None
                assert deal_boards.rank_of(deal, board, one.player) == rank
                near = deal_boards.around(deal, board, one.player, span=2)
                if rank is None:
                    assert near == []
                else:
                    assert [entry.player for entry in near] == expected[max(0, rank - 3) : rank + 2]
                    assert [entry.rank for entry in near] == list(
                        range(max(1, rank - 2), min(rank + 2, len(expected)) + 1)
                    )

    @settings(max_examples=10, deadline=None)
    @given(st.lists(st.tuples(scores, st.booleans(), st.booleans()), min_size=1, max_size=12))
    def test_the_histogram_equals_a_fresh_count_after_changes(self, changes: Any) -> None:
        deal = make_deal("stonewall", DAY)
        for score, first, second in changes:
            result = factories.listed(deal, score, show=first)
            entries.set_listed(result, listed=second)
            entries.set_listed(result, listed=second)
        for board in BOARDS:
            listing = deal_listing(deal.pk, board)
            assert histogram.faults(listing) == []
            counted = sum(second for score, _, second in changes if board == "race" or score.won)
            assert histogram.total(listing) == counted


@pytest.fixture
def deal(db: None) -> Any:
    return make_deal("stonewall", DAY)


def test_a_rebuild_repairs_faults(deal: Any) -> None:
    for ms in range(20):
        factories.listed(deal, BoardScore(20, ms * 10**5, 40 + ms))
    listing = deal_listing(deal.pk, "race")
    listing.buckets.objects.filter(level=2).update(entries=9)
    assert histogram.faults(listing)
    histogram.rebuild(listing)
    assert histogram.faults(listing) == []


def test_a_cursor_works_after_its_entry_is_removed(deal: Any) -> None:
    results = [factories.listed(deal, BoardScore(20, ms, 40)) for ms in (100, 200, 300)]
    cursor = deal_boards.page(deal, limit=2).after
    entries.remove(results[1])
    assert [(e.rank, e.elapsed_ms) for e in deal_boards.page(deal, "race", cursor).entries] == [(2, 300)]


@pytest.mark.parametrize("text", ["", "x", "a:b", "e30:xxxx", "\x00", "é" * 40])
def test_a_bad_cursor_is_a_typed_error(deal: Any, text: str) -> None:
    factories.listed(deal, BoardScore(1, 1, 1))
    if not text:
        assert deal_boards.page(deal, "race", text).entries
        return
    with pytest.raises(CursorError):
        deal_boards.page(deal, "race", text)


def test_a_cursor_of_another_board_is_refused(deal: Any) -> None:
    for ms in (100, 200):
        factories.listed(deal, BoardScore(20, ms, 40))
    cursor = deal_boards.page(deal, "race", limit=1).after
    other = make_deal("braid", DAY)
    with pytest.raises(CursorError):
        deal_boards.page(deal, "fewest", cursor)
    with pytest.raises(CursorError):
        deal_boards.page(other, "race", cursor)


def test_a_page_has_at_most_a_hundred_entries(deal: Any) -> None:
    for ms in range(103):
        factories.listed(deal, BoardScore(20, ms, 40))
    assert len(deal_boards.page(deal, limit=10_000).entries) == deal_boards.MAX_PAGE_SIZE
    assert len(deal_boards.page(deal, limit=-5).entries) == 1


def test_waiting_attempts_are_shown_without_a_rank(deal: Any) -> None:
    pending = factories.finished(deal)
    review = factories.finished(deal, state="review", started_at=NOON + timedelta(hours=1))
    factories.finished(deal, state="rejected")
    factories.finished(deal, who=make_account(is_guest=True))
    factories.finished(deal, who=make_account(banned_at=NOON))
    factories.finished(deal, ranked=False)
    found = deal_boards.waiting(deal)
    assert [(e.attempt, e.status, e.rank, e.cards_up) for e in found] == [
        (pending.public_id, "pending", None, None),
        (review.public_id, "review", None, None),
    ]


def test_own_standing_is_ranked_pending_or_none(deal: Any) -> None:
    result = factories.listed(deal, BoardScore(20, 100, 40))
    pending = factories.finished(deal)
    mine = deal_boards.standing_of(deal, "race", result.player)
    assert mine is not None
    assert (mine.rank, mine.status) == (1, "verified")
    waits = deal_boards.standing_of(deal, "race", pending.player)
    assert waits is not None
    assert (waits.rank, waits.status) == (None, Attempt.State.PENDING)
    assert deal_boards.standing_of(deal, "race", make_account()) is None


def sums(*figures: st.SearchStrategy[int]) -> st.SearchStrategy[BoardScore]:
    return st.tuples(*figures).map(lambda drawn: BoardScore(*drawn[:3]))


deal_scores = sums(st.integers(0, 104), st.integers(0, 2**32 - 1), st.integers(0, 5_000))
season_scores = sums(st.integers(0, 10**6), st.integers(0, 2**46 - 1), st.integers(0, 2**36 - 1))
close_scores = sums(st.integers(0, 1), st.integers(5_000, 5_000 + 2**11), st.integers(0, 2))
few = st.integers(0, 2)
lost_scores = st.builds(BoardScore, few, few, few, few | st.just(NO_PROGRESS), st.just(value=False))


def race(score: BoardScore) -> tuple[int, ...]:
    return -score.cards_up, score.elapsed_ms, score.tokens


def fewest(score: BoardScore) -> tuple[int, ...]:
    return -score.cards_up, score.tokens, score.elapsed_ms


@given(st.lists(deal_scores, min_size=2, max_size=20))
def test_keys_of_a_deal_sort_like_the_rules(scores: list[BoardScore]) -> None:
    assert sorted(scores, key=DEAL["race"].pack) == sorted(scores, key=race)
    assert sorted(scores, key=DEAL["fewest"].pack) == sorted(scores, key=fewest)


@given(st.lists(lost_scores, min_size=2, max_size=20))
def test_keys_of_losses_sort_like_places(scores: list[BoardScore]) -> None:
    def place(score: BoardScore) -> tuple[int, ...]:
        return Score("retired", *score[:4]).key

    assert sorted(scores, key=DEAL["race"].pack) == sorted(scores, key=place)


def test_losses_are_on_the_race_board_alone(deal: Any) -> None:
    won = factories.listed(deal, BoardScore(52, 900_000, 300))
    lost = factories.listed(deal, BoardScore(51, 600, 0, NO_PROGRESS, won=False))
    assert [entry.player for entry in deal_boards.page(deal, "fewest").entries] == [won.player.public_id]
    assert deal_boards.page(deal, "fewest").total == 1
    assert deal_boards.page(deal).total == 2
    assert own_result(deal, "fewest", lost.player) is None
    assert deal_boards.friends(deal, "fewest", lost.player) == []


@given(st.lists(season_scores | close_scores, min_size=2, max_size=20))
def test_keys_and_ties_of_a_season_sort_like_the_rules(scores: list[BoardScore]) -> None:
    for layout, order in ((SEASON["race"], race), (SEASON["fewest"], fewest)):
        figures = [tie.replace("won_ms", "elapsed_ms") for tie in layout.ties]
        ties = [figure for figure in figures if figure in BoardScore._fields]
        placed = sorted(scores, key=lambda s: (layout.pack(s), *(getattr(s, tie) for tie in ties)))
        assert placed == sorted(scores, key=order)


def test_keys_of_a_season_hold_a_lifetime_of_play() -> None:
    deals = 100 * 366 * 20
    for layout in SEASON.values():
        layout.pack(BoardScore(deals * 104, deals * 25 * 3_600_000, deals * 5_000))


@pytest.mark.parametrize(
    "score",
    [
        BoardScore(-1, 0, 0),
        BoardScore(128, 0, 0),
        BoardScore(0, 2**32, 0),
        BoardScore(0, 0, 2**13),
        BoardScore(0, -1, 0),
    ],
)
def test_a_score_that_does_not_fit_is_refused(score: BoardScore) -> None:
    for layout in DEAL.values():
        with pytest.raises(KeyRangeError):
            layout.pack(score)


@pytest.mark.parametrize(
    "layout", [*DEAL.values(), *SEASON.values()], ids=lambda layout: f"{layout.cards_bits}-{layout.key}"
)
def test_keys_fit_a_signed_column_with_finer_levels(layout: Layout) -> None:
    assert layout.cards_bits + sum(field.bits for field in layout.fields) <= 63
    assert list(layout.shifts) == sorted(layout.shifts, reverse=True)
    assert layout.ties[-1] == "id"


def test_recent_games_really_played_are_marked() -> None:
    migration: Any = import_module("games.migrations.0006_mark_real_play")
    (line, *_), today = won_records("labyrinth"), timezone.now()
    deal = make_deal("labyrinth", DAY, seed=line.seed)
    half = factories.record_of(deal, line.tokens[: len(line.tokens) // 2])
    games = {
        "half": factories.finished(deal, record=half),
        "resigned": factories.finished(make_deal("stonewall", DAY), tokens=[]),
        "old": factories.finished(deal, record=half),
    }
    Attempt.objects.update(state=Attempt.State.VERIFIED, finished_at=today)
    Attempt.objects.filter(pk=games["old"].pk).update(finished_at=today - timedelta(days=40))
    migration.mark_real_play(apps, None)
    marked = set(Attempt.objects.filter(real_play=True).values_list("pk", flat=True))
    assert marked == {games["half"].pk}


LATER = timedelta(minutes=2)


class DiedError(Exception):
    """The process died before it could rank anyone."""


@pytest.fixture
def died(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Disable ranking until this is undone."""

    def die(player: Any) -> int:
        raise DiedError

    monkeypatch.setattr(relisting, "relist_player", die)
    return monkeypatch


def rank(player: Any, deal: Any) -> int | None:
    return deal_boards.rank_of(deal, "race", player)


def ranked_later(died: pytest.MonkeyPatch) -> int:
    """Return the number of players the sweep ranks two minutes later."""
    died.undo()
    return relisting.relist_overdue(timezone.now() + LATER)


def test_the_sweep_ranks_after_a_lost_sign_up(died: pytest.MonkeyPatch) -> None:
    cache.clear()  # resets the sign-up limits
    guest = create_guest()
    deal = make_deal("stonewall", DAY)
    factories.settled(deal, guest)
    client = signed_in(guest)
    form = {"username": "Ada Lovelace", "password1": PASSWORD}
    with pytest.raises(DiedError):
        client.post(reverse("account_signup"), form)
    guest.refresh_from_db()
    assert rank(guest, deal) is None
    assert ranked_later(died) == 1
    assert rank(guest, deal) == 1


def test_the_sweep_ranks_after_a_lost_ban_and_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = make_deal("stonewall", DAY)
    who = factories.listed(deal, BoardScore(20, 100, 40)).player
    for change, expected in ((ban_player, None), (lift_ban, 1)):
        with monkeypatch.context() as dies:
            dies.setattr(relisting, "relist_player", lambda _player: 1 // 0)
            with pytest.raises(ZeroDivisionError):
                change(who)
        assert rank(who, deal) != expected
        assert relisting.relist_overdue(timezone.now() + LATER) == 1
        assert rank(who, deal) == expected


def test_the_sweep_waits_for_the_marking_process() -> None:
    who = make_account()
    relisting.mark_outdated(who)
    assert relisting.relist_overdue() == 0
    assert relisting.relist_overdue(timezone.now() + LATER) == 1
    assert relisting.relist_overdue(timezone.now() + 2 * LATER) == 0
    assert Reranking.objects.count() == 0


def test_ranking_clears_only_the_mark_it_has_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    who = make_account()
    relisting.mark_outdated(who)
    relisting.relist_player(who)
    assert Reranking.objects.count() == 0
    relisting.mark_outdated(who)
    place = relisting._attempts_to_place

    def marked_again(player: Any) -> list[int]:
        found = place(player)
        relisting.mark_outdated(player)
        return found

    monkeypatch.setattr(relisting, "_attempts_to_place", marked_again)
    relisting.relist_player(who)
    assert Reranking.objects.count() == 1


def test_a_failing_player_blocks_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck, other = make_account(), make_account()
    for who in (stuck, other):
        relisting.mark_outdated(who)
    place = relisting._attempts_to_place

    def fails(player: Any) -> list[int]:
        if player == stuck:
            raise ValueError("a score that no key holds")
        return place(player)

    monkeypatch.setattr(relisting, "_attempts_to_place", fails)
    assert relisting.relist_overdue(timezone.now() + LATER) == 1
    assert list(Reranking.objects.values_list("player_id", flat=True)) == [stuck.pk]
