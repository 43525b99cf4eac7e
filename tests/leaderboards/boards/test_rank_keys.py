from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboards.boards.rank_keys import DEAL, SEASON, BoardScore, KeyRangeError, Layout

deal_scores = st.builds(BoardScore, st.integers(0, 104), st.integers(0, 2**32 - 1), st.integers(0, 5_000))
season_scores = st.builds(BoardScore, st.integers(0, 10**6), st.integers(0, 2**46 - 1), st.integers(0, 2**36 - 1))
close_scores = st.builds(BoardScore, st.integers(0, 1), st.integers(5_000, 5_000 + 2**11), st.integers(0, 2))


def race(score: BoardScore) -> tuple[int, ...]:
    return -score.cards_up, score.elapsed_ms, score.tokens


def fewest(score: BoardScore) -> tuple[int, ...]:
    return -score.cards_up, score.tokens, score.elapsed_ms


@given(st.lists(deal_scores, min_size=2, max_size=20))
def test_keys_of_a_deal_sort_like_the_rules(scores: list[BoardScore]) -> None:
    assert sorted(scores, key=DEAL["race"].pack) == sorted(scores, key=race)
    assert sorted(scores, key=DEAL["fewest"].pack) == sorted(scores, key=fewest)


@given(st.lists(season_scores | close_scores, min_size=2, max_size=20))
def test_keys_and_ties_of_a_season_sort_like_the_rules(scores: list[BoardScore]) -> None:
    for layout, order in ((SEASON["race"], race), (SEASON["fewest"], fewest)):
        ties = [tie for tie in layout.ties if tie in BoardScore._fields]
        placed = sorted(scores, key=lambda s: (layout.pack(s), *(getattr(s, tie) for tie in ties)))
        assert placed == sorted(scores, key=order)


def test_keys_of_a_season_hold_a_lifetime_of_play() -> None:
    deals = 100 * 366 * 20
    for layout in SEASON.values():
        layout.pack(BoardScore(deals * 104, deals * 25 * 3_600_000, deals * 5_000))


@pytest.mark.parametrize(
    "score",
    [
        BoardScore(-1, 0, 0),
        BoardScore(128, 0, 0),
        BoardScore(0, 2**32, 0),
        BoardScore(0, 0, 2**13),
        BoardScore(0, -1, 0),
    ],
)
def test_a_score_that_does_not_fit_is_refused(score: BoardScore) -> None:
    for layout in DEAL.values():
        with pytest.raises(KeyRangeError):
            layout.pack(score)


@pytest.mark.parametrize(
    "layout", [*DEAL.values(), *SEASON.values()], ids=lambda layout: f"{layout.cards_bits}-{layout.key}"
)
def test_keys_fit_a_signed_column_with_finer_levels(layout: Layout) -> None:
    assert layout.cards_bits + sum(field.bits for field in layout.fields) <= 63
    assert list(layout.shifts) == sorted(layout.shifts, reverse=True)
    assert layout.ties[-1] == "id"
