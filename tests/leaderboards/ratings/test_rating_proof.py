"""`manage.py rerate` finds and repairs tampered ratings."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from leaderboards.models import RatedRace, Rating, RatingChange
from leaderboards.ratings import rating_reconciler
from tests.leaderboards import raced
from tests.leaderboards.factory import NOON, player

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated() -> list[Any]:
    players = [player() for _ in range(6)]
    raced.history(players, 25, seed=8)
    rating_reconciler.rate_finished()
    return players


def rerate(*options: str) -> int:
    try:
        call_command("rerate", "--no-progress", *options)
    except SystemExit as ended:
        return int(str(ended.code))
    return 0


def test_valid_ratings_are_unchanged(rated: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    before = raced.changes(), raced.ratings()
    assert rerate("--check") == rerate() == 0
    assert "25 races, 0 differences" in capsys.readouterr().out
    assert rerate("--from-scratch") == 0
    assert (raced.changes(), raced.ratings()) == before


def tamper_with_a_change() -> str:
    row = RatingChange.objects.order_by("finished_at")[5]
    RatingChange.objects.filter(pk=row.pk).update(mu_after=row.mu_after + 1e-5)
    return f"entrant {row.entrant_id}: mu_after is"


def tamper_with_a_rating() -> str:
    row = Rating.objects.all()[0]
    Rating.objects.filter(pk=row.pk).update(sigma=1)
    return f"player {row.pk}: rating is {row.mu} ± 1.0"


def lose_a_change() -> str:
    row = RatingChange.objects.order_by("finished_at")[3]
    row.delete()
    return f"entrant {row.entrant_id}: the change is missing"


def lose_a_rating() -> str:
    row = Rating.objects.all()[0]
    Rating.objects.filter(pk=row.pk).delete()
    return "rating is missing"


def forget_a_race() -> str:
    race = RatedRace.objects.all()[0].pk
    RatedRace.objects.filter(pk=race).delete()
    return f"race {race}: not rated yet"


def decide_behind_its_back() -> str:
    row = RatingChange.objects.filter(rank__lt=5).order_by("finished_at")[0]
    row.entrant.state = raced.State.DISQUALIFIED
    row.entrant.save(update_fields=["state"])
    return f"entrant {row.entrant_id}: rank is {row.rank}, should be 99"


@pytest.mark.parametrize(
    "tamper",
    [tamper_with_a_change, tamper_with_a_rating, lose_a_change, lose_a_rating, forget_a_race, decide_behind_its_back],
)
def test_differences_are_listed_and_repaired(rated: list[Any], tamper: Any, capsys: pytest.CaptureFixture[str]) -> None:
    told = tamper()
    before = raced.changes(), raced.ratings()
    assert rerate("--check") == 1
    assert told in capsys.readouterr().out
    assert (raced.changes(), raced.ratings()) == before
    assert rerate() == 1
    assert rerate("--check") == 0


def test_changes_of_an_unrated_race_are_found(rated: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    row = RatingChange.objects.order_by("-finished_at", "-race_id")[0]
    row.race.rated = False
    row.race.save(update_fields=["rated"])
    assert rerate("--check") == 1
    assert "changes of races that are not rated" in capsys.readouterr().out


def test_without_races_there_is_nothing_to_do() -> None:
    assert rerate("--check") == rerate() == rerate("--from-scratch") == 0


def test_simultaneous_races_are_folded_by_number() -> None:
    one, two = player(), player()
    for _ in range(3):
        raced.race([one, two], at=NOON)
        rating_reconciler.rate_finished()
    assert rerate("--check") == 0
