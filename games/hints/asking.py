"""Has processes of their own search (`games.hints.search`), and believes only what the rules can replay.

Loading the search takes longer than most searches, so a process answers one question after another. One whose answer
is not wanted any more is killed, and another one loads for the next question. A process without questions ends.
"""

from __future__ import annotations

import json
import logging
import select
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


@dataclass(frozen=True, slots=True)
class Limit:
    """Budget of a search: positions, and seconds of CPU, so that waiting for a busy machine costs it nothing."""

    nodes: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.nodes}/{self.seconds:g}"


#: For the first look at a question, which most searches need less than.
QUICK: Final = Limit(400_000, 1.0)
#: For a question that the first look has not answered.
FULL: Final = Limit(4_000_000, 15.0)
#: Seconds by the clock after which a process is killed as hung.
HUNG: Final = 300.0

UNKNOWN: Final = {"answer": "unknown", "way": []}
_GLANCE: Final = 0.25  # s between two checks whether the answer is still wanted


def checked(output: bytes, position: str) -> dict[str, Any] | None:
    """What the search found, None for nonsense; a winning line counts only if the rules can replay it."""
    try:
        found: dict[str, Any] = json.loads(output)
        if found["answer"] == "yes":
            check_solution(from_position(position), found["way"])
    except (ValueError, KeyError, TypeError):
        # The error could name cards of the position, so it is not logged.
        log.error("a search for a hint failed")  # noqa: TRY400
        return None
    return found


@dataclass
class Searcher:
    """A process that searches, started with the first question. One thread asks it at a time."""

    _process: subprocess.Popen[bytes] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_running(self) -> bool:
        """Whether the process waits for a question or searches."""
        return self._process is not None and self._process.poll() is None

    def ask(self, position: str, limit: Limit, is_wanted: Callable[[], bool]) -> dict[str, Any] | None:
        """Search a position; None when there is no answer: it is not wanted any more, or the process failed."""
        with self._lock:
            self._start()
            process = self._process
            assert process is not None
            assert process.stdin is not None
            assert process.stdout is not None
            question = {"position": position, "nodes": limit.nodes, "seconds": limit.seconds}
            found = None
            try:
                process.stdin.write(json.dumps(question).encode() + b"\n")
                process.stdin.flush()
                latest = time.monotonic() + HUNG
                while not (is_answered := select.select([process.stdout], [], [], _GLANCE)[0]):
                    if not is_wanted() or time.monotonic() > latest:
                        break
                if is_answered:
                    found = checked(process.stdout.readline(), position)
            except BrokenPipeError:
                log.warning("a search process for hints had ended")
            finally:
                if found is None:  # a late answer must not be taken for that to the next question
                    self._restart()
            return found

    def dismiss(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _restart(self) -> None:
        self.dismiss()
        self._start()

    def _start(self) -> None:
        if self.is_running:
            return
        self.dismiss()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "games.hints.search"],
            cwd=settings.BASE_DIR,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
