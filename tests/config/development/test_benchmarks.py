"""Benchmarks: each starts, and a missed target is an exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MODULES = {path.stem: path.read_text() for path in sorted((ROOT / "benchmarks").glob("*.py"))}
NAMES = [name for name, text in MODULES.items() if '"__main__"' in text and not name.endswith("_parts")]
#: The benchmark of the rules with one variant, one game and one round.
SMALL = "import sys; from benchmarks import rules; rules.CATALOGUE = ['labyrinth']; rules.GAMES = rules.ROUNDS = 1; "


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, check=False, capture_output=True, text=True
    )


@pytest.mark.parametrize("name", NAMES)
def test_each_benchmark_starts(name: str) -> None:
    has_options = "ArgumentParser" in MODULES[name]
    done = run("-m", f"benchmarks.{name}", "--help") if has_options else run("-c", f"import benchmarks.{name}")
    assert done.returncode == 0, done.stderr


def test_a_missed_target_exits_with_1() -> None:
    done = run("-c", SMALL + "rules.MOVES_AIM = 1e9; sys.exit(rules.main())")
    assert done.returncode == 1, done.stderr
    assert "MISSED" in done.stdout
