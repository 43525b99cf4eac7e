"""The same player, room, deal or result from several sides at one moment, on PostgreSQL; moves also on SQLite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.running import run


@pytest.mark.services
@pytest.mark.parametrize(
    ("app", "scenes"),
    [("accounts", 5), ("leaderboards", 7), ("games.races", 10), ("games.deals", 1), ("games.puzzles", 10)],
)
def test_nothing_is_lost_doubled_or_locked_up(
    app: str, scenes: int, migrated_postgres_url: str, tmp_path: Path
) -> None:
    run_scenes(app, scenes, tmp_path, DATABASE_URL=migrated_postgres_url)


def test_puzzle_moves_count_once_on_sqlite(migrated_var: Path) -> None:
    """In few rounds: transactions there follow one another."""
    run_scenes("games.puzzles", 10, migrated_var, rounds=4)


def run_scenes(app: str, scenes: int, var: Path, *, rounds: int = 0, **settings: str) -> None:
    fewer = f"at_once.ROUNDS = {rounds}; " if rounds else ""
    program = f"import django; django.setup(); from tests.{app} import at_once; {fewer}at_once.main()"
    done = run("-c", program, var=var, DJANGO_SETTINGS_MODULE="config.settings", **settings)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ok ") == scenes
