"""Celery tasks of races. They are idempotent, and the next run makes up for a missed one."""

from __future__ import annotations

from celery import shared_task

from games.races import made_to_order, reconciler
from games.races.bots import planning


@shared_task(name="talon.tend_races")
def tend_races() -> None:
    """Take every step of a race that is due."""
    reconciler.reconcile()


@shared_task(name="talon.prepare_race_deal")
def prepare_race_deal(race_id: int) -> None:
    """Start the search for a certified deal for a race whose game is not in stock."""
    made_to_order.start_search(race_id)


@shared_task(name="talon.plan_bot_games")
def plan_bot_games(race_id: int) -> None:
    """Start the search for the games of a race's bots."""
    planning.start_planning(race_id)
