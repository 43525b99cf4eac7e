"""Publishes deals, the nine of every day and those for practice, and decides when their secrets may be seen."""

from __future__ import annotations

import logging
import secrets
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import CharField, DateField
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.attempts import DealClosedError
from games.compiled import Compiled, Given
from games.deals import difficulty, ledger, numbered, sealed
from games.deals import starter as starters
from games.deals.certification import Certificate
from games.errors import ErrorCode, Refusal
from games.models import Attempt, AwaitedDeal, Deal, SealedDeal
from games.replicas.routing import reading_primary
from games.rules import CATALOGUE, GAMES, RULES_VERSION, OptionError, Variant, commitment

#: How many days after today are kept ready, with their commitments published.
DAYS_AHEAD: Final = 2

#: How long before its day a commitment must be public: a day, plus an hour for the schedule.
COMMITTED_AHEAD: Final = timedelta(hours=25)

#: How long a coming day's deal waits for its proof if that time has already passed, as on the first day.
LONG_PATIENCE: Final = timedelta(minutes=15)

SEED_BYTES: Final = 32

_OF_A_DAY: Final = Compiled(
    lambda: Deal.objects.filter(variant=Given("variant", CharField()), day=Given("day", DateField()))
)

log = logging.getLogger(__name__)


class DealAwaitedError(Refusal):
    """Today's deal is still being certified."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.DEAL_AWAITED)


def ensure_deals(day: date, *, ahead: int = DAYS_AHEAD, now: datetime | None = None) -> list[Deal]:
    """Publish the deals of `day` and the `ahead` days after it, as far as possible; returns all there are, in order.

    Deals come from the stock. While the stock has none, the deal is awaited, and is published without a proof rather
    than too late (see `overdue_at`). A coming day's deal waits for its grade in the same way. Processes that do this at
    the same time take turns.
    """
    now = now or timezone.now()
    days = [day + timedelta(days=n) for n in range(ahead + 1)]
    present = set(Deal.objects.filter(day__in=days).values_list("variant", "day"))
    missing = [(variant, d) for d in days for variant in CATALOGUE if (variant, d) not in present]
    if missing:
        stock = sealed.levels()
        waits = _awaited(missing, now)
        for variant, d in missing:
            if _is_ready(stock[variant], d, now) or now >= overdue_at(d, waits[variant, d], now):
                made = publish(variant, d, now=now)
                if made is not None and made.grade is not None:
                    stock[variant][made.grade] -= 1
    return _in_order(days)


def publish(variant: str, day: date, *, now: datetime | None = None) -> Deal | None:
    """Publish one daily deal with its line on the ledger, unless it has been published.

    It takes the sealed deal whose grade is nearest to the day's. If there is none in stock, nothing is published until
    the wait is over; then the deal has no proof. Where starter deals are allowed, nothing is published until the day
    begins, and then a starter deal.
    """
    now = now or timezone.now()
    with transaction.atomic():
        ledger.lock_ledger()
        present = Deal.objects.filter(variant=variant, day=day).first()
        if present is not None:
            return present
        awaited = AwaitedDeal.objects.filter(variant=variant, day=day)
        since = awaited.values_list("since", flat=True).first() or now
        grade = difficulty.grade_wanted(day)
        found = sealed.take(variant, grade)
        opens = _midnight(day)
        # A coming day waits for a deal that nobody can know, rather than have a starter deal.
        if found is None and now < (opens if settings.STARTER_DEALS else overdue_at(day, since, now)):
            return None
        stand_in = None if found else starters.for_day(variant, grade)
        deal = make_deal(
            CATALOGUE[variant],
            found or stand_in,
            opens_at=opens,
            closes_at=opens + timedelta(days=1),
            day=day,
            starter=stand_in is not None,
        )
        ledger.append(deal, now)
        awaited.delete()
    if not deal.proven and settings.SEALED_STOCK:
        log.warning("a deal goes out without a proof", extra={"variant": variant, "day": day.isoformat()})
    return deal


def overdue_at(day: date, since: datetime, now: datetime) -> datetime:
    """When a daily deal that has been missing from the stock since `since` is published without a proof.

    A deal whose day has begun waits `DEAL_PATIENCE` seconds, or not at all where starter deals are allowed. A coming
    day's deal waits until its commitment must be public, or a quarter of an hour if it was missed only after that, as
    on a first day. Nothing waits if the patience is 0 or no deals are certified.
    """
    if not (settings.DEAL_PATIENCE and settings.SEALED_STOCK):
        return since
    opens = _midnight(day)
    if now >= opens:
        return max(since, opens) + timedelta(seconds=0 if settings.STARTER_DEALS else settings.DEAL_PATIENCE)
    promised = opens - COMMITTED_AHEAD
    return promised if since < promised else since + LONG_PATIENCE


def todays_deals(now: datetime | None = None) -> list[Deal]:
    """The deals of the current UTC day in catalogue order, without those still being prepared."""
    now = now or timezone.now()
    today = now.astimezone(UTC).date()
    deals = _in_order([today])
    if len(deals) == len(CATALOGUE):
        return deals
    with reading_primary():
        return ensure_deals(today, ahead=0, now=now)


def todays_deal(variant: str, now: datetime | None = None) -> Deal:
    """Today's deal of one variant.

    :raises DealAwaitedError: while it is being prepared.
    :raises Deal.DoesNotExist: for a name that is not in the catalogue.
    """
    if variant not in CATALOGUE:
        raise Deal.DoesNotExist(f"no variant is called {variant!r}")
    now = now or timezone.now()
    deal = _OF_A_DAY.first(variant=variant, day=now.astimezone(UTC).date())
    if deal is None:
        deal = next((made for made in todays_deals(now) if made.variant == variant), None)
    if deal is None:
        raise DealAwaitedError
    return deal


def practice_deal(name: str, options: Mapping[str, object] | None = None, *, of: Deal | None = None) -> Deal:
    """A deal for practice: `of` itself if given, otherwise any deal of a variant, or of a game with options.

    :raises OptionError: for an unknown variant, game or option.
    :raises DealClosedError: when `of` is a daily deal that may still be played for a rank.
    """
    now = timezone.now()
    if of is not None:
        if is_secret(of, now):
            raise DealClosedError(_("This deal can be practised once its day and the hour after it are over."))
        return of
    variant = variant_of(name, options)
    return seeded_deal(variant, numbered.seed_of(variant, numbered.draw()))


def seeded_deal(variant: Variant, seed: bytes, proof: Certificate | None = None) -> Deal:
    """The deal that a seed gives, for practice: the one there is, or else a new one. A proof is kept with it.

    :raises DealClosedError: when the seed is a daily deal's or a race's that may still be played for a rank, or one
        that is kept for them.
    :raises ValueError: when the seed belongs to a deal of another game.
    """
    deal = Deal.objects.filter(commitment=commitment(seed)).first()
    if deal is None:
        if SealedDeal.objects.filter(seed=seed).exists():
            raise DealClosedError
        try:
            with transaction.atomic():
                return make_deal(variant, proof, opens_at=timezone.now(), seed=seed)
        except IntegrityError:  # dealt by somebody else at this moment
            deal = Deal.objects.get(commitment=commitment(seed))
    if (deal.game, deal.options) != (variant.game, dict(variant.options)):
        raise ValueError("this seed belongs to a deal of another game")
    if proof is not None and not deal.proven and deal.rules_version == RULES_VERSION:
        Deal.objects.filter(pk=deal.pk, proven=False).update(**_proof(proof))
        deal.refresh_from_db()
    return practice_deal("", of=deal)


def is_secret(deal: Deal, now: datetime | None = None) -> bool:
    """Whether this is a daily deal or a race's that not everybody may know yet: nobody plays it again."""
    return (deal.day is not None or deal.for_race) and not deal.is_revealed(now or timezone.now())


def may_see_seed(deal: Deal, player_id: int | None, now: datetime | None = None) -> bool:
    """Whether this player may see the deal's seed and all that tells of it (records, hidden cards, the solution).

    A daily deal's is open to everybody once its last attempts have ended, a race's once the race is finished; that of a
    practice deal to those who have finished an attempt at it.
    """
    if deal.day is not None or deal.for_race:
        return deal.is_revealed(now or timezone.now())
    if player_id is None:
        return False
    mine = Attempt.objects.filter(deal=deal, player_id=player_id)
    return mine.exists() and not mine.filter(state=Attempt.State.PLAYING).exists()


def _in_order(days: list[date]) -> list[Deal]:
    places = {name: place for place, name in enumerate(CATALOGUE)}
    deals = Deal.objects.filter(day__in=days, variant__in=places)
    return sorted(deals, key=lambda deal: (deal.day or date.min, places[deal.variant]))


def _is_ready(level: Counter[int], day: date, now: datetime) -> bool:
    """Whether the stock has a deal for this day: of any grade once the day has begun, before that of its own grade."""
    return bool(level.total() if now >= _midnight(day) else level[difficulty.grade_wanted(day)] > 0)


def variant_of(name: str, options: Mapping[str, object] | None) -> Variant:
    """The catalogue's variant of that name or with those options, or else the game itself with its options.

    :raises OptionError: for an unknown variant, game or option.
    """
    if options is None and name in CATALOGUE:
        return CATALOGUE[name]
    if name not in GAMES:
        raise OptionError(f"no variant or game is called {name[:20]!r}")
    chosen = GAMES[name].checked_options(options)
    for variant in CATALOGUE.values():
        if variant.game == name and dict(variant.options) == chosen:
            return variant
    return Variant("", name, chosen)


def _awaited(missing: Collection[tuple[str, date]], now: datetime) -> dict[tuple[str, date], datetime]:
    """Since when each of these deals has been awaited: from now on for newly missing ones."""
    rows = AwaitedDeal.objects.filter(day__in={day for _, day in missing})
    waits = {(variant, day): since for variant, day, since in rows.values_list("variant", "day", "since")}
    new = [AwaitedDeal(variant=variant, day=day, since=now) for variant, day in missing if (variant, day) not in waits]
    if new:
        AwaitedDeal.objects.bulk_create(new, ignore_conflicts=True)
    return {key: waits.get(key, now) for key in missing}


def next_midnight(now: datetime) -> datetime:
    """When today's deals close."""
    return _midnight(now.astimezone(UTC).date() + timedelta(days=1))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


def make_deal(
    variant: Variant,
    found: SealedDeal | Certificate | None,
    *,
    opens_at: datetime,
    closes_at: datetime | None = None,
    day: date | None = None,
    for_race: bool = False,
    starter: bool = False,
    seed: bytes | None = None,
) -> Deal:
    """Save a deal made from a sealed one, to order, or from a seed, by default a new random one."""
    seed, proof = seed or secrets.token_bytes(SEED_BYTES), dict[str, Any]()
    if found is not None:
        seed = found.record.seed if isinstance(found, Certificate) else bytes(found.seed)
        proof = _proof(found)
    return Deal.objects.create(
        variant=variant.name,
        game=variant.game,
        options=dict(variant.options),
        rules_version=RULES_VERSION,
        day=day,
        seed=seed,
        commitment=commitment(seed),
        opens_at=opens_at,
        closes_at=closes_at,
        for_race=for_race,
        starter=starter,
        **proof,
    )


def _proof(found: SealedDeal | Certificate) -> dict[str, Any]:
    solution = found.record.to_bytes() if isinstance(found, Certificate) else bytes(found.solution)
    return {"proven": True, "grade": found.grade, "par": found.par, "solution": solution}
