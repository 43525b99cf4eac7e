"""Prometheus metrics, exposed at /metrics."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

SOCKETS = Gauge("talon_sockets", "Open WebSocket connections.", ["kind"], multiprocess_mode="livesum")
"""Labelled by kind: play, board, lanes or race."""

PAGES_COPIED = Counter("talon_pages_copied_total", "Pages sent to strangers as copies, before Django.")
NEWCOMERS = Counter("talon_newcomers_total", "Newcomers who were queued, let in or refused.", ["how"])
NEWCOMERS_WAITING = Gauge(
    "talon_newcomers_waiting", "Newcomers who wait to be let in, as a process knows.", multiprocess_mode="livemax"
)
READS = Counter("talon_reads_total", "Views that may be read from a replica, by where they were.", ["place", "server"])
REPLICA_LAG = Gauge(
    "talon_replica_lag_seconds", "How far a replica is behind at most.", ["replica"], multiprocess_mode="livemax"
)
PAGE_DELAY = Gauge(
    "talon_page_delay_seconds", "Delay of an empty call to a page thread and back.", multiprocess_mode="livemax"
)
FULL = Gauge("talon_full", "Whether a process takes no newcomers: 1 or 0.", multiprocess_mode="livemax")
MOVES = Counter("talon_moves_total", "Moves acknowledged, undo included.", ["game"])
REFUSALS = Counter("talon_refusals_total", "Messages answered with an error.", ["code"])
ATTEMPTS_STARTED = Counter("talon_attempts_started_total", "Attempts begun.", ["game", "ranked"])
ATTEMPTS_FINISHED = Counter("talon_attempts_finished_total", "Attempts closed.", ["game", "how"])
VERDICTS = Counter("talon_verdicts_total", "Verdicts reached.", ["state"])
TASKS = Counter("talon_tasks_total", "Tasks done by workers.", ["task", "state"])

JOURNAL_ROWS = Histogram(
    "talon_journal_rows", "Moves committed together.", buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
)
JOURNAL_SECONDS = Histogram(
    "talon_journal_seconds", "Time of one journal commit.", buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2)
)
JOURNAL_WAIT_SECONDS = Histogram(
    "talon_journal_wait_seconds",
    "From the first move of a commit's arrival until it is answered.",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
)
"""The longest wait among the moves of a commit: one observation per commit, since one per move would cost more."""

VERIFY_SECONDS = Histogram(
    "talon_verify_seconds",
    "From the finish to the verdict.",
    buckets=(0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 5, 15, 60, 300),
)
