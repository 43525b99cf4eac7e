"""Winnable deals without a search: winning games recorded for the rules' own tests, stored as sealed deals."""

from __future__ import annotations

from functools import cache
from typing import Any

from games.deals.certification import winning_record
from games.deals.difficulty import longest_par
from games.models import SealedDeal
from games.rules import CATALOGUE, RULES_VERSION, Record, open_table
from games.solver import shorten
from tests.rules.winning import winning_lines


@cache
def won(variant: str) -> tuple[Record, ...]:
    """Return winning records of a variant without undos, one per deal, all short enough for a daily deal."""
    return tuple(
        winning_record(variant, seed, _short(variant, seed, tokens)) for seed, tokens in winning_lines(variant)
    )


def _short(variant: str, seed: bytes, tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tokens if len(tokens) <= longest_par(variant) else shorten(open_table(variant, seed), tokens)


def seal(variant: str = "stonewall", index: int = 0, **fields: Any) -> SealedDeal:
    """Add a winnable deal of a variant to the stock; each `index` is another deal."""
    record = won(variant)[index]
    facts: dict[str, Any] = {"grade": 3, "random_wins": 0.0, "greedy_wins": 0.0, "nodes": 100, **fields}
    return SealedDeal.objects.create(
        variant=variant,
        rules_version=RULES_VERSION,
        seed=record.seed,
        solution=record.to_bytes(),
        par=len(record.tokens),
        **facts,
    )


def seal_all() -> None:
    for variant in CATALOGUE:
        seal(variant)
