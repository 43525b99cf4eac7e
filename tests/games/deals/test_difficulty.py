"""Grades: measured figures, thresholds, pages that show grade and par, and the check with simulated players."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Collection
from io import StringIO
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from games.deals import difficulty, grade_check, publishing
from games.deals.certification import Certificate, certify
from games.deals.difficulty import GRADES, DifficultyFigures
from games.deals.grade_check import Checked, failures, shares, totals, try_deal
from games.management.commands import measure_difficulty
from games.manifests import VARIANTS
from games.models import Deal
from games.presentation.anonymous_cache import RANKED_COOKIE
from games.rules import CATALOGUE, open_table, replay
from games.solver import Budget
from games.solver.simulated_players import SKILLS, Skill, skilled_game
from games.templatetags.client import over_par
from tests.factories import seal_deal, won_records

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_harder_figures_score_higher() -> None:
    easy = DifficultyFigures(0.2, 0.5, 100, 200)
    for harder in (
        DifficultyFigures(0.1, 0.5, 100, 200),
        DifficultyFigures(0.2, 0.4, 100, 200),
        DifficultyFigures(0.2, 0.5, 200, 200),
        DifficultyFigures(0.2, 0.5, 100, 250),
    ):
        assert harder.score > easy.score
    assert DifficultyFigures(1, 1, 0, 0).score == 0


def test_the_command_prints_the_thresholds_of_a_whole_sample(tmp_path: Path) -> None:
    sample, out = tmp_path / "difficulty.csv", StringIO()
    shutil.copy(DOCS / "difficulty.csv", sample)
    call_command("measure_difficulty", "--file", str(sample), stdout=out)
    assert sample.read_bytes() == (DOCS / "difficulty.csv").read_bytes(), "nothing is measured again"
    assert VARIANTS.keys() == CATALOGUE.keys()
    for variant, facts in VARIANTS.items():
        thresholds = facts.grade_thresholds or ()
        assert f"{variant}: {', '.join(f'{part:.1f}' for part in thresholds)} (100 deals, " in out.getvalue()
        assert all(low < high for low, high in pairwise(thresholds))


def test_the_command_resumes_an_interrupted_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[bytes] = []

    def certify(_: str, seed: bytes, **__: object) -> Certificate | None:
        seeds.append(seed)
        return (
            None
            if len(seeds) == 1
            else Certificate(won_records("labyrinth")[0], DifficultyFigures(0.1, 0.2, 30, 52), 1)
        )

    monkeypatch.setattr(measure_difficulty, "CATALOGUE", ["labyrinth"])
    monkeypatch.setattr(measure_difficulty, "certify", certify)
    sample = tmp_path / "difficulty.csv"
    before = "variant,number,random_wins,greedy_wins,nodes,line,score\nlabyrinth,7,0.0,0.5,40,60,61.0\n"
    sample.write_text(before)
    call_command("measure_difficulty", "--file", str(sample), "--count", "2", stdout=StringIO())
    assert seeds == [difficulty.sample_seed("labyrinth", number) for number in (8, 9)], "the eighth cannot be won"
    assert sample.read_text() == before + f"labyrinth,9,0.1,0.2,30,52,{DifficultyFigures(0.1, 0.2, 30, 52).score:.2f}\n"


def test_the_command_measures_pars_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_difficulty, "CATALOGUE", ["labyrinth"])
    stored = [row for row in pars() if row["variant"] == "labyrinth"]
    file, out = tmp_path / "par.csv", StringIO()
    for count in ("1", "2"):
        call_command("measure_difficulty", "--pars", str(file), "--count", count, stdout=out)
    with file.open(newline="") as stream:
        found = list(csv.DictReader(stream))
    assert [{**row, "seconds": ""} for row in found] == [{**row, "seconds": ""} for row in stored[:2]]
    assert "(2 deals)" in out.getvalue()
    heading, first, second = file.read_text().splitlines()
    file.write_text(f"{heading}\n{second}\n")
    call_command("measure_difficulty", "--pars", str(file), "--count", "2", stdout=out)
    again = file.read_text().splitlines()
    assert (again[:2], again[2].rpartition(",")[0]) == ([heading, second], first.rpartition(",")[0])


@pytest.mark.parametrize("way", ["--from-results", "--check=check.csv"])
def test_the_command_reports_a_missing_sample(tmp_path: Path, way: str) -> None:
    with pytest.raises(CommandError, match="No such file") as failed:
        call_command("measure_difficulty", way, "--file", str(tmp_path / "none.csv"))
    assert failed.value.returncode == 2


def pars() -> list[dict[str, str]]:
    with (DOCS / "par.csv").open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("variant", CATALOGUE)
def test_the_median_par_is_that_of_the_deals_measured(variant: str) -> None:
    of = [row for row in pars() if row["variant"] == variant]
    assert VARIANTS[variant].median_par == median(int(row["par"]) for row in of)


def test_every_grade_is_documented() -> None:
    text = (DOCS / "difficulty.md").read_text()
    assert all(f"| {number} | {name} |" in text for number, name in GRADES.items())


def test_a_real_certificate_wins_and_has_a_grade() -> None:
    budget = Budget(nodes=100_000)
    found = next(found for n in range(50) if (found := certify("labyrinth", bytes([n]) * 32, budget=budget)))
    assert replay(found.record).won
    assert found.figures is not None
    assert found.par == len(found.record.tokens) == found.figures.line
    assert found.grade in GRADES


def test_patience_shortens_the_line_but_not_the_grade() -> None:
    seed, budget = difficulty.sample_seed("tarot", 2), Budget(nodes=300_000)  # won in few positions
    quick, patient = (certify("tarot", seed, budget=budget, patience=patience) for patience in (0, 500))
    assert quick is not None
    assert patient is not None
    assert patient.par < 0.9 * quick.par
    assert (patient.grade, patient.figures) == (quick.grade, quick.figures)


def test_a_deal_that_cannot_be_won_gets_no_certificate() -> None:
    assert certify("stonewall", bytes(32), budget=Budget(nodes=100_000)) is None


def test_grade_and_par_are_shown_once_the_deal_is_open(db: None, client: Client, settings: Any) -> None:
    settings.SEALED_STOCK, settings.DEAL_PATIENCE = 1, 90
    seal_deal("braid", grade=5)
    today = timezone.now().date()
    client.cookies[RANKED_COOKIE] = "1"
    page = client.get("/").content.decode()
    par = len(won_records("braid")[0].tokens)
    assert "Fiendish" in page
    assert f"about {round(4 * par / 60)} min" in " ".join(page.split())
    assert page.count("Coming soon") == len(CATALOGUE) - 1
    deal_page = client.get(f"/deals/{today}/braid/").content.decode()
    assert "fiendish" in deal_page
    assert str(par) in deal_page
    assert client.get("/play/braid/").status_code == 200
    waiting = client.get("/play/plot/")
    assert (waiting.status_code, waiting["Retry-After"]) == (503, "3")
    assert client.post("/play/plot/start").status_code == 302
    assert client.get("/play/patience/").status_code == 404
    shown = client.get(f"/api/v1/deals/{Deal.objects.get().pk}").json()
    assert (shown["proven"], shown["grade"], shown["par"], shown["solution"]) == (True, 5, par, None)


def test_moves_over_par_are_a_wins(db: None) -> None:
    seal_deal("stonewall")
    deal = next(d for d in publishing.ensure_deals(timezone.now().date(), ahead=0) if d.proven)

    class Entry:
        cards_up, tokens = 52, (deal.par or 0) + 7

    assert over_par(Entry(), deal) == "+7"
    Entry.cards_up = 51
    assert over_par(Entry(), deal) == ""
    Entry.cards_up, deal.par = 52, None
    assert over_par(Entry(), deal) == ""


def stored_check() -> list[Checked]:
    with (DOCS / "grade_check.csv").open(newline="") as stream:
        return [
            Checked(row["skill"], row["variant"], int(row["grade"]), int(row["games"]), int(row["wins"]))
            for row in csv.DictReader(stream)
        ]


def test_the_stored_check_covers_every_player_variant_and_grade() -> None:
    assert {(one.skill, one.variant, one.grade) for one in stored_check()} == {
        (skill, variant, grade) for skill in SKILLS for variant in CATALOGUE for grade in GRADES
    }
    assert sum(one.games for one in stored_check()) == len(SKILLS) * len(CATALOGUE) * 100 * grade_check.GAMES


def test_every_player_wins_less_at_each_higher_grade() -> None:
    assert failures(stored_check()) == []


def test_better_players_win_more_at_every_grade() -> None:
    poor, fair, good = (shares(stored_check(), skill) for skill in SKILLS)
    assert all(a < b < c for a, b, c in zip(poor, fair, good, strict=True))


@pytest.mark.parametrize(("variant", "grades"), [("labyrinth", GRADES), ("braid", [1])])
def test_the_stored_check_matches_todays_players(variant: str, grades: Collection[int]) -> None:
    """Uses the quickest deals, enough to notice a change of players, grades or sample."""
    sample = [deal for deal in measure_difficulty._read(DOCS / "difficulty.csv") if deal.variant == variant]
    found = totals((deal, try_deal(deal)) for deal in sample if deal.grade in grades)
    assert sorted(map(repr, found)) == sorted(
        repr(one) for one in stored_check() if one.variant == variant and one.grade in grades
    )


def test_a_player_who_wins_more_at_a_harder_grade_is_reported() -> None:
    rising = [Checked("good", "braid", grade, 10, grade) for grade in GRADES]
    falling = [Checked(skill, "braid", grade, 10, 6 - grade) for skill in ("poor", "fair") for grade in GRADES]
    assert failures([*rising, *falling]) == ["good"]


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
