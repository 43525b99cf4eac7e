"""Results that stood before there were ladders are given theirs."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from pytest_django import Settings

from games.ladders import Ladder
from games.models import Attempt
from leaderboards import boards, histogram, seasons
from leaderboards.keys import Score
from leaderboards.listings import deal_listings
from leaderboards.models import Recount, Result
from tests.leaderboards import factory, playing_before
from tests.leaderboards.factory import DAY
from tests.leaderboards.playing_before import ONE_DAY, OPENED

attempt_ladders: Any = import_module("leaderboards.migrations.0004_attempt_ladders")
result_ladders: Any = import_module("leaderboards.migrations.0005_result_ladders")
pytestmark = pytest.mark.django_db


def migrate() -> None:
    """What the two migrations do with rows, which they find as they were: without a ladder."""
    Attempt.objects.update(ladder=None)
    editor = SimpleNamespace(connection=connection)
    attempt_ladders.decide(apps, editor)
    result_ladders.divide(apps, editor)


def days(who: Any, variants: dict[str, tuple[int, ...]]) -> None:
    """A result of this player on each of these days before `DAY`."""
    for variant, before in variants.items():
        for day in before:
            factory.listed(playing_before.deal(variant, day), Score(5, 1_000, 10), who=who)


def ladders(who: Any) -> list[int]:
    """The ladders of the player's results, earliest deal first; the attempts have the same."""
    rows = list(Result.objects.filter(player=who).order_by("deal__day", "id").values_list("ladder", "attempt__ladder"))
    assert all(result == attempt for result, attempt in rows)
    return [result for result, _ in rows]


def test_results_that_stand_are_divided_by_the_rule(settings: Settings) -> None:
    settings.LADDERS = True
    old, late, former = (playing_before.player() for _ in range(3))
    late.date_joined = OPENED - timedelta(hours=20)
    late.save()
    former.deleted_at = former.date_joined = OPENED + ONE_DAY
    former.save()
    for who in (old, late, former):
        days(who, {"stonewall": (3, 2, 1, 0), "plot": (2,)})
    rejected = playing_before.verified(old, factory.deal("braid"), state=Attempt.State.REJECTED)
    seasons.recount_marked()
    migrate()
    established, newcomers = Ladder.ESTABLISHED, Ladder.NEWCOMERS
    assert ladders(old) == ladders(former) == [newcomers] * 3 + [established] * 2
    assert ladders(late) == [newcomers] * 4 + [established]
    rejected.refresh_from_db()
    assert rejected.ladder == established
    for deal in {result.deal for result in Result.objects.select_related("deal")}:
        assert [fault for listing in deal_listings(deal.pk) for fault in histogram.faults(listing)] == []
    assert Recount.objects.filter(player=old).count() == 2  # of the two days of newcomers
    seasons.recount_marked()
    shown = seasons.page(seasons.season("all", DAY)).entries
    assert {entry.player: entry.deals for entry in shown} == {
        old.public_id: 2, late.public_id: 1, former.public_id: 2,
    }  # fmt: skip


def test_with_the_rule_off_all_of_them_are_established() -> None:
    who = factory.player()
    days(who, {"stonewall": (1, 0)})
    migrate()
    assert ladders(who) == [Ladder.ESTABLISHED] * 2
    assert boards.rank_of(Result.objects.filter(player=who)[0].deal, "race", who) == 1
