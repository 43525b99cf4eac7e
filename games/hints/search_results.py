"""Cache of search results by position: won with a line, lost, or unknown after a budget.

The cards of a position are hashed with the game's options and the rules version, so an entry serves every game that
reaches the position, and no card is readable in the cache. An evicted entry only costs another search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, Self

from django.core.cache import cache

from games.hints.search_client import FULL
from games.models import Question
from games.rules import RULES_VERSION

SECONDS: Final = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class PositionVerdict:
    """The answer for a position, and the winning line if there is one."""

    answer: Question.Answer
    way: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: object) -> Self | None:
        """Read a cache entry; None for one that is missing, unreadable, or of a smaller budget."""
        answer, _, rest = text.partition(":") if isinstance(text, str) else ("", "", "")
        if answer not in Question.Answer or (answer == Question.Answer.UNKNOWN and rest != str(FULL)):
            return None
        return cls(Question.Answer(answer), tuple(rest.split()) if answer == Question.Answer.YES else ())

    def write(self) -> str:
        """Return the cache entry."""
        rest = {Question.Answer.YES: " ".join(self.way), Question.Answer.UNKNOWN: str(FULL)}
        return f"{self.answer.value}:{rest.get(self.answer, '')}"


def remember(position: str, verdict: PositionVerdict) -> None:
    """Cache a verdict for every game that reaches the position."""
    cache.set(_key(position), verdict.write(), SECONDS)


def recall(positions: Sequence[str]) -> list[PositionVerdict | None]:
    """Return the cached verdict of each position, or None."""
    keys = [_key(position) for position in positions]
    cached = cache.get_many(keys)
    return [PositionVerdict.read(cached.get(key)) for key in keys]


def _key(position: str) -> str:
    return f"hint-verdict:{RULES_VERSION}:{blake2b(position.encode(), digest_size=20).hexdigest()}"
