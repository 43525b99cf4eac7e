"""The migration that marks the last month's games as really played."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from games.models import Attempt
from tests.games.certified import won
from tests.leaderboards import factory

pytestmark = pytest.mark.django_db


def test_recent_games_really_played_are_marked() -> None:
    migration: Any = import_module("games.migrations.0006_mark_real_play")
    (line, *_), today = won("labyrinth"), timezone.now()
    deal = factory.deal("labyrinth", seed=line.seed)
    half = factory.record_of(deal, line.tokens[: len(line.tokens) // 2])
    games = {
        "half": factory.finished(deal, record=half),
        "resigned": factory.finished(factory.deal()),
        "old": factory.finished(deal, record=half),
    }
    Attempt.objects.update(state=Attempt.State.VERIFIED, finished_at=today)
    Attempt.objects.filter(pk=games["old"].pk).update(finished_at=today - timedelta(days=40))
    migration.mark_real_play(apps, None)
    marked = set(Attempt.objects.filter(real_play=True).values_list("pk", flat=True))
    assert marked == {games["half"].pk}
