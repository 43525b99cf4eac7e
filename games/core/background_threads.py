"""Background threads of a worker, for long waits; each closes its own database connections."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.db import connections

log = logging.getLogger(__name__)


def run_in_background(
    name: str, work: Callable[[], object], *, finally_: Callable[[], object] | None = None
) -> threading.Thread:
    """Run `work`, then `finally_`, in a background thread, so that the worker can take other tasks.

    Exceptions of `work` are logged.
    """

    def run() -> None:
        try:
            work()
        except Exception:
            log.exception("%s failed", name)
        finally:
            if finally_ is not None:
                finally_()
            connections.close_all()

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


class BackgroundJob:
    """Work that runs in at most one background thread of this process at a time."""

    def __init__(self, name: str, work: Callable[[], object]) -> None:
        self._name = name
        self._work = work
        self._running = threading.Lock()

    def start(self) -> threading.Thread | None:
        """Start the work in a background thread; return None if it is already running."""
        if not self._running.acquire(blocking=False):
            return None
        return run_in_background(self._name, self._work, finally_=self._running.release)
