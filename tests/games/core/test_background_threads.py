"""Background jobs: one thread at a time, also after an error."""

from __future__ import annotations

from threading import Event

import pytest

from games.core.background_threads import BackgroundJob


def test_a_job_runs_in_one_thread_at_a_time() -> None:
    go_on = Event()
    job = BackgroundJob("test", lambda: go_on.wait(60))
    thread = job.start()
    assert thread is not None
    assert job.start() is None
    go_on.set()
    thread.join(60)
    again = job.start()
    assert again is not None
    again.join(60)


def test_a_failed_job_can_start_again(caplog: pytest.LogCaptureFixture) -> None:
    job = BackgroundJob("test", lambda: 1 // 0)
    for _ in range(2):
        thread = job.start()
        assert thread is not None
        thread.join(60)
    assert caplog.messages == ["test failed"] * 2
