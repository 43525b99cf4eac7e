"""Search processes: replies one by one, deadlines, cancellation, and processes that die."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event

import pytest

from games.core.search_process import SearchProcess, run_search

Process = SearchProcess[str, str]


def echo(request: str) -> Iterator[str]:
    """Yield the request twice."""
    yield request
    yield request


def endless(request: str) -> Iterator[str]:
    """Yield the request, then never end."""
    yield request
    time.sleep(600)


def sleeping(_request: object) -> Iterator[str]:
    """Never end."""
    time.sleep(600)
    yield ""


def failing(request: str) -> Iterator[str]:
    """Yield the request, then fail with it in the message."""
    yield request
    raise RuntimeError(request)


def dying(request: str) -> Iterator[str]:
    """Exit without a reply."""
    os._exit(int(request))
    yield request


def loading() -> Iterator[None]:
    """Load for ever in small steps."""
    while True:
        time.sleep(0.01)
        yield


def running(process: Process) -> tuple[int, Connection]:
    """Return the process's id and its pipe."""
    pipe = process.start()
    assert process._process is not None
    return process._process.pid, pipe


def until_ended(pid: int) -> None:
    latest = time.monotonic() + 60
    while is_alive(pid):
        assert time.monotonic() < latest, "the process still runs"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.fixture
def processes() -> Iterator[list[Process]]:
    """Processes to kill at the end."""
    started: list[Process] = []
    yield started
    for process in started:
        process.kill()


def test_one_process_answers_requests_in_turn(processes: list[Process]) -> None:
    processes.append(process := Process(echo, niceness=0, load=loading))
    before = running(process)
    for request in ("one", "two"):
        assert list(process.replies(request, seconds=60)) == [request, request]
    assert running(process) == before


@pytest.mark.parametrize("search", [failing, dying])
def test_a_dead_process_is_replaced_and_its_error_hidden(
    search: object, processes: list[Process], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    processes.append(process := Process(search, niceness=0))  # type: ignore[arg-type]
    for _ in range(2):
        assert set(process.replies("77", seconds=60)) <= {"77"}
    assert "ended early" in caplog.text
    assert "77" not in caplog.text + "".join(capfd.readouterr())


def test_a_hung_search_is_killed(processes: list[Process]) -> None:
    processes.append(process := Process(endless, niceness=0))
    pid, _ = running(process)
    assert list(process.replies("request", seconds=0.5, every=0.1)) in ([], ["request"])
    until_ended(pid)


def test_a_search_is_killed_when_it_should_stop(processes: list[Process]) -> None:
    processes.append(process := Process(endless, niceness=0))
    pid, _ = running(process)
    stop = Event()
    replies = process.replies("request", seconds=600, stop=stop.is_set, every=0.1)
    assert next(replies) == "request"
    stop.set()
    assert list(replies) == []
    until_ended(pid)


def test_no_late_reply_answers_the_next_request(processes: list[Process]) -> None:
    """A process whose request was abandoned is replaced, and loads for the next one."""
    processes.append(process := Process(echo, niceness=0, load=loading))
    pid, _ = running(process)
    assert next(process.replies("one", seconds=60)) == "one"
    until_ended(pid)
    assert process.is_running
    assert list(process.replies("two", seconds=60)) == ["two", "two"]


def test_a_failing_stop_ends_the_search(processes: list[Process]) -> None:
    def stop() -> bool:
        raise ConnectionError("the database is away")

    processes.append(process := Process(echo, niceness=0))
    pid, _ = running(process)
    with pytest.raises(ConnectionError):
        list(process.replies("one", seconds=60, stop=stop))
    until_ended(pid)


def test_an_idle_process_ends(processes: list[Process]) -> None:
    processes.append(process := Process(echo, niceness=0, idle=0.01))
    pid, _ = running(process)
    until_ended(pid)


def test_a_process_is_nice_and_ends_with_its_parent(processes: list[Process]) -> None:
    processes.append(process := Process(endless, niceness=7))
    replies = process.replies("request", seconds=600)
    assert next(replies) == "request"
    pid, pipe = running(process)
    assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0) + 7
    pipe.close()
    until_ended(pid)
    assert list(replies) == []


def test_a_single_search_leaves_no_process() -> None:
    assert list(run_search(echo, "request", niceness=0, seconds=60)) == ["request", "request"]
    assert next(run_search(endless, "request", niceness=0, seconds=60)) == "request"
