"""Puzzles that ask for the move that loses: how they are found, their claims, and tries at them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest

from accounts.sign_in.guests import create_guest
from games.core.errors import ErrorCode, Refusal
from games.puzzles import daily, selection, tries
from games.puzzles.generation.claim_check import findings
from games.puzzles.generation.generator import puzzles_along, puzzles_of_deal
from games.puzzles.losses.refutations import refutation
from games.puzzles.models import PuzzleTry, StoredPuzzle
from games.puzzles.puzzle import Puzzle
from games.puzzles.runs import puzzle_runs
from games.puzzles.shipped_file import PuzzleRow
from games.puzzles.themes import themes_of
from games.rules import from_position
from tests.games.puzzles.puzzles import LABYRINTH, SHORT, TAROT, right, stored_puzzle, wrong
from tests.games.puzzles.test_generator import check_history, check_lost

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
#: A random stream whose first deal has a puzzle.
SEED = 60


def test_all_moves_with_cards_but_one_are_proven_to_win() -> None:
    (puzzle,) = puzzles_of_deal("tarot-adept", Random(SEED))
    check_history(puzzle)
    assert puzzle.asks == "loss"
    found = Counter(findings(puzzle, stream=5))
    assert found["won by the rules"] == len(puzzle.wins) >= 2
    assert found["wrong"] == found["undecided"] == 0
    table = puzzle.table_at(1)
    check_lost(from_position(table.position()), puzzle.start)
    assert not list(puzzles_of_deal("tarot-adept", Random(SEED), rich=True)), "one turn is never rich"


def test_a_players_game_can_be_the_source() -> None:
    (found,) = puzzles_along("tarot-adept", [TAROT.start], Random(1))
    assert (found.start, found.line, found.wins.keys()) == (TAROT.start, TAROT.line, TAROT.wins.keys())


@pytest.mark.parametrize(
    "claim",
    [
        replace(TAROT, line=(wrong(TAROT, 0),)),
        replace(TAROT, wins={**TAROT.wins, wrong(TAROT, 0): TAROT.wins[wrong(TAROT, 0)][:-1]}),
        replace(TAROT, wins=dict([*TAROT.wins.items()][:1])),
        replace(TAROT, losses=({},)),
        replace(TAROT, line=(wrong(TAROT, 0),), wins={right(TAROT, 0): ()} | dict([*TAROT.wins.items()][1:])),
    ],
    ids=["two answers", "no win", "a move left out", "no wrong moves", "a winning move"],
)
def test_a_wrong_claim_is_found(claim: Puzzle) -> None:
    assert "wrong" not in findings(TAROT, stream=2)
    assert "wrong" in findings(claim, stream=2)


def test_wins_are_stored_and_shipped() -> None:
    assert Puzzle.from_json(TAROT.to_json()) == TAROT
    assert Puzzle.from_json(PuzzleRow.read(PuzzleRow.of(TAROT).written()).contents) == TAROT
    assert "wins" not in LABYRINTH.to_json()
    assert themes_of(TAROT) == ()


@pytest.mark.django_db
def test_the_losing_move_solves_it_and_the_game_after_it_is_shown() -> None:
    player, stored = create_guest().pk, stored_puzzle(TAROT)
    with pytest.raises(Refusal):
        tries.win_of(TAROT, tries.open_puzzle(player, stored, NOW).progress)
    reply = tries.play(player, stored, 0, right(TAROT, 0), NOW)
    assert reply.progress.solved
    assert [step["token"] for step in reply.steps] == [right(TAROT, 0)]
    steps = tries.win_of(TAROT, reply.progress)
    assert [step["token"] for step in steps[:2]] == [None, right(TAROT, 0)]
    assert not steps[-1]["view"]["won"]


@pytest.mark.django_db
def test_a_winning_move_is_wrong_and_its_win_is_shown() -> None:
    player, stored, token = create_guest().pk, stored_puzzle(TAROT), wrong(TAROT, 0)
    reply = tries.play(player, stored, 0, token, NOW)
    assert (reply.progress.mistakes, reply.progress.solved) == (1, False)
    assert reply.loss == {"goal": 78, "moves": 1 + len(TAROT.wins[token])}
    steps = refutation(player, stored, 0, token)
    assert [step["token"] for step in steps] == [token, *TAROT.wins[token]]
    assert steps[-1]["view"]["won"]


@pytest.mark.django_db
def test_drawing_is_no_answer_and_counts_nothing() -> None:
    player, stored = create_guest().pk, stored_puzzle(TAROT)
    (draw,) = {"d", "n"} & set(TAROT.table_at(0).legal_moves())
    with pytest.raises(Refusal) as error:
        tries.play(player, stored, 0, draw, NOW)
    assert error.value.code == ErrorCode.ILLEGAL_MOVE
    assert not PuzzleTry.objects.exists()


@pytest.mark.django_db
def test_runs_and_days_have_no_such_puzzle() -> None:
    stored = stored_puzzle(TAROT)
    assert selection.next_puzzle(None, "tarot-adept") == stored
    with pytest.raises(StoredPuzzle.DoesNotExist):
        daily.puzzle_of(NOW.date())
    other = stored_puzzle(SHORT)
    assert puzzle_runs.draw_puzzles([create_guest().pk]) == [other.pk]
    assert selection.draw_harder(create_guest().pk, []) == other
    assert daily.puzzle_of(NOW.date()) == other
