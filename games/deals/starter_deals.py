"""Starter deals: certified deals shipped with the code, so that an embedded site is playable from its first second.

Their seeds are public, so only the embedded site uses them (`STARTER_DEALS`), and only for a day that has begun while
the stock is empty; the ledger marks them. Some are numbered deals for practice. `manage.py make_starter_deals` writes
the file.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

from django.conf import settings

from games.deals import numbered_deals
from games.deals.certification import Certificate, winning_record
from games.deals.difficulty import GRADES
from games.models import Deal
from games.rules import CATALOGUE, RULES_VERSION, commitment

FILE: Final = Path(__file__).with_name("starter_deals.json")


@dataclass(frozen=True, slots=True)
class StarterDeal:
    """A shipped deal with its winning line; one for practice has a number instead of a random seed."""

    variant: str
    rules: int
    seed: bytes
    number: int | None
    grade: int
    line: tuple[str, ...]

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Self:
        """Read a deal from its row in the file."""
        variant, number = row["variant"], row.get("number")
        seed = numbered_deals.seed_of(CATALOGUE[variant], number) if number else bytes.fromhex(row["seed"])
        return cls(variant, row["rules"], seed, number, row["grade"], tuple(row["line"].split()))

    def to_json(self) -> dict[str, Any]:
        """Return the deal's row in the file."""
        source = {"number": self.number} if self.number else {"seed": self.seed.hex()}
        return {
            "variant": self.variant,
            "rules": self.rules,
            "grade": self.grade,
            **source,
            "line": " ".join(self.line),
        }

    @property
    def certificate(self) -> Certificate:
        """The deal's certificate; the rules replay the line first."""
        return Certificate(winning_record(self.variant, self.seed, self.line), None, self.grade)


@cache
def shipped() -> tuple[StarterDeal, ...]:
    """Read the starter deals of the current rules."""
    rows = map(StarterDeal.from_json, json.loads(FILE.read_text()))
    return tuple(deal for deal in rows if deal.rules == RULES_VERSION and deal.variant in CATALOGUE)


def for_day(variant: str, grade: int) -> Certificate | None:
    """Return an unused daily deal of the nearest grade; None if there is none or starter deals are not allowed."""
    fresh = _unused(variant, for_practice=False)
    secrets.SystemRandom().shuffle(fresh)
    nearest = min(fresh, key=lambda deal: abs(deal.grade - grade), default=None)
    return nearest.certificate if nearest else None


def for_practice(variant: str, grade: int | None = None, *, hardest: int = max(GRADES)) -> Certificate | None:
    """Return an unused practice deal, of `grade` if given; None if there is none or starter deals are not allowed."""
    unused = _unused(variant, for_practice=True)
    fresh = [deal for deal in unused if grade in {None, deal.grade} and deal.grade <= hardest]
    return secrets.choice(fresh).certificate if fresh else None


def _unused(variant: str, *, for_practice: bool) -> list[StarterDeal]:
    if not settings.STARTER_DEALS:
        return []
    candidates = {
        commitment(deal.seed): deal
        for deal in shipped()
        if deal.variant == variant and (deal.number is not None) == for_practice
    }
    used = set(Deal.objects.filter(commitment__in=candidates).values_list("commitment", flat=True))
    return [deal for key, deal in candidates.items() if key not in used]
