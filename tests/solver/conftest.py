"""Randomness for the tests of proofs, which hold in every position."""

from __future__ import annotations

import random

import pytest


@pytest.fixture
def chance() -> random.Random:
    """Random numbers that differ from run to run; `--randomly-seed` repeats an earlier run."""
    return random.Random(random.getrandbits(64))
