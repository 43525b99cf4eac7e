"""On SQLite the journal is one table, and the partition tasks do nothing."""

from __future__ import annotations

from datetime import date, timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from games import tasks
from games.attempts import journal_partitions
from games.attempts.lifecycle import close_attempt, start_attempt
from games.models import Attempt, Move
from tests.deals import make_deal

migration: Any = import_module("games.migrations.0001_squashed")

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has the journal in partitions"),
]


def tables() -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name")
        found: list[tuple[Any, ...]] = cursor.fetchall()
        return found


def test_sqlite_has_one_table_and_deletes_its_rows(player: Any) -> None:
    before = tables()
    attempt = start_attempt(player, make_deal())
    Move.objects.create(attempt=attempt, n=1, token="d", ms=1)
    close_attempt(attempt.pk, "resigned")
    Attempt.objects.filter(pk=attempt.pk).update(finished_at=timezone.now() - timedelta(hours=2))
    tasks.begin_journal_day()
    tasks.drop_journal_days()
    assert not journal_partitions.begin_day(date(2026, 11, 20))
    assert journal_partitions.drop_days(timezone.now() + timedelta(days=9)) == 0
    assert journal_partitions.days() == []
    migration.partition(None, SimpleNamespace(connection=connection))
    assert tables() == before
    assert Move.objects.count() == 2
    tasks.close_due()
    assert not Move.objects.exists()
