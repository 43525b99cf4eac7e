"""Ratings from tries: what is rated, when, and whose rating moves."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from accounts.models import User
from accounts.sign_in.guests import create_guest, merge_guest
from games.puzzles import tries
from games.puzzles.models import PuzzleRating, PuzzleTry, StoredPuzzle
from games.puzzles.ratings.rated_tries import estimate_of, shown_ratings
from games.puzzles.ratings.rating_model import MU, SETTLED, SIGMA
from games.puzzles.tries import Reply
from tests.games.puzzles.puzzles import LABYRINTH, right, stored_puzzle, wrong

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


@pytest.fixture
def user(db: None) -> User:
    return User.objects.create_user("solver")


@pytest.fixture
def stored(db: None) -> StoredPuzzle:
    return stored_puzzle()


@pytest.fixture
def settled(user: User) -> User:
    """A player whose rating is certain enough to move puzzles."""
    PuzzleRating.objects.create(player=user, mu=1600, sigma=SETTLED)
    return user


def play(player: User, stored: StoredPuzzle, turn: int, token: str) -> Reply:
    return tries.play(player.pk, stored, turn, token, NOW)


def solve(player: User, stored: StoredPuzzle, *, since: int = 0) -> Reply:
    for turn in range(since, len(LABYRINTH.turns)):
        reply = play(player, stored, turn, right(LABYRINTH, turn))
    return reply


def fail(player: User, stored: StoredPuzzle) -> Reply:
    return play(player, stored, 0, wrong(LABYRINTH, 0))


def rating(player: User) -> float:
    return estimate_of(player.pk).mu


def test_solving_without_a_mistake_beats_the_puzzle(user: User, stored: StoredPuzzle) -> None:
    play(user, stored, 0, right(LABYRINTH, 0))
    assert not PuzzleRating.objects.exists()
    reply = solve(user, stored, since=1)
    row = PuzzleTry.objects.get()
    assert (row.mu_before, row.mu_after) == (MU, rating(user))
    assert row.rated_at is not None
    assert reply.progress.rating_change == round(rating(user)) - MU
    assert rating(user) > MU
    assert estimate_of(user.pk).sigma < SIGMA


def test_the_first_wrong_move_decides_for_the_puzzle(user: User, stored: StoredPuzzle) -> None:
    assert (fail(user, stored).progress.rating_change or 0) < 0
    row, after = PuzzleTry.objects.values("mu_before", "mu_after", "rated_at").get(), rating(user)
    fail(user, stored)
    solve(user, stored)
    assert rating(user) == after < MU
    assert PuzzleTry.objects.values("mu_before", "mu_after", "rated_at").get() == row


def test_only_settled_players_move_the_puzzle(settled: User, stored: StoredPuzzle) -> None:
    newcomer = User.objects.create_user("newcomer")
    fail(newcomer, stored)
    stored.refresh_from_db()
    assert (stored.mu, stored.sigma) == (MU, SIGMA)
    fail(settled, stored)
    stored.refresh_from_db()
    assert stored.mu > MU
    assert stored.sigma < SIGMA


def test_guests_play_unrated_and_stay_so_as_accounts(stored: StoredPuzzle) -> None:
    guest = create_guest()
    fail(guest, stored)
    guest.is_guest = False
    guest.save()
    assert solve(guest, stored).progress.rating_change is None
    assert not PuzzleRating.objects.exists()
    assert PuzzleTry.objects.get().rated_at is None


def test_a_guests_tries_join_an_account_unrated(user: User, stored: StoredPuzzle) -> None:
    guest = create_guest()
    solve(guest, stored)
    merge_guest(guest, user)
    assert PuzzleTry.objects.get(player=user).mu_after is None
    assert rating(user) == MU


def test_the_puzzles_rating_is_shown_only_after_the_decision(settled: User, stored: StoredPuzzle) -> None:
    before = shown_ratings(settled.pk, stored, "page", is_decided=False)
    assert before == {"own": 1600, "provisional": False, "puzzle": None, "seen_in": None}
    assert shown_ratings(None, stored, "", is_decided=True)["own"] is None
    decided = fail(settled, stored).progress.is_decided
    assert shown_ratings(settled.pk, stored, "page", is_decided=decided)["puzzle"] == round(stored.mu) > MU
