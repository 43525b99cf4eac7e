"""A process is full by what is measured, and 0 turns a measure off."""

from __future__ import annotations

import pytest

from config.pressure import FLOOD, Limits, Pressure


def pressed(limits: Limits, requests: int = 0, sockets: int = 0, late: float = 0.0) -> bool:
    pressure = Pressure(limits, lambda: requests, lambda: sockets)
    pressure.note(late, 60.0)
    return pressure.is_full


@pytest.mark.parametrize(
    ("limits", "below", "at"),
    [
        (Limits(0, 8, 0), {"requests": 7, "sockets": 99, "late": 9.0}, {"requests": 8}),
        (Limits(0, 0, 8), {"requests": 99, "sockets": 7, "late": 9.0}, {"sockets": 8}),
        (Limits(0.05, 0, 0), {"requests": 99, "sockets": 99, "late": 0.04}, {"late": 0.06}),
    ],
)
def test_each_limit_counts_by_itself(limits: Limits, below: dict[str, float], at: dict[str, float]) -> None:
    assert not pressed(limits, **below)  # type: ignore[arg-type]
    assert pressed(limits, **at)  # type: ignore[arg-type]


def test_without_limits_it_is_never_full() -> None:
    assert not pressed(Limits(0, 0, 0), 10**6, 10**6, 60.0)


def test_one_pause_is_no_rush_and_a_late_second_is() -> None:
    pressure = Pressure(Limits(0.05, 0, 0), lambda: 0, lambda: 0)
    pressure.note(0.1, 0.2)
    assert not pressure.is_full
    for _ in range(10):
        pressure.note(0.1, 0.2)
    assert pressure.is_full
    for _ in range(20):
        pressure.note(0.0, 0.1)
    assert not pressure.is_full


def test_some_requests_together_are_no_rush_unless_they_last_or_are_a_flood() -> None:
    requests = 20
    pressure = Pressure(Limits(0, 8, 0), lambda: requests, lambda: 0)
    pressure.note(0.0, 0.1)
    assert not pressure.is_full
    for _ in range(10):
        pressure.note(0.0, 0.1)
    assert pressure.is_full
    requests = 0
    for _ in range(10):
        pressure.note(0.0, 0.1)
    assert not pressure.is_full
    requests = 8 * FLOOD
    assert pressure.is_full
