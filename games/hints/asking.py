"""Has a process of its own search (`games.hints.search`), and believes only what the rules can replay.

Loading the search takes longer than most searches. So when one has ended, another process is started that loads
everything and waits for the next question; it ends by itself when none comes.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from django.conf import settings

from games.rules import from_position
from games.solver import check_solution

log = logging.getLogger(__name__)

#: What one search may use.
NODES: Final = 4_000_000
SECONDS: Final = 15.0

UNKNOWN: Final = {"answer": "unknown", "way": []}
_GLANCE: Final = 0.25  # s between two checks whether the answer is still wanted


def ask(position: str, *, latest: float, is_wanted: Callable[[], bool]) -> dict[str, Any] | None:
    """Search until there is an end, `latest` has come on the monotonic clock ("unknown"), or the answer is not wanted
    any more (None).
    """
    unsent: bytes | None = json.dumps({"position": position, "nodes": NODES, "seconds": SECONDS}).encode()
    with spare.take() as process:
        try:
            while time.monotonic() < latest:
                try:
                    output, _ = process.communicate(unsent, timeout=_GLANCE)
                except subprocess.TimeoutExpired:
                    unsent = None
                    if not is_wanted():
                        return None
                    continue
                return checked(output, position)
        finally:
            process.kill()
            spare.prepare()
    return UNKNOWN


def checked(output: bytes, position: str) -> dict[str, Any]:
    """What the search found; a winning line counts only if the rules can replay it."""
    try:
        found: dict[str, Any] = json.loads(output)
        if found["answer"] == "yes":
            check_solution(from_position(position), found["way"])
    except (ValueError, KeyError, TypeError):
        # The error could name cards of the position, so it is not logged.
        log.error("a search for a hint failed")  # noqa: TRY400
        return UNKNOWN
    return found


@dataclass
class Spare:
    """The process that waits for the next question, if there is one."""

    _process: subprocess.Popen[bytes] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def waits(self) -> bool:
        """Whether a process waits."""
        return self._process is not None and self._process.poll() is None

    def take(self) -> subprocess.Popen[bytes]:
        """A process to be asked, one that waits if there is one."""
        with self._lock:
            process, self._process = self._process, None
        return process if process is not None and process.poll() is None else _start()

    def prepare(self) -> None:
        """See to it that a process waits."""
        with self._lock:
            if not self.waits:
                self._process = _start()

    def dismiss(self) -> None:
        """Let none wait."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            with process:
                process.kill()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "games.hints.search"],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


spare: Final = Spare()
