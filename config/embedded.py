"""Talon in one process: `python -m config.embedded` (what `make run` calls).

The same application, tasks and schedule as in production, with a Celery worker and beat in daemon threads of the
server's process and a memory queue between them. A kill loses the queue; the sweep task finds again what was in it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence

import django
from celery.beat import EmbeddedService
from celery.worker import state

from config.celery import app
from config.release import prepare
from config.server import address_arguments, listen, serve

WORKER_STOP_SECONDS = 5


class Background:
    """The worker and beat threads."""

    def __init__(self) -> None:
        self._app = app
        self._beat = EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler")
        self._thread = threading.Thread(target=self._work, name="worker", daemon=True)

    def start(self) -> None:
        """Start both, and every periodic task once: the process may have been away for days."""
        self._thread.start()
        self._beat.start()
        for entry in self._app.conf.beat_schedule.values():
            self._app.send_task(entry["task"])

    def stop(self) -> None:
        """Let the task in hand finish; what is still queued is swept up at the next start.

        An idle worker is left to end with the process: it would notice only when its wait for a message is over.
        """
        self._beat.service.stop()
        state.should_stop = os.EX_OK
        latest = time.monotonic() + WORKER_STOP_SECONDS
        while state.active_requests and self._thread.is_alive() and time.monotonic() < latest:
            self._thread.join(0.05)

    def _work(self) -> None:
        self._app.set_current()
        self._app.WorkController(
            pool="solo", concurrency=1, without_mingle=True, without_gossip=True, without_heartbeat=True
        ).start()


def main(argv: Sequence[str] | None = None) -> None:
    """Prepare, serve until a signal comes, put everything away."""
    host, port = address_arguments("Run Talon in one process, with no server to install.", argv)
    listener = listen(host, port)
    host, port = listener.getsockname()[:2]
    address = f"http://{host}:{port}"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("PUBLIC_URL", address)

    django.setup()
    prepare()
    background = Background()

    def ready() -> None:
        background.start()
        print(f"Talon is ready at {address}/ - stop it with Ctrl-C.", flush=True)  # noqa: T201

    try:
        serve(listener, on_ready=ready)
    finally:
        background.stop()
    print("Talon has stopped.", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
