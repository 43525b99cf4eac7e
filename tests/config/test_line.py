"""The line is in order of arrival, whoever asks first and most often; who stays away holds up nobody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config import line
from config.line import COUNTED, FRONT, MISSED, SPARE, Line, pause_at
from games.admission import Ticket


def ticket(arrived: int) -> Ticket:
    return Ticket(arrived, f"holder {arrived}")


def line_of(*arrived: int, now: float = 0.0) -> Line:
    made = Line()
    for moment in arrived:
        made.show(ticket(moment), now)
    return made


@given(st.permutations(range(12)))
def test_places_are_by_arrival_in_whatever_order_tickets_are_shown(shown: list[int]) -> None:
    made = line_of(*shown)
    assert [made.show(ticket(arrived), 0.0) for arrived in range(12)] == list(range(1, 13))
    assert len(made) == 12


def test_a_ticket_shown_twice_has_one_place() -> None:
    made = line_of(1, 2, 2, 2)
    assert len(made) == 2
    assert made.show(ticket(3), 0.0) == 3


def test_who_comes_again_early_gains_nothing() -> None:
    made = line_of(*range(50))
    for _ in range(100):
        assert made.show(ticket(49), 0.0) == 50


def test_others_move_up_when_one_goes_in() -> None:
    made = line_of(1, 2, 3)
    made.let_in(ticket(1), 0.0)
    assert [made.show(ticket(arrived), 0.0) for arrived in (2, 3)] == [1, 2]


def test_who_stays_away_is_not_waited_for() -> None:
    made = line_of(1, 2)
    away_after = MISSED * pause_at(1) + SPARE
    made.show(ticket(2), away_after)
    made.forget_absent(away_after + 0.5)
    assert made.show(ticket(2), away_after + 0.5) == 1
    assert len(made) == 1


@given(st.permutations(range(12)))
def test_only_those_who_have_come_again_are_waited_for(shown: list[int]) -> None:
    made = line_of(*range(12))
    assert not made.is_waited_in
    for count, arrived in enumerate(shown):
        before = sum(other < arrived for other in shown[:count])
        assert made.come_again(ticket(arrived), 0.0) == before
        assert made.come_again(ticket(arrived), 0.0) == before
    assert made.is_waited_in


def test_nobody_is_waited_for_who_is_in_or_stays_away() -> None:
    made = line_of(1, 2, 3)
    for arrived in (1, 2):
        made.come_again(ticket(arrived), 0.0)
    made.let_in(ticket(1), 0.0)
    made.let_in(ticket(3), 0.0)
    assert made.come_again(ticket(2), 0.0) == 0
    made.forget_absent(1e6)
    assert not made.is_waited_in


def test_who_comes_back_has_the_old_place() -> None:
    made = line_of(1, 2)
    made.forget_absent(1e6)
    assert len(made) == 0
    made.show(ticket(2), 1e6)
    assert made.show(ticket(1), 1e6) == 1


def test_a_line_of_another_process_has_the_same_order() -> None:
    here, there = line_of(3, 1, 2), line_of(2, 3)
    assert here.show(ticket(1), 0.0) < here.show(ticket(2), 0.0) < here.show(ticket(3), 0.0)
    assert there.show(ticket(1), 0.0) == 1


def test_whoever_is_let_in_without_being_known_changes_no_place() -> None:
    made = line_of(1, 2)
    made.let_in(ticket(0), 0.0)
    assert made.show(ticket(2), 0.0) == 2


def test_those_in_front_ask_often_and_the_others_seldom() -> None:
    pauses = [pause_at(place) for place in range(1, 1_000)]
    assert pauses == sorted(pauses)
    assert pause_at(FRONT) < pause_at(999)


def test_only_so_many_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "MOST", 3)
    made = line_of(1, 2, 3, 4, 5)
    assert len(made) == 3
    assert made.show(ticket(5), 0.0) == 4
    assert made.show(ticket(2), 0.0) == 2


def test_the_wait_follows_from_the_pace_of_the_last_half_minute() -> None:
    made = line_of(*range(100))
    assert made.seconds_at(10) is None
    for arrived in range(15):
        made.let_in(ticket(arrived), 10.0)
    assert made.seconds_at(30) == 30 * COUNTED / 15
    made.forget_absent(10.0 + COUNTED + 1)
    assert made.seconds_at(30) is None
