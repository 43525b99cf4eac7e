"""Fills the stock of sealed deals in the background.

The solver computes for seconds at a time. In a thread of the server it would slow down everybody's moves, in a Celery
worker it would hold up verdicts. So each deal is certified by a process of its own (`games.deals.to_order`) with the
lowest priority, or a slightly higher one while players wait for a deal of today. A thread of the worker reads what it
finds. Only one such thread runs on a machine.
"""

from __future__ import annotations

import fcntl
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from django.conf import settings
from django.utils import timezone

from games.deals import publishing, sealed
from games.deals.certification import CertificateError
from games.deals.searching import checked, search
from games.models import SealedDeal
from games.rules import CATALOGUE
from games.threads import run_beside

log = logging.getLogger(__name__)

#: Niceness of the search: while a deal of today is awaited, and otherwise.
WAITED_FOR: Final = 5
LOWEST: Final = 19

#: What one search may use.
TRIES: Final = 40
SECONDS: Final = 300.0

_turn = threading.Lock()
_pauses: list[Callable[[], bool]] = []


def pause_while(reason: Callable[[], bool]) -> None:
    """Certify nothing while `reason()` is true; may be called from any thread."""
    _pauses.append(reason)


def is_paused() -> bool:
    """Return whether there is a reason to pause. Players who wait for a deal of today are more important."""
    return any(reason() for reason in _pauses) and not sealed.is_waited_for()


def keep_filling() -> threading.Thread | None:
    """Start to fill the stock beside this worker's tasks, if it is short and nothing on this machine fills it."""
    if not _turn.acquire(blocking=False):
        return None
    if sealed.next_variant() is None or is_paused():
        _turn.release()
        return None
    return run_beside("fill-sealed", _fill, finally_=_turn.release)


def _fill() -> None:
    """Fill the stock until nothing is short or there is a reason to pause; the periodic task starts it again."""
    with filling_lock() as free:
        if free:
            for _ in sealed.fill(tuple(CATALOGUE), stop=is_paused, seal=seal_beside):
                publishing.ensure_deals(timezone.now().date())


def seal_beside(variant: str, *, stop: sealed.Stop, patience: float) -> SealedDeal | None:
    """Put one deal in stock that another process certifies; None when it finds none, or `stop` says so first."""
    wanted = CATALOGUE[variant]
    niceness = WAITED_FOR if sealed.is_waited_for() else LOWEST
    for said in search(wanted, SECONDS, stop=stop, tries=TRIES, patience=patience, nice=niceness):
        if "record" in said:
            try:
                return sealed.put(variant, checked(said, wanted))
            except CertificateError as error:
                log.error("deal not certified: %s", error)  # noqa: TRY400 - frames could tell of the seed
    return None


@contextmanager
def filling_lock() -> Iterator[bool]:
    """Hold this machine's lock on filling; yields whether it was free."""
    path = Path(settings.VAR_DIR) / "fill_sealed.lock"
    with path.open("a") as file:
        yield _is_locked_by_us(file)


def _is_locked_by_us(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
