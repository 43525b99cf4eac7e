"""Results, standings and ratings changed concurrently on PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.running import run


@pytest.mark.services
@pytest.mark.xdist_group("postgresql")
def test_nothing_is_lost_or_deadlocked(migrated_postgres_url: str, tmp_path: Path) -> None:
    done = run(
        "-m", "tests.leaderboards.at_once",
        var=tmp_path, DATABASE_URL=migrated_postgres_url, DJANGO_SETTINGS_MODULE="config.settings",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ok ") == 7
