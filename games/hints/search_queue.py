"""Queue of questions for a search process."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from games.core.background_threads import run_in_background
from games.core.thread_pool import FairQueue
from games.hints.position_search import Searcher

log = logging.getLogger(__name__)


class SearchQueue:
    """A queue of questions in which the sources take turns, served by a thread that lives while there are any."""

    def __init__(self, name: str, answer: Callable[[int], object]) -> None:
        self.searcher = Searcher()
        self._name = name
        self._answer = answer
        self._lock = threading.Lock()
        self._waiting = FairQueue[int]()
        self._thread: threading.Thread | None = None

    def put(self, question_id: int, source: str = "") -> threading.Thread:
        """Queue a question and return the thread that will answer it.

        Each `source`, such as a network, has its turn (`FairQueue`).
        """
        with self._lock:
            self._waiting.put(question_id, source)
            if self._thread is None:
                self._thread = run_in_background(self._name, self._work)
            return self._thread

    def waiting(self) -> list[int]:
        """Return the queued questions."""
        with self._lock:
            return list(self._waiting)

    def _work(self) -> None:
        while (question_id := self._take()) is not None:
            try:
                self._answer(question_id)
            except Exception:
                log.exception("question %s failed", question_id)

    def _take(self) -> int | None:
        with self._lock:
            question_id = self._waiting.take()
            if question_id is None:
                self._thread = None
            return question_id
