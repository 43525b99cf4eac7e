"""Analysis queue worker: a background thread that processes queued analyses in turn.

The queue is in the database; a Celery task only wakes the worker up. Each search runs in a separate process
(`games.analysis.game_search`), whose reports are written to the row and serve as heartbeats. If a worker falls
silent, another one claims its analysis and continues from the last report. A worker whose row was deleted or claimed by
another ends its search.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from games.analysis.analyses import in_turn
from games.analysis.findings import Findings
from games.analysis.game_search import NICENESS, AnalysisReport, Task, analyse
from games.analysis.models import Analysis
from games.attempts.lifecycle import record_of
from games.core.background_threads import BackgroundJob
from games.core.search_process import run_search
from games.rules import Record

log = logging.getLogger(__name__)

#: Time limit for one game in seconds, without loading the search.
SECONDS: Final = 40.0
#: Time without a heartbeat after which a worker counts as dead. Compiling the first search on a machine takes a while.
SILENCE: Final = timedelta(seconds=90)
#: Hard limit in seconds, after which a search is killed.
KILL_AFTER: Final = SECONDS + SILENCE.total_seconds()
#: Maximum number of searches for an analysis; after the last one, partial findings are final.
TRIES: Final = 3


def process_queue() -> int:
    """Process analyses until the queue is empty; return how many were started."""
    started = 0
    while (claimed := _claim()) is not None:
        started += 1
        _make(claimed)
    return started


def _claimable() -> Q:
    silent = Q(state=Analysis.State.WORKING, seen_at__lt=timezone.now() - SILENCE)
    return Q(state=Analysis.State.WAITING) | silent


def _claim() -> Analysis | None:
    """Claim the next analysis that has no live worker; None if there is none."""
    while key := next(iter(in_turn(Analysis.objects.filter(_claimable()))), None):
        claim = uuid.uuid4()
        values = {"state": Analysis.State.WORKING, "claim": claim, "seen_at": timezone.now(), "tries": F("tries") + 1}
        if Analysis.objects.filter(_claimable(), pk=key).update(**values):
            row = Analysis.objects.select_related("attempt__deal").filter(pk=key, claim=claim)
            return row.first()
    return None


def _make(analysis: Analysis) -> None:
    """Run a claimed analysis. If it does not finish, put it back in the queue or, after the last try, mark it done."""
    row = Analysis.objects.filter(pk=analysis.pk, claim=analysis.claim)
    if analysis.tries <= TRIES:
        for report in reports(task_of(analysis)):
            if not _save_report(row, report) or report.is_last:
                return
        log.warning("analysis not finished", extra={"attempt": analysis.attempt_id})
    if analysis.tries >= TRIES:
        row.update(state=Analysis.State.DONE, done_at=timezone.now(), claim=None)
    else:
        row.update(state=Analysis.State.WAITING, claim=None)


def _save_report(row: QuerySet[Analysis], report: AnalysisReport) -> bool:
    """Write a report to the row; return False if the row was deleted or claimed by another worker."""
    now = timezone.now()
    values: dict[str, object] = {
        "seen_at": now, "percent": round(100 * report.share), "findings": report.findings.pack()
    }  # fmt: skip
    if report.is_last:
        values |= {"state": Analysis.State.DONE, "done_at": now, "claim": None}
    return row.update(**values) > 0


def task_of(analysis: Analysis) -> Task:
    """Return the search task for an analysis."""
    record = record_of(analysis.attempt)
    findings = None if analysis.findings is None else Findings.unpack(bytes(analysis.findings))
    opening = record.open_table().position()
    solution = analysis.attempt.deal.solution
    line = [] if solution is None else list(Record.from_bytes(bytes(solution)).tokens)
    return Task(opening, list(record.tokens), line, findings, SECONDS)


def reports(task: Task) -> Iterator[AnalysisReport]:
    """Run a search and yield its reports; kill it when its time is up or the generator is closed."""
    return run_search(analyse, task, niceness=NICENESS, seconds=KILL_AFTER)


#: The thread of this worker that processes the queue.
processing: Final = BackgroundJob("analyst", process_queue)
