"""Player statistics, computed from plain data: games played, games won, times and moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from games.core.streaks import streaks
from games.rules.races.ranking import Score


class VerifiedPlay(NamedTuple):
    """One verified game: a ranked attempt at the deal of ``variant`` and ``day``, or a game in a race of that day."""

    variant: str
    day: date
    won: bool
    cards_up: int
    elapsed_ms: int
    tokens: int
    par: int | None = None
    progress_ms: int | None = None

    @property
    def score(self) -> Score:
        """The result, as it ranks."""
        return Score("won" if self.won else "retired", self.cards_up, self.elapsed_ms, self.tokens, self.progress_ms)


@dataclass(frozen=True, slots=True)
class PlayerFigures:
    """Statistics over a set of plays; streaks are in days won.

    Best time and fewest moves count won games only, and are None without one.
    """

    played: int
    won: int
    best_ms: int | None
    fewest_moves: int | None
    streak: int
    longest_streak: int

    @property
    def win_rate(self) -> float | None:
        """Share of games won, 0 to 1; None if no game was played."""
        return self.won / self.played if self.played else None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics over all games together, and for each variant played: in ranked games and in races."""

    overall: PlayerFigures
    by_variant: dict[str, PlayerFigures]
    in_races: dict[str, PlayerFigures]


def figures(plays: Sequence[VerifiedPlay], today: date) -> PlayerFigures:
    """Compute the statistics of ``plays`` as of ``today``."""
    wins = [play for play in plays if play.won]
    found = streaks({play.day for play in wins}, today)
    return PlayerFigures(
        played=len(plays),
        won=len(wins),
        best_ms=min((play.elapsed_ms for play in wins), default=None),
        fewest_moves=min((play.tokens for play in wins), default=None),
        streak=found.current,
        longest_streak=found.longest,
    )


def statistics(
    plays: Sequence[VerifiedPlay], today: date, order: Sequence[str] = (), raced: Sequence[VerifiedPlay] = ()
) -> Statistics:
    """Compute the statistics overall and by variant. Variants are sorted as in ``order``, then by name.

    Games ``raced`` count, but not towards streaks.
    """
    ranked = figures(plays, today)
    overall = figures([*plays, *raced], today)
    return Statistics(
        overall=replace(overall, streak=ranked.streak, longest_streak=ranked.longest_streak),
        by_variant=_by_variant(plays, today, order),
        in_races=_by_variant(raced, today, order),
    )


def _by_variant(plays: Iterable[VerifiedPlay], today: date, order: Sequence[str]) -> dict[str, PlayerFigures]:
    by_variant: dict[str, list[VerifiedPlay]] = {}
    for play in plays:
        by_variant.setdefault(play.variant, []).append(play)
    places = {name: place for place, name in enumerate(order)}
    names = sorted(by_variant, key=lambda name: (places.get(name, len(places)), name))
    return {name: figures(by_variant[name], today) for name in names}
