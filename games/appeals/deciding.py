"""Registry for staff decisions about verdicts. `leaderboards` registers the function that settles them
(`LeaderboardsConfig.ready`).
"""

from __future__ import annotations

from typing import Protocol

from django.contrib.auth.models import AbstractBaseUser

from games.models import Attempt


class Decide(Protocol):
    """Callback that verifies or rejects an attempt on a staff member's decision."""

    def __call__(self, attempt_id: int, state: Attempt.State, staff: AbstractBaseUser, why: str = "") -> object:
        """Move the attempt to `state`.

        :raises Refusal: if the attempt cannot be decided this way.
        """


_registered: list[Decide] = []


def register(known: Decide) -> None:
    """Use this callback for all later decisions."""
    _registered[:] = [known]


def decide(attempt_id: int, state: Attempt.State, staff: AbstractBaseUser, why: str = "") -> object:
    """Verify or reject an attempt.

    :raises Refusal: if the attempt cannot be decided this way.
    """
    return _registered[0](attempt_id, state, staff, why)
