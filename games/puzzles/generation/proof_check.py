"""Repeated proof of a puzzle, in a process of its own (`games.core.search_process`)."""

from __future__ import annotations

from collections.abc import Iterator
from random import SystemRandom
from typing import Any, Final

from games.puzzles.generation.claim_check import check_claims
from games.puzzles.puzzle import Puzzle
from games.rules import RulesError

#: Number of random streams of the solver, of which the proof draws one.
_STREAMS: Final = 2**16


def check(contents: dict[str, Any]) -> Iterator[str]:
    """Yield the outcome of proving a puzzle again: "holds", "broken" if a losing move wins or the win fails, or
    "undecided" if the solver gave up.
    """
    try:
        findings = check_claims(Puzzle.from_json(contents), SystemRandom().randrange(2, _STREAMS))
    except RulesError:
        yield "broken"
        return
    yield "broken" if findings["wrong"] else "undecided" if findings["undecided"] else "holds"
