"""Stock of sealed deals, certified in advance; each is used for exactly one deal.

A sealed deal is written in one transaction once it is complete, and removed in the transaction that creates the deal,
so killing a process at any point is safe.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import reduce
from operator import or_
from typing import Final, Protocol

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Abs
from django.utils import timezone

from games.deals.certification import Certificate, CertificateError, certify
from games.deals.difficulty import FAIR, GRADES, longest_par, target_grade
from games.models import AwaitedDeal, SealedDeal
from games.rules import CATALOGUE, RULES_VERSION
from games.rules.shuffle import SEED_BYTES

#: Reserve of each variant for the days ahead; `take_spare` takes only the surplus.
RESERVED_FOR_DAYS: Final = 7

#: Multiple of the target to which a variant's stock may grow while a grade is missing.
MAX_TARGETS: Final = 2

#: Seconds that full shortening of a line may take; its effort limit is usually reached within five.
PATIENCE: Final = 15.0

log = logging.getLogger(__name__)

Stop = Callable[[], bool]


class Seal(Protocol):
    """Function that adds one deal of a variant to the stock; returns None if `stop` becomes true first."""

    def __call__(self, variant: str, *, stop: Stop, patience: float) -> SealedDeal | None:
        """Seal a deal."""


def take(variant: str, grade: int, *, hardest: int = max(GRADES)) -> SealedDeal | None:
    """Take the sealed deal with the nearest grade up to `hardest`, the oldest among equals; None if there is none.

    Call it in the transaction that creates the deal: on rollback the sealed deal stays in stock.
    """
    return _taken(_stock(variant).filter(grade__lte=hardest).order_by(Abs(F("grade") - grade), "id"))


def take_spare(variant: str) -> SealedDeal | None:
    """Take the oldest sealed deal of any grade, but only from the surplus over `RESERVED_FOR_DAYS`; None otherwise."""
    if _stock(variant).count() <= RESERVED_FOR_DAYS:
        return None
    return _taken(_stock(variant).order_by("id"))


def levels() -> dict[str, Counter[int]]:
    """Return the number of sealed deals by variant and grade."""
    counts: dict[str, Counter[int]] = {name: Counter() for name in CATALOGUE}
    rows = SealedDeal.objects.filter(_may_be_dealt())
    for variant, grade, count in rows.values_list("variant", "grade").annotate(count=Count("id")).order_by():
        counts[variant][grade] = count
    return counts


def is_short(level: Counter[int]) -> bool:
    """Return True if a variant's stock should grow: below its target, without a deal for relaxed play, or missing a
    grade and not overfull.
    """
    target = settings.SEALED_STOCK
    if level.total() < target or not any(level[grade] for grade in range(1, FAIR + 1)):
        return True
    return len(+level) < len(GRADES) and level.total() < MAX_TARGETS * target


def next_variant(names: Collection[str] = tuple(CATALOGUE)) -> str | None:
    """Return the variant that needs a sealed deal most, or None.

    Priority: variants awaited by a day and out of stock, then those awaited in a grade not in stock, then the scarcest.
    """
    if not settings.SEALED_STOCK:
        return None
    stock = levels()
    awaited = list(AwaitedDeal.objects.filter(variant__in=names).order_by("day", "id").values_list("variant", "day"))
    for variant, _ in awaited:
        if not stock[variant]:
            return variant
    for variant, day in awaited:  # however full the stock is: `fill` makes room
        if not stock[variant][target_grade(variant, day)]:
            return variant
    short = [name for name in CATALOGUE if name in names and is_short(stock[name])]
    return min(short, key=lambda name: stock[name].total(), default=None)


def seal_one(variant: str, *, stop: Stop = lambda: False, patience: float = PATIENCE) -> SealedDeal | None:
    """Draw seeds until one is certified with an acceptable par, and put it in stock; None if `stop` becomes true first.

    `patience` is passed to `certify`: 0 while players wait.
    """
    while not stop():
        seed = secrets.token_bytes(SEED_BYTES)
        try:
            certificate = certify(variant, seed, cancel=stop, patience=patience)
        except CertificateError as error:
            log.error("deal not certified: %s", error)  # noqa: TRY400 - frames and causes could tell of the seed
            continue
        if certificate is not None and (sealed := put(variant, certificate)):
            return sealed
    return None


def put(variant: str, certificate: Certificate) -> SealedDeal | None:
    """Put a certified deal in stock; return None if its par is above `longest_par`."""
    if certificate.par > longest_par(variant):
        return None
    figures, grade = certificate.figures, certificate.grade
    assert figures is not None
    assert grade is not None
    return SealedDeal.objects.create(
        variant=variant,
        rules_version=RULES_VERSION,
        seed=certificate.record.seed,
        solution=certificate.record.to_bytes(),
        par=certificate.par,
        grade=grade,
        random_wins=figures.random_wins,
        greedy_wins=figures.greedy_wins,
        nodes=figures.nodes,
    )


def fill(names: Collection[str], *, stop: Stop, seal: Seal | None = None) -> Iterator[SealedDeal]:
    """Put deals in stock one by one, where they are needed most, until nothing is short or `stop` becomes true.

    `seal` is `seal_one` (the default) or a version of it that uses another process.
    """
    seal = seal or seal_one
    while not stop():
        variant = next_variant(names)
        sealed = variant and seal(variant, stop=stop, patience=0 if is_deal_awaited() else PATIENCE)
        if not variant or not sealed:
            return
        _make_room(variant)
        yield sealed


@transaction.atomic
def _make_room(variant: str) -> None:
    """Delete the oldest deal of the commonest grade if the stock is overfull, so that no grade crowds out the others.

    Days take grades in other shares than searches find them.
    """
    level = levels()[variant]
    grade, count = level.most_common(1)[0]
    if count > 1 and level.total() > MAX_TARGETS * settings.SEALED_STOCK:
        _taken(_stock(variant).filter(grade=grade).order_by("id"))


def _stock(variant: str) -> QuerySet[SealedDeal]:
    return SealedDeal.objects.filter(_may_be_dealt(), variant=variant)


def _may_be_dealt() -> Q:
    """Return a filter for deals of the current rules with an acceptable par; older releases sealed longer ones."""
    short = [Q(variant=variant, par__lte=longest_par(variant)) for variant in CATALOGUE]
    return Q(rules_version=RULES_VERSION) & reduce(or_, short)


def _taken(queryset: QuerySet[SealedDeal]) -> SealedDeal | None:
    # SKIP LOCKED: a concurrent process skips a row that is being taken and takes the next.
    sealed = queryset.select_for_update(skip_locked=True).first()
    if sealed is not None:
        SealedDeal.objects.filter(pk=sealed.pk).delete()
    return sealed


def is_deal_awaited() -> bool:
    """Return True if a deal of today, or of an earlier day, is awaited."""
    return AwaitedDeal.objects.filter(day__lte=timezone.now().date()).exists()


def fill_each(names: Collection[str], count: int, *, stop: Stop) -> Iterator[SealedDeal]:
    """Put `count` more deals of each variant in stock, round-robin, until `stop` becomes true."""
    for _ in range(count):
        for variant in names:
            sealed = seal_one(variant, stop=stop)
            if sealed is None:
                return
            yield sealed


def shortage(names: Collection[str]) -> int:
    """Return roughly how many deals the stock is short of its target; missing grades may take more."""
    stock = levels()
    return sum(max(settings.SEALED_STOCK - stock[name].total(), 0) for name in names)


def stop_after(seconds: float | None) -> Stop:
    """Return a `stop` that becomes true after `seconds`, or never for None."""
    if seconds is None:
        return lambda: False
    latest = time.monotonic() + seconds
    return lambda: time.monotonic() >= latest
