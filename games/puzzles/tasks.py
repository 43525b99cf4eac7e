"""Celery tasks of puzzles."""

from __future__ import annotations

from celery import shared_task

from games.puzzles import store
from games.puzzles.generation import puzzle_filling


@shared_task(name="talon.fill_puzzles")
def fill_puzzles() -> None:
    """Store the shipped puzzles after an upgrade; start a thread that makes more, if some are needed and the site is
    idle.
    """
    store.load_shipped()
    puzzle_filling.start_filling()
