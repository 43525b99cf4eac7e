"""Tests of journal and attempts again on PostgreSQL, where the database decides races for a number."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.services
@pytest.mark.slow
def test_journal_and_attempts_on_postgresql(postgres_url: str, postgres_template: str, tmp_path: Path) -> None:
    """There, the journal is partitioned. The settings choose the database, so the tests run in a new process."""
    chosen = [f"tests/games/live/test_{name}.py" for name in ("journal", "play", "table_in_doubt", "pauses")]
    chosen += [
        "tests/games/attempts/journal_partitions.py",
        "tests/games/attempts/test_attempts.py",
        "tests/games/db/test_hot_queries.py",
        "tests/games/pages/shared/test_statements.py",
        "tests/games/test_housekeeping.py",
        "tests/accounts/test_housekeeping.py",
    ]
    whole = ["journal", "attempts", "hot_queries", "statements", "table_in_doubt", "pauses"]
    wanted = [
        *(f"test_{name}" for name in whole),
        "journal_partitions",
        "two_processes",
        "missed_every_notice",
        "two_tabs",
        "resigning",
        "no_batch_exceeds",
        "expired",
    ]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", *chosen, "-q", "-x", "-rs", "-p", "no:cacheprovider"),
            *("-k", " or ".join(wanted), f"--basetemp={tmp_path}/nested"),
        ],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": postgres_url,
            "TEST_TEMPLATE": postgres_template,
            "VAR_DIR": str(tmp_path),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
    assert "journal_partitions" not in done.stdout, "skipped"
