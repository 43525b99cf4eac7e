"""Celery tasks of puzzles."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from games.puzzles import daily, votes
from games.puzzles.generation import puzzle_filling


@shared_task(name="talon.fill_puzzles")
def fill_puzzles() -> None:
    """Reserve the coming days' puzzles, prove reported ones, and make more if few are untried and the site is idle."""
    daily.reserve(timezone.now().date())
    votes.proving.start()
    puzzle_filling.start_filling()
