"""JSON form of a storm's puzzles and of the answers to moves, for a run of one's own and in a race."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from games.presentation import titles
from games.puzzles.runs import puzzle_runs


def reply_json(reply: puzzle_runs.RunReply) -> dict[str, Any]:
    """Return the answer to a move as JSON types."""
    return asdict(reply) | {"next": puzzle_json(reply.next)}


def puzzle_json(puzzle: puzzle_runs.RunPuzzle | None) -> dict[str, Any] | None:
    """Return a puzzle as JSON types, with the title of its variant."""
    if puzzle is None:
        return None
    return {"title": titles.VARIANT_TITLES[puzzle["variant"]], "turns": puzzle["turns"], "step": puzzle["step"]}
