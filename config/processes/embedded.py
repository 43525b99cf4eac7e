"""Embedded server, with all of Talon in one process: `python -m config.processes.embedded` (used by `make run`).

It runs the same application, tasks and schedule as production, with a Celery worker and beat in daemon threads and an
in-memory queue between them. Killing the process loses the queue; the sweep recovers the lost tasks.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Sequence

import django
from celery.beat import EmbeddedService
from celery.worker import state

from config.celery import app
from config.processes.release import prepare
from config.processes.server import address_arguments, listen, load_site, serve
from config.processes.start_check import explained

WORKER_STOP_SECONDS = 5
#: Stock of sealed deals per variant, besides those published ahead. More would only take CPU time from the player.
STOCK = "1"


class Background:
    """The worker and beat threads."""

    def __init__(self) -> None:
        self._app = app
        self._beat = EmbeddedService(app, thread=True, scheduler_cls="celery.beat:Scheduler")
        self._thread = threading.Thread(target=self._work, name="worker", daemon=True)

    def start(self) -> None:
        """Start both threads and run every periodic task once, since the process may have been off for days."""
        self._thread.start()
        self._beat.start()
        for entry in self._app.conf.beat_schedule.values():
            self._app.send_task(entry["task"])

    def stop(self) -> None:
        """Let the current task finish. The sweep recovers queued tasks at the next start.

        An idle worker is left alone: it notices the stop only when its wait for a message ends.
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


def prepare_concurrently() -> None:
    """Prepare the database in a forked process while this one loads the site.

    Migrating leaves behind 25 MB that are never used again.

    :raises SystemExit: if the database cannot be prepared.
    """
    preparing = multiprocessing.get_context("fork").Process(target=prepare)
    preparing.start()
    load_site()
    preparing.join()
    if preparing.exitcode:
        sys.exit(preparing.exitcode)


def pause_for_players() -> None:
    """Certify no deals while players are active, to leave the CPU to them."""
    # Imported here because the models need Django to be set up.
    from games.deals import stock_filling  # noqa: PLC0415
    from games.live import table_registry  # noqa: PLC0415

    stock_filling.pauses.register(table_registry.has_active_games)


@explained()
def main(argv: Sequence[str] | None = None) -> None:
    """Prepare the database, serve until a signal arrives, and stop the threads."""
    host, port = address_arguments("Run Talon in one process, with no server to install.", argv)
    listener = listen(host, port)
    host, port = listener.getsockname()[:2]
    address = f"http://{host}:{port}"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("PUBLIC_URL", address)
    os.environ.setdefault("SEALED_STOCK", STOCK)
    os.environ.setdefault("STARTER_DEALS", "1")

    django.setup()
    prepare_concurrently()
    pause_for_players()
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
