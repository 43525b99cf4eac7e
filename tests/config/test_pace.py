"""Those who wait go in at a pace that grows with time to spare and falls without."""

from __future__ import annotations

from config.pace import AT_ONCE, FIRST, LEAST, Pace


def go_in(pace: Pace, seconds: float, *, wanted: int = 1_000, is_full: bool = False) -> int:
    """How many of those who want to go in meanwhile."""
    count = 0
    for _ in range(round(seconds * 10)):
        pace.note(is_full=is_full, elapsed=0.1)
        while count < wanted and pace.take():
            count += 1
    return count


def test_only_some_go_in_at_once() -> None:
    pace = Pace()
    assert sum(pace.take() for _ in range(1_000)) == AT_ONCE


def test_the_longer_there_is_time_the_more_go_in() -> None:
    pace = Pace()
    seconds = [go_in(pace, 1.0) for _ in range(60)]
    assert FIRST <= seconds[0] <= FIRST + AT_ONCE
    assert seconds[59] > seconds[30] > 2 * seconds[1]


def test_nobody_goes_in_while_it_is_full_and_fewer_afterwards() -> None:
    pace = Pace()
    go_in(pace, 30.0)
    before = go_in(pace, 1.0)
    assert go_in(pace, 2.0, is_full=True) == 0
    assert go_in(pace, 1.0) < before / 2


def test_it_goes_on_after_any_time_without_room() -> None:
    pace = Pace()
    assert go_in(pace, 3_600.0, is_full=True) == 0
    assert pace.rate == LEAST
    assert go_in(pace, 10 / LEAST) > 10


def test_the_pace_does_not_grow_while_few_want_to_go_in() -> None:
    pace = Pace()
    go_in(pace, 600.0, wanted=10)
    assert pace.rate <= FIRST + 1
