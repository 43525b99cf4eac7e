"""The two ladders of a daily deal. Which one an attempt is ranked on is decided by `leaderboards.eligibility`."""

from __future__ import annotations

from typing import Literal

from django.db import models
from django.utils.translation import gettext_lazy as _

LadderSlug = Literal["established", "newcomers"]
"""A ladder's name in addresses and messages."""


class Ladder(models.IntegerChoices):
    """A ladder (docs/fairplay.md, Ladders)."""

    ESTABLISHED = 1, _("established")
    NEWCOMERS = 2, _("newcomers")

    @property
    def slug(self) -> LadderSlug:
        """The name of the ladder in addresses and messages."""
        return "newcomers" if self == Ladder.NEWCOMERS else "established"
