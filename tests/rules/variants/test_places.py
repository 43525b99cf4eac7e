"""Places of a race."""

from __future__ import annotations

import random

from games.rules.races.ranking import OUTCOMES, Score, places


def test_winners_come_first_by_time_then_by_tokens() -> None:
    scores = [
        Score("won", 52, 900, 70),
        Score("won", 52, 800, 90),
        Score("won", 52, 800, 80),
        Score("retired", 51, 1, 1),
    ]
    assert places(scores) == [3, 2, 1, 4]


def test_others_are_placed_by_cards_time_and_tokens() -> None:
    scores = [
        Score("timed_out", 30, 900, 10),
        Score("retired", 30, 100, 12),
        Score("retired", 30, 100, 11),
        Score("timed_out", 31, 900, 99),
    ]
    assert places(scores) == [4, 3, 2, 1]


def test_equal_scores_share_a_place_and_skip_the_next() -> None:
    scores = [Score("won", 52, 5, 5), Score("won", 52, 5, 5), Score("timed_out", 9, 9, 9), Score("retired", 9, 9, 9)]
    assert places([*scores, Score("retired", 8, 1, 1)]) == [1, 1, 3, 3, 5]


def test_the_disqualified_are_last_and_the_absent_unplaced() -> None:
    scores = [Score("disqualified", 52, 1, 1), Score("absent"), Score("retired", 0, 0, 0), Score("disqualified")]
    assert places(scores) == [2, None, 1, 2]
    assert places([Score("absent")]) == [None]
    assert places([Score("disqualified")]) == [1]
    assert places([]) == []


def test_missing_figures_rank_just_before_the_disqualified() -> None:
    assert places([Score("disqualified"), Score("timed_out"), Score("retired", 0, 9, 9), Score("won")]) == [4, 2, 1, 2]


def test_places_do_not_depend_on_the_entrants_order() -> None:
    dice = random.Random(7)
    for _ in range(300):
        scores = [
            Score(dice.choice(OUTCOMES), dice.randrange(3), dice.randrange(3), dice.randrange(3))
            for _ in range(dice.randrange(1, 17))
        ]
        found = dict(zip(scores, places(scores), strict=True))
        mixed = dice.sample(scores, len(scores))
        assert places(mixed) == [found[score] for score in mixed]
        placed = sorted(place for place in places(scores) if place is not None)
        assert all(place <= at for at, place in enumerate(placed, 1))
