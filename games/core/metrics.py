"""Prometheus metrics, exposed at /metrics."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

SOCKETS = Gauge("talon_sockets", "Open WebSocket connections.", ["kind"], multiprocess_mode="livesum")
"""Labelled by kind: play, board, lanes or race."""

PAGES_COPIED = Counter("talon_pages_copied_total", "Cached pages sent to visitors without a session, before Django.")
NEWCOMERS_QUEUED = Counter("talon_newcomers_queued_total", "Newcomers sent to the queue's page, or asked to retry.")
READS = Counter("talon_reads_total", "Views that may read from a replica, by the server used.", ["place", "server"])
REPLICA_LAG = Gauge(
    "talon_replica_lag_seconds", "Upper bound of a replica's lag.", ["replica"], multiprocess_mode="livemax"
)
PAGE_DELAY = Gauge("talon_page_delay_seconds", "Time that a request waited for a thread.", multiprocess_mode="livemax")
MOVES = Counter("talon_moves_total", "Acknowledged moves, including undos.", ["game"])
REFUSALS = Counter("talon_refusals_total", "Messages answered with an error.", ["code"])
ATTEMPTS_STARTED = Counter("talon_attempts_started_total", "Attempts started.", ["game", "ranked"])
ATTEMPTS_FINISHED = Counter("talon_attempts_finished_total", "Attempts closed.", ["game", "how"])
VERDICTS = Counter("talon_verdicts_total", "Verdicts reached.", ["state"])
MAILS_WITHHELD = Counter(
    "talon_mails_withheld_total", "Mails to unconfirmed addresses not sent: a daily budget is used up.", ["budget"]
)
MAILS_WITHHELD.labels("confirmation_site")  # starts at zero, so that an alert sees the first one
TASKS = Counter("talon_tasks_total", "Tasks done by workers.", ["task", "state"])

JOURNAL_ROWS = Histogram(
    "talon_journal_rows", "Moves per commit.", buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
)
JOURNAL_SECONDS = Histogram(
    "talon_journal_seconds", "Time of one journal commit.", buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2)
)
JOURNAL_WAIT_SECONDS = Histogram(
    "talon_journal_wait_seconds",
    "Time from the arrival of a commit's first move to its answer.",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
)
"""The longest wait among the moves of a commit: one observation per commit, since one per move would cost more."""

VERIFY_SECONDS = Histogram(
    "talon_verify_seconds",
    "Time from the finish to the verdict.",
    buckets=(0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 5, 15, 60, 300),
)
