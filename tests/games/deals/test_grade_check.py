"""Check of the grades with simulated players, who must win less at each higher grade."""

from __future__ import annotations

import csv
from collections.abc import Collection
from io import StringIO
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from django.core.management import CommandError, call_command

from games.deals import grade_check
from games.deals.difficulty import GRADES, DifficultyFigures, sample_seed
from games.deals.grade_check import Checked, Sampled, failures, shares, totals, try_deal
from games.management.commands import measure_difficulty
from games.rules import CATALOGUE, open_table
from games.solver.simulated_players import SKILLS, Skill, greedy_game, skilled_game

DOCS = Path(__file__).resolve().parents[3] / "docs"
EASY = Sampled("labyrinth", 0, DifficultyFigures(1, 1, 0, 0))


def kept() -> list[Checked]:
    with (DOCS / "grade_check.csv").open(newline="") as stream:
        return [
            Checked(row["skill"], row["variant"], int(row["grade"]), int(row["games"]), int(row["wins"]))
            for row in csv.DictReader(stream)
        ]


def test_the_stored_check_covers_every_player_variant_and_grade() -> None:
    assert {(one.skill, one.variant, one.grade) for one in kept()} == {
        (skill, variant, grade) for skill in SKILLS for variant in CATALOGUE for grade in GRADES
    }
    assert sum(one.games for one in kept()) == len(SKILLS) * len(CATALOGUE) * 100 * grade_check.GAMES


def test_every_player_wins_less_at_each_higher_grade() -> None:
    assert failures(kept()) == []
    for skill in SKILLS:
        assert all(after < before for before, after in pairwise(shares(kept(), skill)))


def test_better_players_win_more_at_every_grade() -> None:
    poor, fair, good = (shares(kept(), skill) for skill in SKILLS)
    assert all(a < b < c for a, b, c in zip(poor, fair, good, strict=True))


def test_the_documents_show_the_stored_check() -> None:
    text = (DOCS / "difficulty.md").read_text()
    for skill in SKILLS:
        row = " | ".join(f"{100 * share:.1f} %" for share in shares(kept(), skill))
        assert f"| {skill} | {row} |" in text


def test_a_deal_is_tried_the_same_way_each_time() -> None:
    wins = try_deal(EASY)
    assert wins == try_deal(EASY)
    assert set(wins) == set(SKILLS)


@pytest.mark.parametrize(("variant", "grades"), [("labyrinth", GRADES), ("braid", [1])])
def test_the_stored_check_matches_todays_players(variant: str, grades: Collection[int]) -> None:
    """Uses the quickest deals, enough to notice a change of players, grades or sample."""
    sample = [deal for deal in measure_difficulty._read(DOCS / "difficulty.csv") if deal.variant == variant]
    found = totals((deal, try_deal(deal)) for deal in sample if deal.grade in grades)
    assert sorted(map(repr, found)) == sorted(
        repr(one) for one in kept() if one.variant == variant and one.grade in grades
    )


def test_a_player_who_wins_more_at_a_harder_grade_is_reported() -> None:
    rising = [Checked("good", "braid", grade, 10, grade) for grade in GRADES]
    falling = [Checked(skill, "braid", grade, 10, 6 - grade) for skill in ("poor", "fair") for grade in GRADES]
    assert failures([*rising, *falling]) == ["good"]


def test_without_slips_and_retreats_a_player_is_greedy() -> None:
    for number in range(10):
        seed = sample_seed("pigtail", number)
        one, other = open_table("pigtail", seed), open_table("pigtail", seed)
        assert greedy_game(one, Random(number)) == skilled_game(other, Skill(), Random(number))
        assert one.piles == other.piles


def test_a_player_who_always_goes_back_still_ends() -> None:
    table = open_table("stonewall", bytes(32))
    assert not skilled_game(table, Skill(retreats=5), Random(1))


def test_the_command_fails_when_the_grades_do(tmp_path: Path) -> None:
    out = StringIO()
    with pytest.raises(CommandError, match="do not hold") as failed:
        # One deal of each variant is too small a sample: most grades have no deal.
        call_command("measure_difficulty", "--check", str(tmp_path / "check.csv"), "--count", "1", stdout=out)
    assert failed.value.returncode == 4
    assert [line.partition(":")[0] for line in out.getvalue().splitlines()] == list(SKILLS)
    with (tmp_path / "check.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {row["variant"] for row in rows} == set(CATALOGUE)
    assert {int(row["games"]) for row in rows} == {grade_check.GAMES}
