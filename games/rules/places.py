"""The places of a race: winners by time, then fewer tokens; the others by cards up, time and tokens, as boards rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Outcome = Literal["won", "retired", "timed_out", "absent", "disqualified"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("won", "retired", "timed_out", "absent", "disqualified")
"""How a race can end for somebody who had a seat when it started."""
UNRANKED: Final = ("absent", "disqualified")
"""The outcomes whose figures decide no place."""


@dataclass(frozen=True, slots=True)
class Score:
    """How a race ended for one entrant.

    The figures are those of the replayed record, `elapsed_ms` in milliseconds; None when nobody can read one any more.
    They count only if the score is `ranked`.
    """

    outcome: Outcome
    cards_up: int | None = None
    elapsed_ms: int | None = None
    tokens: int | None = None

    @property
    def ranked(self) -> bool:
        """Whether the figures decide the place: neither absent nor disqualified."""
        return self.outcome not in UNRANKED

    @property
    def key(self) -> tuple[int, ...]:
        """Sorts scores as they are placed; equal keys share a place. A winner has all cards up."""
        if not self.ranked:
            return (3,)
        if self.cards_up is None or self.elapsed_ms is None or self.tokens is None:
            return (2,)
        return (0 if self.outcome == "won" else 1, -self.cards_up, self.elapsed_ms, self.tokens)


def places(scores: Sequence[Score]) -> list[int | None]:
    """The place of each score, counted from 1.

    Equal scores share a place, and the next place is as many further on. Behind those with figures come those without,
    and then the disqualified, who share the last place. The absent have none.
    """
    keys = sorted(score.key for score in scores)  # the absent come last, and so move nobody
    first = {key: place for place, key in reversed(list(enumerate(keys, 1)))}
    return [None if score.outcome == "absent" else first[score.key] for score in scores]
