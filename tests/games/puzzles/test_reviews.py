"""Reviews: which puzzles come back, when, and how a review is played."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.core.errors import ErrorCode, Refusal
from games.puzzles import history, reviews, tries
from games.puzzles.losses.refutations import refutation
from games.puzzles.models import DailyPuzzle, MissedPuzzle, PuzzleRating, PuzzleRun, PuzzleTry, StoredPuzzle
from games.puzzles.runs import puzzle_runs
from tests.games.puzzles.puzzles import GENEROUS, LABYRINTH, STONEWALL, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db

NOW = timezone.now()
TODAY = NOW.date()
DAY = timedelta(days=1)


@pytest.fixture
def guest(db: None) -> User:
    return create_guest()


def solve(player: User, stored: StoredPuzzle, days: int = 0) -> tries.Reply:
    for turn in range(len(LABYRINTH.turns)):
        reply = tries.play(player.pk, stored, turn, right(LABYRINTH, turn), NOW + days * DAY)
    return reply


def fail(player: User, stored: StoredPuzzle, days: int = 0, turn: int = 0) -> tries.Reply:
    return tries.play(player.pk, stored, turn, wrong(LABYRINTH, turn), NOW + days * DAY)


def due() -> list[int]:
    """Return in how many days each missed puzzle is due."""
    return [(row.due_on - TODAY).days for row in MissedPuzzle.objects.order_by("pk")]


def test_the_first_mistake_of_any_try_is_kept_for_review(guest: User) -> None:
    """With its turn; a further one at the same puzzle changes nothing."""
    plain, todays, solved = stored_puzzle(), stored_puzzle(GENEROUS), stored_puzzle()
    DailyPuzzle.objects.create(day=TODAY, puzzle=todays)
    tries.play(guest.pk, plain, 0, right(LABYRINTH, 0), NOW)
    for turn in (1, 1):
        fail(guest, plain, turn=turn)
    for _ in range(2):
        tries.play(guest.pk, todays, 0, wrong(GENEROUS, 0), NOW)
    solve(guest, solved)
    rows = MissedPuzzle.objects.order_by("pk").values_list("puzzle", "turn", "token")
    assert list(rows) == [(plain.pk, 1, wrong(LABYRINTH, 1)), (todays.pk, 0, wrong(GENEROUS, 0))]
    assert due() == [1, 1]


@pytest.mark.parametrize("kind", ["storm", "race", "streak"])
def test_a_mistake_in_a_run_is_kept_for_review(guest: User, kind: str) -> None:
    missed, following = stored_puzzle(STONEWALL), stored_puzzle(STONEWALL)
    run = PuzzleRun.objects.create(
        player=guest, day=TODAY, puzzles=[missed.pk, following.pk], begun_at=timezone.now(), kind=kind
    )
    puzzle_runs.play(run.pk, 0, 0, right(STONEWALL, 0))
    for _ in range(2):  # as after a lost reply
        puzzle_runs.play(run.pk, 0, 1, wrong(STONEWALL, 1))
    row = MissedPuzzle.objects.get()
    assert (row.puzzle_id, row.turn, row.token) == (missed.pk, 1, wrong(STONEWALL, 1))


def test_a_puzzle_comes_back_after_one_three_and_ten_days(guest: User) -> None:
    stored = stored_puzzle()
    fail(guest, stored)
    found = [due()]
    for days in (1, 4, 14):
        early = tries.open_puzzle(guest.pk, stored, NOW + (days - 1) * DAY).progress
        assert early.is_over or not early.review, "not before its day"
        reply = solve(guest, stored, days)
        assert (reply.progress.review, reply.progress.solved) == (True, True)
        found.append(due())
    assert found == [[1], [4], [14], []]


def test_another_mistake_ends_the_review_and_starts_over(guest: User) -> None:
    stored = stored_puzzle()
    fail(guest, stored)
    solve(guest, stored, days=1)
    replies = [tries.play(guest.pk, stored, 0, wrong(LABYRINTH, 0), NOW + 5 * DAY, mistakes=0) for _ in range(2)]
    assert replies[0] == replies[1], "a lost reply can be asked for again"
    assert (replies[0].progress.failed, replies[0].progress.tries_left, due()) == (True, 0, [6])
    with pytest.raises(Refusal) as refused:
        solve(guest, stored, days=5)
    assert refused.value.code == ErrorCode.CLOSED
    solve(guest, stored, days=6)
    assert due() == [9]


def test_a_review_survives_midnight(guest: User) -> None:
    stored = stored_puzzle()
    fail(guest, stored)
    for turn in range(len(LABYRINTH.turns)):
        reply = tries.play(guest.pk, stored, turn, right(LABYRINTH, turn), NOW + (1 + turn) * DAY)
    assert reply.progress.solved
    assert PuzzleTry.objects.filter(review_on=TODAY + DAY).count() == 1


def test_reviews_are_not_rated() -> None:
    """Not even if the player has only seen the puzzle's page, as after a guest's storm."""
    player, stored = User.objects.create_user("Ada"), stored_puzzle()
    history.mark_seen(player.pk, stored.pk, history.Place.PAGE)
    reviews.miss(player.pk, stored.pk, 0, wrong(LABYRINTH, 0), TODAY - DAY)
    assert solve(player, stored).progress.rating_change is None
    assert not PuzzleRating.objects.exists()


def test_the_players_mistake_is_shown_before_the_review(guest: User) -> None:
    stored, token = stored_puzzle(), wrong(LABYRINTH, 1)
    reviews.miss(guest.pk, stored.pk, 1, token, TODAY - DAY)
    assert refutation(guest.pk, stored, 1, token)[0]["token"] == token
    for player, turn in ((create_guest().pk, 1), (None, 1), (guest.pk, 0)):
        with pytest.raises(Refusal) as refused:
            refutation(player, stored, turn, token)
        assert refused.value.code == ErrorCode.FORBIDDEN


def test_withdrawn_puzzles_and_todays_are_not_offered(guest: User) -> None:
    todays, withdrawn, due_today = stored_puzzle(), stored_puzzle(withdrawn="disproved"), stored_puzzle()
    DailyPuzzle.objects.create(day=TODAY, puzzle=todays)
    for stored in (todays, withdrawn, due_today):
        reviews.miss(guest.pk, stored.pk, 0, wrong(LABYRINTH, 0), TODAY - DAY)
    assert [row.puzzle for row in reviews.missed_by(guest.pk)] == [due_today]
    assert reviews.next_due(guest.pk) == due_today
    assert reviews.next_due(create_guest().pk) is None
    assert reviews.next_due(None) is None


def test_a_guests_missed_puzzles_move_to_the_account(guest: User) -> None:
    account, both, one = User.objects.create_user("Ada"), stored_puzzle(), stored_puzzle()
    for player, stored, turn in ((guest, both, 1), (account, both, 0), (guest, one, 1)):
        reviews.miss(player.pk, stored.pk, turn, wrong(LABYRINTH, turn), TODAY)
    merge_guest(guest, account)
    moved = MissedPuzzle.objects.values_list("player", "puzzle", "turn")
    assert set(moved) == {(account.pk, both.pk, 0), (account.pk, one.pk, 1)}
