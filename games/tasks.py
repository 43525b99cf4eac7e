"""Celery tasks of the games. Each is safe to run twice, and the next run makes up for a missed one."""

from __future__ import annotations

import logging

from celery import shared_task
from django.utils import timezone

from games import housekeeping
from games.analysis import housekeeping as analysis_housekeeping
from games.appeals import housekeeping as appeals_housekeeping
from games.attempts import journal_partitions
from games.attempts import lifecycle as attempts
from games.core import events, retention
from games.deals import practice_deals, publishing, relaxed_deals, stock_filling
from games.explorer import building
from games.hints import questions
from games.inbox import housekeeping as inbox_housekeeping
from games.puzzles import housekeeping as puzzles_housekeeping
from games.races import finishing
from games.races import housekeeping as races_housekeeping
from games.races.webhooks import result_post
from games.replays import housekeeping as replays_housekeeping
from games.replays import pictures

log = logging.getLogger(__name__)


@shared_task(name="talon.keep_deals")
def keep_deals() -> None:
    """Publish the deals of today and of the days ahead, ranked and relaxed."""
    today = timezone.now().date()
    publishing.ensure_deals(today)
    relaxed_deals.ensure_relaxed(today)


@shared_task(name="talon.close_due")
def close_due() -> None:
    """Close attempts past their deadline, and delete old journal rows if the journal is not partitioned by day.

    If time runs out, another task continues.
    """
    closed = attempts.close_due()
    purged = attempts.BatchProgress(0, 0, more=False) if journal_partitions.is_by_day() else attempts.purge_journal()
    progress = (closed, purged)
    if any(batch.done or batch.failed for batch in progress):
        log.info("attempts closed", extra={"closed": closed.done, "failed": closed.failed, "purged": purged.done})
    if any(batch.more for batch in progress):
        events.request_task("talon.close_due")


@shared_task(name="talon.begin_journal_day")
def begin_journal_day() -> None:
    """Create the day's journal partition, on PostgreSQL."""
    try:
        journal_partitions.begin_day((timezone.now() + journal_partitions.AHEAD).date())
    except journal_partitions.LockedError:
        log.warning("journal day not created: locked by another process")


@shared_task(name="talon.drop_journal_days", soft_time_limit=540, time_limit=570)
def drop_journal_days() -> None:
    """Drop the journal partitions of settled days, on PostgreSQL."""
    try:
        dropped = journal_partitions.drop_days()
    except journal_partitions.LockedError:
        log.warning("journal days not dropped: locked by another process")
    else:
        log.info("journal days dropped", extra={"days": dropped})


@shared_task(name="talon.fill_sealed")
def fill_sealed() -> None:
    """Publish deals that waited for the stock of sealed deals, and make sure the stock is being filled."""
    keep_deals()
    stock_filling.start_filling()


@shared_task(name="talon.answer_question")
def answer_question(question_id: int) -> None:
    """Start the search for an answer to a question: can this game still be won?"""
    questions.enqueue(question_id)


@shared_task(name="talon.find_practice_deal")
def find_practice_deal(order_id: int) -> None:
    """Start the search for a winnable practice deal."""
    practice_deals.start_search(order_id)


@shared_task(name="talon.draw_picture")
def draw_picture(attempt_id: int) -> None:
    """Draw the animated picture of a finished game."""
    pictures.draw(attempt_id)


@shared_task(name="talon.build_explorers")
def build_explorers() -> None:
    """Start a background thread that builds due explorers; beat's next run makes up for a lost task."""
    building.background_building.start()


@shared_task(name="talon.post_result")
def post_result(race_id: int) -> None:
    """Post the result of a race to the webhook of its room."""
    result_post.post_result(race_id)


@shared_task(name="talon.clean_games")
def clean_games() -> int:
    """Delete expired rows, after recomputing the places of races that missed a moderation decision."""
    races = finishing.recompute_missed()
    if races:
        log.warning("places recomputed after missed decisions", extra={"races": races})
    modules = (
        races_housekeeping,
        inbox_housekeeping,
        appeals_housekeeping,
        replays_housekeeping,
        analysis_housekeeping,
        puzzles_housekeeping,
    )
    return retention.remove_aged((*housekeeping.KINDS, *(kind for module in modules for kind in module.KINDS)))
