"""Staff decisions about verdicts. Settling them is the boards' job, who register it (`LeaderboardsConfig.ready`)."""

from __future__ import annotations

from typing import Protocol

from django.contrib.auth.models import AbstractBaseUser

from games.models import Attempt


class Decide(Protocol):
    """Verifies or rejects an attempt on a staff member's decision."""

    def __call__(self, attempt_id: int, state: Attempt.State, staff: AbstractBaseUser, why: str = "") -> object:
        """Settle the attempt so.

        :raises Refusal: when it cannot be decided so.
        """


_registered: list[Decide] = []


def register(known: Decide) -> None:
    """Have this settle decisions from now on."""
    _registered[:] = [known]


def decide(attempt_id: int, state: Attempt.State, staff: AbstractBaseUser, why: str = "") -> object:
    """Verify or reject an attempt.

    :raises Refusal: when it cannot be decided so.
    """
    return _registered[0](attempt_id, state, staff, why)
