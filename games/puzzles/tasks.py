"""Celery tasks of puzzles. Each is safe to run twice."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from games.puzzles import daily, store, votes
from games.puzzles.generation import puzzle_filling
from games.puzzles.losses import refutations


@shared_task(name="talon.fill_puzzles")
def fill_puzzles() -> None:
    """Store the shipped puzzles, reserve the coming days', prove reported ones, and make more if some are needed."""
    store.load_shipped()
    daily.reserve(timezone.now().date())
    votes.proving.start()
    puzzle_filling.start_filling()


@shared_task(name="talon.explain_loss")
def explain_loss(number: int, turn: int, token: str) -> None:
    """Store why a losing move of a puzzle loses."""
    refutations.explain(number, turn, token)
