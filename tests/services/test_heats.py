"""A scheduled race by presence, on real processes: who sleeps through the roll call is absent, and no one else."""

from __future__ import annotations

import pytest

from tests.services.soak.attendance import AttendedHeat
from tests.services.stack import Stack

pytestmark = [pytest.mark.services, pytest.mark.slow]


def test_the_players_present_race_and_no_one_else(stack: Stack, request: pytest.FixtureRequest) -> None:
    attempt = getattr(request.node, "execution_count", 1)  # a rerun of the test needs another deal
    attended = AttendedHeat(stack, 24, attempt).hold()
    assert attended.faults == []
    assert attended.sizes == [10, 10]
    assert attended.tokens > 0
