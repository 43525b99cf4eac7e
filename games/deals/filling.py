"""Keeping the stock of sealed deals full by a process of its own, `manage.py fill_sealed`.

The solver computes for seconds on end. In a thread of the server it would share the interpreter with everybody's moves,
in a Celery worker it would stand before the verdicts. As a process of the lowest priority it takes what nobody else
wants; while players wait for a deal of today it asks for a little more. It ends with the process that started it, and
one of them runs on a machine at a time.
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
from django.utils import timezone

from games.deals import sealed
from games.models import AwaitedDeal

log = logging.getLogger(__name__)

#: Priorities (niceness) of the filling process: while a deal of today is waited for, and otherwise.
WAITED_FOR: Final = 5
LOWEST: Final = 19

_running: subprocess.Popen[bytes] | None = None


def keep_filling() -> bool:
    """Start the filling process if something is short and none runs on this machine; whether it was started."""
    global _running  # noqa: PLW0603 - the one child of this process
    if _running is not None and _running.poll() is None:
        return False
    if sealed.next_variant() is None:
        return False
    with filling_lock() as free:
        if not free:
            return False
    manage = str(Path(settings.BASE_DIR) / "manage.py")
    # The child reads this pipe to its end, which comes when this process ends, however it does.
    # It has a session of its own, so that Ctrl-C in a terminal is for the server alone.
    command = [sys.executable, manage, "fill_sealed", "--background"]
    _running = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)
    return True


@contextmanager
def filling_lock() -> Iterator[bool]:
    """Hold the machine's lock on filling, or learn that another process has it."""
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
    """Take what nobody else wants: give this process the lowest priority, or one a little higher while players wait."""
    waited_for = AwaitedDeal.objects.filter(day__lte=timezone.now().date()).exists()
    wanted = WAITED_FOR if waited_for else LOWEST
    # Nobody but root may raise a priority again, and it need not be.
    if wanted > os.getpriority(os.PRIO_PROCESS, 0):
        os.setpriority(os.PRIO_PROCESS, 0, wanted)


def end_with_parent() -> None:
    """End this process when its standard input does."""
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()


def _end_with_parent() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    # At once, in the middle of a search: whatever is not committed was never there.
    os._exit(0)
