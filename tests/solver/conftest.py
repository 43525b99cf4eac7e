"""Solver test settings: ``SOLVER_DEALS=1000 pytest tests/solver`` solves 1,000 deals per variant instead of a few."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def deals_a_variant() -> int:
    return int(os.environ.get("SOLVER_DEALS", "30"))
