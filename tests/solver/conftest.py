"""Solver test settings: ``SOLVER_DEALS=1000 pytest tests/solver`` solves 1,000 deals per variant instead of a few."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep solver tests in one worker unless a file says otherwise, so that changed searches compile only once."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group("solver"))


@pytest.fixture
def deals_a_variant() -> int:
    return int(os.environ.get("SOLVER_DEALS", "30"))
