"""Frontier of a staged search."""

from __future__ import annotations

from games.solver.frontier import CUT, Frontier, begin, close, make_frontier, offer, pass_over, rank_of, reset, take


def with_children(scores: list[int]) -> tuple[Frontier, list[int]]:
    front = make_frontier(1, 8, 8)
    reset(front, 1)
    root = take(front, 1)
    slots = []
    for move, score in enumerate(scores):
        slots.append(begin(front))
        offer(front, root, slots[-1], move, rank_of(front, 1, score, 0))
    close(front, root)
    return front, slots


def test_the_best_of_a_stage_come_first() -> None:
    front, slots = with_children([3, 9, 5])
    assert take(front, 2) == slots[1]
    close(front, slots[1])
    assert take(front, 2) == slots[2]
    close(front, slots[2])
    assert front.state[CUT] == 0
    assert take(front, 2) < 0
    assert front.state[CUT] == 1


def test_a_skipped_position_frees_its_place() -> None:
    front, slots = with_children([3, 9, 5])
    for slot in (slots[1], slots[2], slots[0]):
        assert take(front, 1) == slot
        pass_over(front, slot)
    assert take(front, 1) < 0
    assert front.state[CUT] == 0
