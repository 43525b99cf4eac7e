"""Interface from appeals to staff decisions about verdicts, which `leaderboards` settles."""

from __future__ import annotations

from typing import Final, Protocol

from django.contrib.auth.models import AbstractBaseUser

from games.core.registry import Provider
from games.models import Attempt


class Decide(Protocol):
    """Callback that verifies or rejects an attempt on a staff member's decision."""

    def __call__(self, attempt_id: int, state: Attempt.State, staff: AbstractBaseUser, why: str = "") -> object:
        """Move the attempt to `state`.

        :raises Refusal: if the attempt cannot be decided this way.
        """


decider: Final = Provider[Decide]()
