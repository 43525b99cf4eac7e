"""Circuit breakers: calls fail fast during an outage while one caller at a time probes for recovery."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

import psycopg
from pybreaker import STATE_CLOSED, CircuitBreakerError
from pybreaker import CircuitBreaker as Breaker

T = TypeVar("T")

#: Consecutive failures that open the circuit, and the seconds before the next trial.
FAILURES: Final = 3
RETRY_AFTER: Final = 1.0
#: Seconds after which a call without an answer counts as failing, for callers with another way.
SILENT_AFTER: Final = 0.7


class CircuitBreaker:
    """pybreaker's circuit breaker for calls that are slow to fail. Only `errors` count as failures.

    pybreaker holds a lock during a call, so callers would queue for it. Here only the outcomes of calls and the trials
    of an open circuit go through pybreaker, and no caller waits for another's trial.
    """

    def __init__(
        self,
        name: str,
        failures: int = FAILURES,
        retry_after: float = RETRY_AFTER,
        errors: tuple[type[Exception], ...] = (psycopg.OperationalError,),
    ) -> None:
        self._errors = errors
        self._breaker = Breaker(
            failures,
            retry_after,
            name=name,
            exclude=[lambda error: not isinstance(error, errors)],
            throw_new_error_on_trip=False,
        )
        self._trial = threading.Lock()
        self._calls: dict[int, float] = {}  # start of each thread's call

    @property
    def is_open(self) -> bool:
        """True if the circuit is open: recent calls failed and none has succeeded since."""
        return self._breaker.current_state != STATE_CLOSED

    @property
    def is_failing(self) -> bool:
        """True if the last call failed or one has been waiting for long."""
        latest = time.monotonic() - SILENT_AFTER
        return bool(self._breaker.fail_counter) or any(began < latest for began in list(self._calls.values()))

    def call(self, function: Callable[[], T]) -> T:
        """Call the function, unless the circuit is open and the next trial is not due.

        :raises CircuitBreakerError: if the function was not called.
        """
        if self.is_open:
            return self._try(function)
        self._calls[threading.get_ident()] = time.monotonic()
        try:
            result = function()
        except self._errors as error:
            self._report(_raise, error)
            raise
        finally:
            del self._calls[threading.get_ident()]
        if self._breaker.fail_counter:
            self._report(_nothing)
        return result

    def _try(self, function: Callable[[], T]) -> T:
        if not self._trial.acquire(blocking=False):
            raise CircuitBreakerError("another caller is trying")
        try:
            return self._breaker.call(function)
        finally:
            self._trial.release()

    def _report(self, outcome: Callable[..., None], *error: Exception) -> None:
        """Report a call's outcome, unless other callers have opened the circuit in the meantime."""
        with suppress(CircuitBreakerError, *self._errors):
            if not self.is_open:
                self._breaker.call(outcome, *error)


def _raise(error: Exception) -> None:
    raise error


def _nothing() -> None:
    """Report a success."""


#: Circuit breaker of the process's PostgreSQL connections (`config.backends.postgresql`).
database: Final = CircuitBreaker("the database")
