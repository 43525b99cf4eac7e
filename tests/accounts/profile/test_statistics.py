"""A player's statistics, computed from plain data."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.profile.player_statistics import VerifiedPlay, figures, statistics

TODAY = date(2026, 3, 10)

plays = st.builds(
    VerifiedPlay,
    variant=st.sampled_from(["braid", "plot", "tarot"]),
    day=st.dates(TODAY - timedelta(days=40), TODAY),
    won=st.booleans(),
    cards_up=st.integers(0, 104),
    elapsed_ms=st.integers(0, 10**8),
    tokens=st.integers(0, 5000),
)


def play(
    *, won: bool = True, day: date = TODAY, variant: str = "braid", ms: int = 1000, tokens: int = 100
) -> VerifiedPlay:
    return VerifiedPlay(variant=variant, day=day, won=won, cards_up=104, elapsed_ms=ms, tokens=tokens)


def test_without_games() -> None:
    nothing = figures([], TODAY)
    assert (nothing.played, nothing.won, nothing.best_ms, nothing.fewest_moves) == (0, 0, None, None)
    assert nothing.win_rate is None


def test_best_time_and_fewest_moves_are_of_won_games() -> None:
    found = figures([play(ms=900, tokens=90), play(ms=800, tokens=95), play(won=False, ms=10, tokens=1)], TODAY)
    assert (found.played, found.won, found.best_ms, found.fewest_moves) == (3, 2, 800, 90)
    assert found.win_rate == pytest.approx(2 / 3)


def test_a_lost_deal_breaks_a_streak() -> None:
    yesterday = TODAY - timedelta(days=1)
    found = figures([play(day=yesterday), play(won=False)], TODAY)
    assert (found.streak, found.longest_streak) == (1, 1)


def test_the_overall_streak_counts_any_variant() -> None:
    yesterday = TODAY - timedelta(days=1)
    found = statistics([play(variant="plot"), play(variant="braid", day=yesterday)], TODAY)
    assert found.overall.streak == 2
    assert found.by_variant["plot"].streak == 1


def test_variants_are_in_catalogue_order() -> None:
    found = statistics([play(variant=name) for name in ("tarot", "old", "braid")], TODAY, ["braid", "tarot"])
    assert list(found.by_variant) == ["braid", "tarot", "old"]


@settings(deadline=None)
@given(st.lists(plays))
def test_variants_add_up_to_the_total(played: list[VerifiedPlay]) -> None:
    found = statistics(played, TODAY)
    assert found.overall.played == sum(f.played for f in found.by_variant.values()) == len(played)
    assert found.overall.won == sum(f.won for f in found.by_variant.values())
    bests = [f.best_ms for f in found.by_variant.values() if f.best_ms is not None]
    assert found.overall.best_ms == min(bests, default=None)


@settings(deadline=None)
@given(st.lists(plays), st.randoms())
def test_the_order_of_plays_does_not_matter(played: list[VerifiedPlay], random: object) -> None:
    shuffled = list(played)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert statistics(shuffled, TODAY).overall == statistics(played, TODAY).overall
