"""Randomness for the tests of proofs, which hold in every position."""

from __future__ import annotations

import random

import pytest


@pytest.fixture
def chance() -> random.Random:
    """Other positions in every run; `--randomly-seed` repeats those of an earlier run."""
    return random.Random(random.getrandbits(64))
