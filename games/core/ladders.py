"""Ladders of a daily deal. `leaderboards.boards.eligibility` decides on which of the two an attempt is ranked."""

from __future__ import annotations

from typing import Literal

from django.db import models
from django.utils.translation import gettext_lazy as _

LadderSlug = Literal["established", "newcomers"]
"""Ladder name in URLs and messages."""


class Ladder(models.IntegerChoices):
    """A ladder (docs/fairplay.md, Ladders)."""

    ESTABLISHED = 1, _("established")
    NEWCOMERS = 2, _("newcomers")

    @property
    def slug(self) -> LadderSlug:
        """The ladder's name in URLs and messages."""
        return "newcomers" if self == Ladder.NEWCOMERS else "established"
