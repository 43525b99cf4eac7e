"""Celery tasks of the boards. Each may run twice, and the sweep makes up for a lost one."""

from __future__ import annotations

from typing import Any, Final

from celery import Task, shared_task

from games.core import events
from games.ghosts import challenges
from leaderboards.boards import relisting, seasons
from leaderboards.ratings import folding
from leaderboards.verdicts import backfill, foresight_selection, held_results, pending_sweep
from leaderboards.verdicts.settlement import MAX_OTHERS, give_up, settle

RETRIES: Final = 4


class Verification(Task):  # type: ignore[misc] # Celery has no types
    """Task that sends an attempt to review if it could not be judged, whatever the reason."""

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:  # noqa: ANN401, ARG002
        """Give up after the last retry."""
        give_up(args[0], f"{type(exc).__name__} during verification.")


@shared_task(
    name="talon.verify",
    base=Verification,
    autoretry_for=(Exception,),
    max_retries=RETRIES,
    retry_backoff=2,
    retry_backoff_max=60,
    retry_jitter=True,
    soft_time_limit=10,
    time_limit=15,
)
def verify(attempt_id: int) -> None:
    """Judge and settle an attempt, together with other pending ones."""
    settle(attempt_id, MAX_OTHERS)


@shared_task(name="talon.sweep")
def sweep(after_outage: bool = False) -> None:  # noqa: FBT001, FBT002 - Celery's arguments
    """Resend overdue tasks, rank players still marked, and update the seasons."""
    pending_sweep.sweep(after_outage=after_outage)
    relisting.relist_overdue()
    challenges.notify_forgotten()
    seasons.recount_marked()


@shared_task(name="talon.hold_risen")
def hold_risen(deal_id: int) -> None:
    """Hold the results in doubt that a change above them has moved up."""
    held_results.hold_risen(deal_id)


@shared_task(name="talon.review_held", soft_time_limit=240, time_limit=270)
def review_held() -> None:
    """Release held results in time; make up for a lost `hold_risen`."""
    held_results.review_held()


@shared_task(name="talon.backfill_progress", soft_time_limit=240, time_limit=270)
def backfill_progress(after: int = 0) -> None:
    """Rank stored results by progress time; continue in another task if there are more."""
    if backfill.is_done():
        return
    last = backfill.fill_attempts(after)
    if last is None:
        backfill.rank_races()
        backfill.note_done()
    else:
        events.request_task("talon.backfill_progress", last)


@shared_task(name="talon.recount", soft_time_limit=240, time_limit=270)
def recount() -> None:
    """Update the seasons."""
    seasons.recount_marked()


@shared_task(name="talon.rate_races", soft_time_limit=540, time_limit=570)
def rate_races() -> None:
    """Rate the races that have finished; make up for a lost `refold`."""
    folding.rate_finished()


@shared_task(name="talon.refold", soft_time_limit=540, time_limit=570)
def refold(race_id: int) -> None:
    """Rate all races again from one on, after a decision about it."""
    folding.refold(race_id)


@shared_task(name="talon.measure_foresight")
def measure_foresight() -> None:
    """Measure top games for foresight; continue in another task if time runs out."""
    if foresight_selection.measure_top().more:
        events.request_task("talon.measure_foresight")
