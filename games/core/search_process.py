"""Searches in processes of their own, which can be killed at any time and keep no thread of a server or worker busy.

A search is a module's function that takes a request and yields replies. Its process imports that module, but neither
Django's apps nor settings, so it takes a quarter of the memory; a process of `multiprocessing` would import the
parent's main module too. Requests travel through a pipe, because every user of a machine can read command lines, and
the process's output is discarded, because a traceback could name hidden cards.

A process exits when the pipe closes, at the latest when its parent ends.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final, Generic, TypeVar

log = logging.getLogger(__name__)

_Request = TypeVar("_Request")
_Reply = TypeVar("_Reply")
_Load = Callable[[], Iterator[object]]

_ROOT: Final = Path(__file__).resolve().parents[2]
#: Message after the last reply to a request; each reply is a tuple of one item.
_END: Final = ()


class SearchProcess(Generic[_Request, _Reply]):
    """A process that answers requests one after another, started by the first; one thread at a time can use it.

    `load` prepares the search step by step until the first request arrives. The process exits after `idle` seconds
    without a request. It inherits the environment and adds `niceness` to its own.
    """

    def __init__(
        self,
        search: Callable[[_Request], Iterator[_Reply]],
        *,
        niceness: int,
        load: _Load | None = None,
        idle: float = 60.0,
    ) -> None:
        self._search, self._load, self._idle = search, load, idle
        self._niceness = niceness
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    @property
    def is_running(self) -> bool:
        """True while the process is alive, idle or searching."""
        return self._process is not None and self._process.poll() is None

    def replies(
        self, request: _Request, *, seconds: float, stop: Callable[[], bool] = lambda: False, every: float = 1.0
    ) -> Iterator[_Reply]:
        """Yield the replies to a request.

        The process is killed, and its replies end, when `stop()`, which is called every `every` seconds, returns True,
        after `seconds` in any case, and when the generator is closed early.
        """
        with self._lock:
            message: tuple[_Reply, ...] | None = None
            try:
                pipe = self.start()
                with suppress(OSError):  # the process has died, which `_receive` notices
                    pipe.send(request)
                latest = time.monotonic() + seconds
                while message != _END and not stop() and time.monotonic() < latest:
                    message = _receive(pipe, every)
                    yield from message or ()
            except EOFError:
                log.warning("process of %s ended early", self._search.__module__)
            finally:
                if message != _END:  # or a late reply could be taken for one to the next request
                    self.kill()
                    if self._load is not None:
                        self.start()

    def start(self) -> Connection:
        """Start the process unless it is running, and return the pipe to it."""
        if self._pipe is None or not self.is_running:
            self.kill()
            self._pipe, far_end = Pipe()
            with far_end:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", __name__, str(far_end.fileno()), str(self._niceness)],
                    cwd=_ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    pass_fds=[far_end.fileno()],
                )
            self._pipe.send((self._search, self._load, self._idle))
        return self._pipe

    def kill(self) -> None:
        """Kill the process; a search in another thread ends."""
        process, self._process, self._pipe = self._process, None, None
        if process is not None:
            process.kill()
            process.wait()


def run_search(
    search: Callable[[_Request], Iterator[_Reply]],
    request: _Request,
    *,
    niceness: int,
    seconds: float,
    stop: Callable[[], bool] = lambda: False,
    every: float = 1.0,
) -> Iterator[_Reply]:
    """Yield the replies of a process that is used for one request (`SearchProcess.replies`)."""
    process = SearchProcess(search, niceness=niceness)
    try:
        yield from process.replies(request, seconds=seconds, stop=stop, every=every)
    finally:
        process.kill()


def _receive(pipe: Connection, seconds: float) -> Any:  # noqa: ANN401 - what the other end sends
    """Return the next message, or None if none arrives in time.

    :raises EOFError: if the process at the other end has died.
    """
    try:
        return pipe.recv() if pipe.poll(seconds) else None
    except OSError:
        raise EOFError from None


def _serve(pipe: Connection) -> None:
    """Answer the requests that arrive through the pipe."""
    search, load, idle = pipe.recv()
    requests = SimpleQueue[Any]()
    threading.Thread(target=_queue_requests, args=(pipe, requests), name="requests", daemon=True).start()
    if load is not None:
        for _ in load():
            if not requests.empty():
                break
    with suppress(Empty):
        while True:
            for reply in search(requests.get(timeout=idle)):
                pipe.send((reply,))
            pipe.send(_END)


def _queue_requests(pipe: Connection, requests: SimpleQueue[Any]) -> None:
    """Queue the parent's requests; exit when the pipe closes, even in the middle of a search."""
    try:
        while True:
            requests.put(pipe.recv())
    except (EOFError, OSError):
        os._exit(0)


if __name__ == "__main__":
    os.nice(int(sys.argv[2]))
    _serve(Connection(int(sys.argv[1])))
