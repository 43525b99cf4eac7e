"""Votes: whose count, what they may take away, and reports of mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts.models import User
from games.core.ladders import Ladder
from games.puzzles import selection, votes
from games.puzzles.generation import claim_check
from games.puzzles.models import DailyPuzzle, PuzzleTry, PuzzleVote, StoredPuzzle
from games.puzzles.runs import puzzle_runs
from tests.factories import make_deal, signed_in, verified_win
from tests.games.puzzles.puzzles import LABYRINTH, SHORT, STONEWALL, stored_puzzle

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three votes decide, and two other puzzles must be left."""
    monkeypatch.setattr(votes, "FEWEST", 3)
    monkeypatch.setattr(votes, "FLOOR", 2)


@pytest.fixture
def players() -> list[User]:
    """Four established players."""
    deal, players = make_deal("braid"), [User.objects.create_user(f"Voter {n}") for n in range(4)]
    for player in players:
        verified_win(player, deal, ladder=Ladder.ESTABLISHED)
    return players


def cast(player: User, puzzle: StoredPuzzle, vote: str, *, solved: bool = True) -> None:
    end = {"solved_at" if solved else "failed_at": timezone.now()}
    PuzzleTry.objects.update_or_create(player=player, puzzle=puzzle, defaults=end)
    votes.cast_vote(player, puzzle, PuzzleVote.Vote(vote))
    puzzle.refresh_from_db()


def test_a_large_share_of_bad_votes_withdraws_a_puzzle_until_good_ones_come(players: list[User]) -> None:
    puzzle, *_ = [stored_puzzle() for _ in range(3)]
    withdrawn = []
    for player, vote in zip(players, ("bad", "good", "bad", "good"), strict=True):
        cast(player, puzzle, vote)
        withdrawn.append(puzzle.withdrawn)
    assert withdrawn == ["", "", "unpopular", ""]


def test_a_variant_keeps_a_floor_of_puzzles(players: list[User]) -> None:
    puzzles = [stored_puzzle(STONEWALL) for _ in range(5)]
    stored_puzzle(LABYRINTH)
    for puzzle in puzzles:
        for player in players:
            cast(player, puzzle, "bad")
    assert [bool(puzzle.withdrawn) for puzzle in puzzles] == [True, True, True, False, False]


def test_only_established_players_who_solved_it_count(players: list[User]) -> None:
    puzzle, *_ = [stored_puzzle() for _ in range(3)]
    for n in range(5):
        cast(User.objects.create_user(f"New {n}"), puzzle, "bad")
    for player in players:
        cast(player, puzzle, "bad", solved=False)
        PuzzleTry.objects.all().delete()
    assert (puzzle.withdrawn, PuzzleVote.objects.filter(counts=True).count()) == ("", 0)


def test_three_accounts_cannot_empty_the_pool(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """New or established, they vote all puzzles down, and report a mistake in each."""
    monkeypatch.setattr(votes, "FEWEST", 30)
    puzzles = [stored_puzzle() for _ in range(4)]
    accounts = [User.objects.create_user(f"Trio {n}") for n in range(3)]
    verified_win(accounts[0], make_deal("braid"), ladder=Ladder.ESTABLISHED)
    for vote in ("bad", "wrong"):
        for player in accounts:
            for puzzle in puzzles:
                cast(player, puzzle, vote)
    assert selection.offered().count() == 4
    assert client.get("/puzzles/").status_code == 200
    assert puzzle_runs.begin(User.objects.create_user("Other").pk, "storm").begun_at is None


@pytest.fixture
def proofs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Start positions of the puzzles proven again, in this process."""
    proven: list[str] = []

    def check(_search: object, contents: dict[str, Any], **_: object) -> Iterator[str]:
        proven.append(contents["start"])
        return claim_check.check(contents)

    monkeypatch.setattr(votes, "run_search", check)
    cache.clear()
    return proven


def test_a_report_has_the_puzzle_proven_again_once(
    players: list[User], proofs: list[str], requested_tasks: list[Any]
) -> None:
    puzzle = stored_puzzle(SHORT)
    cast(players[0], puzzle, "wrong")
    assert [name for name, *_ in requested_tasks] == ["talon.fill_puzzles"]
    votes.prove_reported()
    cast(players[1], puzzle, "wrong")
    votes.prove_reported()
    assert set(PuzzleVote.objects.values_list("proof", flat=True)) == {"holds"}
    assert proofs == [SHORT.start]
    assert puzzle.withdrawn == ""


@pytest.mark.usefixtures("proofs")
def test_a_puzzle_with_a_mistake_is_withdrawn_and_staff_see_why(players: list[User]) -> None:
    """Its line doesn't win. It isn't a coming day's puzzle any more, and votes don't bring it back."""
    puzzle = stored_puzzle(replace(SHORT, finish=SHORT.finish[:-1]))
    DailyPuzzle.objects.create(day=timezone.now().date().replace(year=2999), puzzle=puzzle)
    cast(players[0], puzzle, "wrong")
    votes.prove_reported()
    for player in players[1:]:
        cast(player, puzzle, "good")
    assert (puzzle.withdrawn, DailyPuzzle.objects.count()) == ("disproved", 0)
    staff = User.objects.create_superuser("Staff")
    assert "broken" in signed_in(staff).get("/admin/puzzles/puzzlevote/?vote__exact=wrong").content.decode().lower()


def test_another_winning_move_breaks_the_proof() -> None:
    n = SHORT.turns[0]
    wins = replace(SHORT, start=SHORT.table_at(n).position(), line=(next(iter(SHORT.losses[0])),), finish=())
    assert list(claim_check.check(wins.to_json())) == ["broken"]
