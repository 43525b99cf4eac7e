"""Cache of search results by position: won with a line, lost, or unknown after a budget.

The cards of a position are hashed with the game's options and the rules version, so an entry serves every game that
reaches the position, and no card is readable in the cache. An evicted entry only costs another search.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from django.core.cache import cache

from games.hints.position_search import FULL, PositionVerdict
from games.models import Question
from games.rules import RULES_VERSION

SECONDS: Final = 7 * 24 * 3600


def remember(position: str, verdict: PositionVerdict) -> None:
    """Cache a verdict for every game that reaches the position."""
    cache.set(_key(position), (str(verdict.answer), verdict.way, str(FULL)), SECONDS)


def recall(positions: Sequence[str]) -> list[PositionVerdict | None]:
    """Return the cached verdict of each position; None without one, and for "unknown" after another budget."""
    keys = [_key(position) for position in positions]
    cached = cache.get_many(keys)
    return [_verdict(*cached[key]) if key in cached else None for key in keys]


def _verdict(answer: str, way: tuple[str, ...], budget: str) -> PositionVerdict | None:
    if answer == Question.Answer.UNKNOWN and budget != str(FULL):
        return None
    return PositionVerdict(answer, way)


def _key(position: str) -> str:
    return f"hint-verdict:2:{RULES_VERSION}:{blake2b(position.encode(), digest_size=20).hexdigest()}"
