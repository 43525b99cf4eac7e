"""Keeps the stock of sealed deals full, in a process of its own: `manage.py fill_sealed`.

The solver computes for seconds at a time. In a thread of the server it would slow down everybody's moves, in a Celery
worker it would hold up verdicts. As a process of the lowest priority it uses only idle time, and a little more while
players wait for a deal of today. It ends with the process that started it, and only one runs on a machine.
"""

from __future__ import annotations

import fcntl
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from django.conf import settings

from games.deals import sealed

log = logging.getLogger(__name__)

#: Niceness of the filling process: while a deal of today is awaited, and otherwise.
WAITED_FOR: Final = 5
LOWEST: Final = 19

_running: subprocess.Popen[bytes] | None = None


def keep_filling() -> bool:
    """Start the filling process if a stock is short and none runs on this machine; returns whether it did."""
    global _running  # noqa: PLW0603 - the one child of this process
    if _running is not None and _running.poll() is None:
        return False
    if sealed.next_variant() is None:
        return False
    with filling_lock() as free:
        if not free:
            return False
    manage = str(Path(settings.BASE_DIR) / "manage.py")
    # The child reads this pipe, which closes when this process ends, however it does.
    # Its own session, so that Ctrl-C in a terminal reaches the server only.
    command = [sys.executable, manage, "fill_sealed", "--background"]
    _running = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    return True


@contextmanager
def filling_lock() -> Iterator[bool]:
    """Hold this machine's lock on filling; yields whether it was free."""
    path = Path(settings.VAR_DIR) / "fill_sealed.lock"
    with path.open("a") as file:
        yield _is_locked_by_us(file)


def _is_locked_by_us(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def step_back() -> None:
    """Give this process the lowest priority, or a slightly higher one while players wait for a deal."""
    wanted = WAITED_FOR if sealed.is_waited_for() else LOWEST
    # Only root may raise a priority again, and there is no need to.
    if wanted > os.getpriority(os.PRIO_PROCESS, 0):
        os.setpriority(os.PRIO_PROCESS, 0, wanted)


def end_with_parent() -> None:
    """End this process when its standard input does."""
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()


def _end_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    # At once, even in the middle of a search: nothing uncommitted is kept.
    os._exit(0)
