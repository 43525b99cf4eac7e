"""Long waits beside a worker's tasks: a thread with database connections of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.db import connections

log = logging.getLogger(__name__)


def run_beside(
    name: str, work: Callable[[], object], *, finally_: Callable[[], object] | None = None
) -> threading.Thread:
    """Do the work in a thread, and `finally_` at its end, so that the worker goes on with other tasks.

    What fails is logged.
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
