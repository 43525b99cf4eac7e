"""Client of the search subprocesses (`search_process`), which accepts only winning lines that the rules can replay.

Loading the solver takes longer than most searches, so a process answers many questions in turn. If an answer is no
longer wanted, the process is killed and a new one loads for the next question. An idle process exits by itself.
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
    """A search budget in positions and CPU seconds; waiting on a busy machine does not count against it."""

    nodes: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.nodes}/{self.seconds:g}"


#: Budget of the first search for a question; most questions need less.
QUICK: Final = Limit(400_000, 1.0)
#: Budget for a question that the first search did not answer.
FULL: Final = Limit(4_000_000, 15.0)
#: Wall-clock seconds after which a search process counts as hung and is killed.
HUNG: Final = 300.0

_GLANCE: Final = 0.25  # seconds between checks whether the answer is still wanted


def checked(output: bytes, position: str) -> dict[str, Any] | None:
    """Parse and check the search's output; return None if it is malformed or its winning line does not replay."""
    try:
        result: dict[str, Any] = json.loads(output)
        if result["answer"] == "yes":
            check_solution(from_position(position), result["way"])
    except (ValueError, KeyError, TypeError):
        # The error is not logged because it could name hidden cards.
        log.error("hint search failed")  # noqa: TRY400
        return None
    return result


@dataclass
class Searcher:
    """A search subprocess, started at the first question; one thread at a time can use it."""

    _process: subprocess.Popen[bytes] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_running(self) -> bool:
        """True while the process is alive, idle or searching."""
        return self._process is not None and self._process.poll() is None

    def ask(self, position: str, limit: Limit, is_wanted: Callable[[], bool]) -> dict[str, Any] | None:
        """Search a position; return None if the answer is no longer wanted or the process failed."""
        with self._lock:
            self._start()
            process = self._process
            assert process is not None
            assert process.stdin is not None
            assert process.stdout is not None
            question = {"position": position, "nodes": limit.nodes, "seconds": limit.seconds}
            result = None
            try:
                process.stdin.write(json.dumps(question).encode() + b"\n")
                process.stdin.flush()
                latest = time.monotonic() + HUNG
                while not (is_answered := select.select([process.stdout], [], [], _GLANCE)[0]):
                    if not is_wanted() or time.monotonic() > latest:
                        break
                if is_answered:
                    result = checked(process.stdout.readline(), position)
            except BrokenPipeError:
                log.warning("hint search process had ended")
            finally:
                if result is None:  # or a late answer could be taken for the next question's
                    self.dismiss()
                    self._start()
            return result

    def dismiss(self) -> None:
        """Kill the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _start(self) -> None:
        if self.is_running:
            return
        self.dismiss()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "games.hints.search_process"],
            cwd=settings.BASE_DIR,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
