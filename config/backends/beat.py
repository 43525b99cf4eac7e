"""Celery beat scheduler with leader election: one beat leads, and the others stand by to take over.

Every task is safe to run twice, so the election only saves work. It lets a second machine run a beat of its own.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from celery.beat import PersistentScheduler
from django.conf import settings
from redis import Redis
from redis.exceptions import LockError, RedisError

from games.core.events import request_task

log = logging.getLogger(__name__)

NAME: Final = "talon:beat"
#: Seconds after which a silent beat loses the lead.
LEASE: Final = 20.0
#: Seconds between two attempts to take or renew the lead.
LOOK_EVERY: Final = 5.0
#: Timeout of a broker command, in seconds.
TIMEOUT: Final = 2.0


class Lead:
    """Leadership as a lease held in the broker; the leader sends the due tasks."""

    def __init__(self, url: str) -> None:
        self._server = Redis.from_url(url, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT)
        self._lock = self._server.lock(NAME, timeout=LEASE, blocking=False)
        self._is_leader = False

    def hold(self) -> bool:
        """Take or renew the lease, and return True if this beat holds it.

        No beat leads while the broker is away or refuses writes, since no task could be sent.
        """
        try:
            self._server.set(f"{NAME}.write", b"", px=1)  # a server out of memory would still renew a lease
            is_leader = self._renewed() or self._lock.acquire()
        except RedisError:
            log.warning("the broker refused the lease", exc_info=True)
            is_leader = False
        if is_leader != self._is_leader:
            log.info("this beat is the leader" if is_leader else "this beat is on standby")
        self._is_leader = is_leader
        return is_leader

    def release(self) -> None:
        """Give up the lease so that another beat can lead at once."""
        try:
            if self._lock.owned():
                self._lock.release()
        except RedisError:
            log.info("leader lock not released, it will expire")
        finally:
            self._is_leader = False
            self._server.close()

    def _renewed(self) -> bool:
        """Renew the lease and return True if it was ours.

        After a short Redis outage the lease is still ours until it expires.
        """
        try:
            renewed: bool = self._lock.reacquire()
        except LockError:  # never ours, expired, or Redis was emptied
            return False
        return renewed


class LeadingScheduler(PersistentScheduler):  # type: ignore[misc]
    """Scheduler that sends nothing while another beat leads.

    On taking the lead, it has the pending verdicts requested again: an outage of the broker may have lost some.
    """

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **options)
        self._lead = Lead(settings.CELERY_BROKER_URL)
        self._must_resend = False

    def tick(self, *args: Any, **options: Any) -> float:  # noqa: ANN401
        """Send the due tasks if this beat leads, and return the seconds until the next tick."""
        if not self._lead.hold():
            self._must_resend = True
            return LOOK_EVERY
        if self._must_resend:
            self._must_resend = not request_task("talon.sweep", True)
        wait: float = super().tick(*args, **options)
        return min(wait, LOOK_EVERY)

    def close(self) -> None:
        """Release the lead and save the schedule."""
        self._lead.release()
        super().close()
