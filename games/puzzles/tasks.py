"""Celery tasks of puzzles."""

from __future__ import annotations

from celery import shared_task

from games.puzzles.generation import puzzle_filling


@shared_task(name="talon.fill_puzzles")
def fill_puzzles() -> None:
    """Start a background thread that makes puzzles, if few are untried and the site is idle."""
    puzzle_filling.start_filling()
