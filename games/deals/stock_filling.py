"""Background job that fills the stock of sealed deals.

The solver computes for seconds at a time. In a server thread it would slow down every move, and in a Celery worker it
would delay verdicts. So a separate process (`games.deals.deal_search`) certifies each deal at the lowest priority,
or a higher one while players wait for a deal of today. A worker thread reads its output. Only one such thread runs per
machine.
"""

from __future__ import annotations

import fcntl
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils import timezone

from games.core.background_threads import BackgroundJob
from games.core.registry import Providers
from games.deals import publishing, sealed_stock
from games.deals.certification import CertificateError
from games.deals.deal_search import NICENESS, STOCK_NICENESS, random_seeds, search_deals
from games.models import SealedDeal
from games.rules import CATALOGUE

log = logging.getLogger(__name__)

#: Limits of one search: seeds and seconds.
TRIES: Final = 40
SECONDS: Final = 300.0

pauses: Final = Providers[Callable[[], bool]]()
"""Filling pauses while any of these is true. They are called from any thread."""


def is_paused() -> bool:
    """Return True if there is a reason to pause, unless players wait for a deal of today."""
    return any(reason() for reason in pauses) and not sealed_stock.is_deal_awaited()


def start_filling() -> threading.Thread | None:
    """Start a background thread that fills the stock; return None if it is full, paused or already being filled."""
    return None if sealed_stock.next_variant() is None or is_paused() else _filling.start()


def _fill() -> None:
    """Fill the stock until nothing is short or filling is paused; the periodic task starts it again."""
    with filling_lock() as free:
        if free:
            for _ in sealed_stock.fill(tuple(CATALOGUE), stop=is_paused, seal=seal_in_process):
                publishing.ensure_deals(timezone.now().date())


_filling: Final = BackgroundJob("fill-sealed", _fill)


def seal_in_process(variant: str, *, stop: sealed_stock.Stop, patience: float) -> SealedDeal | None:
    """Have another process certify one deal and put it in stock; None if it finds none or `stop` becomes true first."""
    niceness = NICENESS if sealed_stock.is_deal_awaited() else STOCK_NICENESS
    seeds = random_seeds(TRIES)
    found = search_deals(CATALOGUE[variant], seeds, SECONDS, patience=patience, niceness=niceness, stop=stop)
    try:
        certificate = next(filter(None, found), None)
    except CertificateError as error:
        log.error("deal not certified: %s", error)  # noqa: TRY400 - frames could tell of the seed
        return None
    return None if certificate is None else sealed_stock.put(variant, certificate)


@contextmanager
def filling_lock() -> Iterator[bool]:
    """Try to hold this machine's file lock for filling; yield True if it was free."""
    path = Path(settings.VAR_DIR) / "fill_sealed.lock"
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
