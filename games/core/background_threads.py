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
