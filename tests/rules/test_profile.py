"""Hypothesis profile: the property tests try new examples in every run, and more of them on request."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rules.profile import examples


def test_the_number_of_examples_can_be_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXAMPLES", raising=False)
    assert examples(12).max_examples == 12
    monkeypatch.setenv("EXAMPLES", "4")
    assert examples(12).max_examples == 48


def test_examples_are_new_but_reproducible() -> None:
    used = examples(12)
    assert not used.derandomize
    assert used.print_blob
    assert settings().derandomize is False


@given(number=st.integers(0, 2**64))
@settings(max_examples=5, database=None)
def test_numbers_are_shown(number: int) -> None:
    print("drawn", number)


def test_two_runs_in_ci_differ(tmp_path: Path) -> None:
    options = ["-q", "-s", "-p", "no:randomly", f"--basetemp={tmp_path}/nested"]
    command = [sys.executable, "-m", "pytest", *options, f"{__file__}::test_numbers_are_shown"]
    runs = [
        subprocess.run(command, env={**os.environ, "CI": "true"}, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    drawn = [{line for line in run.splitlines() if "drawn" in line} for run in runs]
    assert drawn[0]
    assert drawn[0] != drawn[1]
