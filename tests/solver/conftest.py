"""``SOLVER_DEALS=1000 pytest tests/solver`` solves so many deals of each variant instead of a few."""

from __future__ import annotations

import os

import pytest


@pytest.fixture
def deals_a_variant() -> int:
    return int(os.environ.get("SOLVER_DEALS", "30"))
