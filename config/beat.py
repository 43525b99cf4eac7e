"""Beat's scheduler in production: of several beats one leads, and the others wait to take over.

Every task is safe to run twice, so this only saves work; it is what lets a second machine have a beat of its own.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from celery.beat import PersistentScheduler
from django.conf import settings
from redis import Redis
from redis.exceptions import LockError, RedisError

log = logging.getLogger(__name__)

NAME: Final = "talon:beat"
#: Seconds after which a beat that has not been heard of leads no longer.
LEASE: Final = 20.0
#: Seconds between two looks of a beat at who leads.
LOOK_EVERY: Final = 5.0
#: Seconds that the broker has to answer.
TIMEOUT: Final = 2.0


class Lead:
    """The right to send the tasks that are due, on lease from the broker."""

    def __init__(self, url: str) -> None:
        self._server = Redis.from_url(url, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT)
        self._lock = self._server.lock(NAME, timeout=LEASE, blocking=False)
        self._held = False

    def hold(self) -> bool:
        """Take or renew the lease; whether it is ours. Nobody leads while the broker is away: no task could be sent."""
        try:
            held = self._renewed() or self._lock.acquire()
        except RedisError:
            held = False
        if held != self._held:
            log.info("this beat leads" if held else "this beat waits")
        self._held = held
        return held

    def release(self) -> None:
        """Let another beat lead at once."""
        try:
            if self._lock.owned():
                self._lock.release()
        except RedisError:
            log.info("the lead ends by itself")
        finally:
            self._held = False
            self._server.close()

    def _renewed(self) -> bool:
        """Whether the lease was ours; also when Redis did not answer a moment ago, while the lease goes on."""
        try:
            renewed: bool = self._lock.reacquire()
        except LockError:  # never ours, run out, or Redis was emptied
            return False
        return renewed


class LeadingScheduler(PersistentScheduler):  # type: ignore[misc]
    """Sends nothing while another beat leads."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **options)
        self._lead = Lead(settings.CELERY_BROKER_URL)

    def tick(self, *args: Any, **options: Any) -> float:  # noqa: ANN401
        """Send what is due, if this beat leads; the seconds to wait."""
        if not self._lead.hold():
            return LOOK_EVERY
        wait: float = super().tick(*args, **options)
        return min(wait, LOOK_EVERY)

    def close(self) -> None:
        """Let another beat lead, and write down what has been sent."""
        self._lead.release()
        super().close()
