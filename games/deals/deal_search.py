"""Search for certified deals of any game, in a process of its own (`games.core.search_process`)."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from games.core.search_process import run_search
from games.deals.certification import Certificate, CertificateError, certify, winning_record
from games.rules import Variant
from games.rules.shuffle import SEED_BYTES

#: Niceness of a search that someone waits for, and of one for the stock.
NICENESS: Final = 5
STOCK_NICENESS: Final = 19
#: Seconds after its time limit when a search counts as hung and is killed.
KILL_DELAY: Final = 60.0


@dataclass(frozen=True, slots=True)
class DealRequest:
    """The seeds to try for a catalogue variant, or a game with options, and the time limit in seconds.

    With a `grade`, only a deal of that grade ends the search; `patience` is passed to `certify`.
    """

    name: str
    options: dict[str, bool | int | str] | None
    seeds: Sequence[bytes]
    seconds: float
    grade: int | None
    patience: float


def random_seeds(number: int) -> list[bytes]:
    """Draw seeds for a search."""
    return [secrets.token_bytes(SEED_BYTES) for _ in range(number)]


def search_deals(
    variant: Variant,
    seeds: Sequence[bytes],
    seconds: float,
    *,
    grade: int | None = None,
    patience: float = 0,
    niceness: int = NICENESS,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Certificate | None]:
    """Run `try_seeds` in a process, which is killed when the generator is closed or `stop` returns True.

    :raises CertificateError: when a record does not win, as replayed by the rules in this process.
    """
    name, options = variant.name or variant.game, None if variant.name else dict(variant.options)
    request = DealRequest(name, options, seeds, seconds, grade, patience)
    for certificate in run_search(try_seeds, request, niceness=niceness, seconds=seconds + KILL_DELAY, stop=stop):
        if certificate is None:
            yield None
        else:
            record = certificate.record
            yield replace(certificate, record=winning_record(name, record.seed, record.tokens, options))


def try_seeds(request: DealRequest) -> Iterator[Certificate | None]:
    """Yield the certificate for each seed, or None without one, until one has the grade or the time is up."""
    latest = time.monotonic() + request.seconds

    def is_over() -> bool:
        return time.monotonic() >= latest

    for seed in request.seeds:
        certificate = None
        with suppress(CertificateError):  # a solver bug; the next seed may still work
            certificate = certify(request.name, seed, request.options, cancel=is_over, patience=request.patience)
        yield certificate
        if is_over() or (certificate is not None and request.grade in {None, certificate.grade}):
            return
