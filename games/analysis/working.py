"""Makes the analyses that wait: a thread of the worker takes one after the other, the oldest first.

What waits is in the database: a task only wakes the worker up. The search is a process of its own
(`games.analysis.search`), whose reports are written to the row. When a worker has died, and not been heard of for a
while, another takes its analysis and goes on from the last report. Whoever has lost a row to another, or finds it
deleted, ends its search.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import uuid
from collections.abc import Generator
from datetime import timedelta
from typing import Final

import msgspec
from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from games.analysis.findings import Findings
from games.analysis.models import Analysis
from games.analysis.search import Report, Task
from games.attempts import record_of
from games.models import Attempt
from games.rules import Record
from games.threads import run_beside

log = logging.getLogger(__name__)

#: Seconds for one game, without loading the search.
SECONDS: Final = 40.0
#: After so long a silence a worker is taken for dead. The first search on a machine is compiled for some time.
SILENCE: Final = timedelta(seconds=90)
#: Seconds after which a search is killed, whatever it does.
LONGEST: Final = SECONDS + SILENCE.total_seconds()
#: How often a search is begun before what is known has to do.
TRIES: Final = 3

#: One analysis at a time in a worker process.
_turn = threading.Lock()


def work_soon() -> threading.Thread | None:
    """Make what waits in a thread of this process, which goes on with other tasks meanwhile; None if one is at it."""
    if not _turn.acquire(blocking=False):
        return None
    return run_beside("analyst", work_off, finally_=_turn.release)


def work_off() -> int:
    """Make one analysis after the other until none waits; returns how many were begun."""
    begun = 0
    while (claimed := _claim()) is not None:
        begun += 1
        _make(claimed)
    return begun


def _free() -> Q:
    silent = Q(state=Analysis.State.WORKING, seen_at__lt=timezone.now() - SILENCE)
    return Q(state=Analysis.State.WAITING) | silent


def _claim() -> Analysis | None:
    """Take the oldest analysis that nobody has; None when there is none."""
    while key := Analysis.objects.filter(_free()).order_by("asked_at", "pk").values_list("pk", flat=True).first():
        claim = uuid.uuid4()
        taken = {"state": Analysis.State.WORKING, "claim": claim, "seen_at": timezone.now(), "tries": F("tries") + 1}
        if Analysis.objects.filter(_free(), pk=key).update(**taken):
            mine = Analysis.objects.select_related("attempt__deal").filter(pk=key, claim=claim)
            return mine.first()
    return None


def _make(analysis: Analysis) -> None:
    """Make an analysis that has been claimed. Without an end it waits again, or is done with what is known."""
    mine = Analysis.objects.filter(pk=analysis.pk, claim=analysis.claim)
    if analysis.tries <= TRIES:
        for report in reports(task_of(analysis)):
            if not _note(mine, report) or report.is_last:
                return
        log.warning("an analysis came to no end", extra={"attempt": analysis.attempt_id})
    if analysis.tries >= TRIES:
        mine.update(state=Analysis.State.DONE, done_at=timezone.now(), claim=None)
    else:
        mine.update(state=Analysis.State.WAITING, claim=None)


def _note(mine: QuerySet[Analysis], report: Report) -> bool:
    """Write a report to the row; false when the row is gone or another's."""
    now = timezone.now()
    noted: dict[str, object] = {
        "seen_at": now, "percent": round(100 * report.share), "findings": report.findings.pack()
    }  # fmt: skip
    if report.is_last:
        noted |= {"state": Analysis.State.DONE, "done_at": now, "claim": None}
    return mine.update(**noted) > 0


def task_of(analysis: Analysis) -> Task:
    """What the search is told."""
    record = record_of(analysis.attempt)
    known = None if analysis.findings is None else Findings.unpack(bytes(analysis.findings))
    opening = record.open_table().position()
    return Task(opening, list(record.tokens), _certified_line(analysis.attempt), known, SECONDS)


def _certified_line(attempt: Attempt) -> list[str]:
    solution = attempt.deal.solution
    return [] if solution is None else list(Record.from_bytes(bytes(solution)).tokens)


def reports(task: Task) -> Generator[Report, None, None]:
    """What the search process reports; it is killed when its time is up, or nobody listens any more."""
    process = subprocess.Popen(
        [sys.executable, "-m", "games.analysis.search"],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    latest = threading.Timer(LONGEST, process.kill)
    latest.start()
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(msgspec.json.encode(task))
            process.stdin.close()
            for line in process.stdout:
                yield msgspec.json.decode(line, type=Report)
        except (BrokenPipeError, msgspec.DecodeError):
            # It was killed. What it said could name cards, so it is not logged.
            return
        finally:
            latest.cancel()
            process.kill()
