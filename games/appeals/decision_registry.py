"""Interface from appeals to staff decisions about verdicts, which `leaderboards` settles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.contrib.auth.models import AbstractBaseUser

from games.core.registry import Provider
from games.models import Attempt

decider: Final = Provider[Callable[[int, Attempt.State, AbstractBaseUser, str], object]]()
"""Moves the attempt with this id to a state on a staff member's decision, with a reason; raises `Refusal` if it cannot
be decided this way.
"""
