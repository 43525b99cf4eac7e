"""Ranking of results: winners by time, then fewer tokens; the others by cards up, progress time, then more tokens.

Races and leaderboards share this order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Outcome = Literal["won", "retired", "timed_out", "absent", "disqualified"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("won", "retired", "timed_out", "absent", "disqualified")
"""The possible outcomes of an entrant who had a seat at the start."""
UNRANKED: Final = ("absent", "disqualified")
"""Outcomes that are placed regardless of the figures."""


@dataclass(frozen=True, slots=True)
class Score:
    """One player's result.

    The figures come from the replayed record, times in milliseconds; None if no record can be read any more. They count
    only if the score is `ranked`. A result that was stored without its progress time is placed by time and fewer tokens
    among those with as many cards up.
    """

    outcome: Outcome
    cards_up: int | None = None
    elapsed_ms: int | None = None
    tokens: int | None = None
    progress_ms: int | None = None

    @property
    def ranked(self) -> bool:
        """True if the figures decide the place: the entrant is neither absent nor disqualified."""
        return self.outcome not in UNRANKED

    @property
    def key(self) -> tuple[int, ...]:
        """Sort key in order of place; equal keys share a place."""
        if not self.ranked:
            return (3,)
        if self.cards_up is None or self.elapsed_ms is None or self.tokens is None:
            return (2,)
        if self.outcome == "won":
            return (0, self.elapsed_ms, self.tokens)
        if self.progress_ms is None:
            return (1, -self.cards_up, self.elapsed_ms, self.tokens)
        return (1, -self.cards_up, self.progress_ms, -self.tokens)


def places(scores: Sequence[Score]) -> list[int | None]:
    """Return the place of each score, counted from 1.

    Equal scores share a place, and the next place skips as many. Scores without figures come after those with figures,
    followed by the disqualified, who share the last place. Absent entrants have no place.
    """
    keys = sorted(score.key for score in scores)  # absent entrants sort last and shift no other place
    first = {key: place for place, key in reversed(list(enumerate(keys, 1)))}
    return [None if score.outcome == "absent" else first[score.key] for score in scores]
