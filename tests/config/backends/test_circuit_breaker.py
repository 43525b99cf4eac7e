"""Circuit breaker: after repeated failures calls fail at once, while one caller at a time tries the server."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest
from pybreaker import CircuitBreakerError

from config.backends import circuit_breaker
from config.backends.circuit_breaker import CircuitBreaker

PATIENCE = 60


def fail() -> None:
    raise psycopg.OperationalError("away")


def open_circuit(retry_after: float) -> CircuitBreaker:
    breaker = CircuitBreaker("a server", failures=2, retry_after=retry_after)
    for _ in range(2):
        with pytest.raises(psycopg.OperationalError):
            breaker.call(fail)
    return breaker


def test_repeated_failures_open_the_circuit() -> None:
    breaker = CircuitBreaker("a server", failures=2, retry_after=3600)
    for _ in range(3):
        with pytest.raises(psycopg.OperationalError):
            breaker.call(fail)
        assert breaker.call(lambda: 1) == 1  # a success in between
        assert not breaker.is_open
    breaker = open_circuit(retry_after=3600)
    assert breaker.is_open
    with pytest.raises(CircuitBreakerError):
        breaker.call(lambda: 1)


def test_a_successful_trial_closes_the_circuit() -> None:
    breaker = open_circuit(retry_after=0)
    with pytest.raises(psycopg.OperationalError):
        breaker.call(fail)
    assert breaker.is_open
    assert breaker.call(lambda: 1) == 1
    assert not breaker.is_open


def test_callers_do_not_wait_for_a_trial() -> None:
    breaker, begun, go = open_circuit(retry_after=0), threading.Event(), threading.Event()

    def wait() -> bool:
        begun.set()
        return go.wait(PATIENCE)

    trial = threading.Thread(target=breaker.call, args=[wait])
    trial.start()
    assert begun.wait(PATIENCE)
    with pytest.raises(CircuitBreakerError):
        breaker.call(lambda: 1)
    go.set()
    trial.join()
    assert not breaker.is_open


def test_calls_through_a_closed_circuit_run_in_parallel() -> None:
    breaker, both = CircuitBreaker("a server"), threading.Barrier(2)

    def meet() -> None:
        both.wait(PATIENCE)

    def run(target: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=breaker.call, args=[target])
        thread.start()
        return thread

    for thread in [run(meet), run(meet)]:
        thread.join()
    assert not both.broken


def test_other_errors_do_not_count() -> None:
    breaker = CircuitBreaker("a server", failures=1)
    with pytest.raises(ZeroDivisionError):
        breaker.call(lambda: 1 / 0)
    assert not breaker.is_open


def test_other_errors_in_a_trial_close_the_circuit() -> None:
    breaker = open_circuit(retry_after=0)
    with pytest.raises(ZeroDivisionError):
        breaker.call(lambda: 1 / 0)
    assert not breaker.is_open


def test_a_failed_or_silent_call_is_noticed_until_one_succeeds(monkeypatch: pytest.MonkeyPatch) -> None:
    breaker, begun, go = CircuitBreaker("a server"), threading.Event(), threading.Event()
    assert not breaker.is_failing
    with pytest.raises(psycopg.OperationalError):
        breaker.call(fail)
    assert breaker.is_failing
    breaker.call(lambda: 1)
    assert not breaker.is_failing

    def wait() -> bool:
        begun.set()
        return go.wait(PATIENCE)

    silent = threading.Thread(target=breaker.call, args=[wait])
    silent.start()
    assert begun.wait(PATIENCE)
    monkeypatch.setattr(circuit_breaker, "SILENT_AFTER", -1.0)
    assert breaker.is_failing
    go.set()
    silent.join()
    assert not breaker.is_failing
