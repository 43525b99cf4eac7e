"""Deal publishing: the daily deals and practice deals, and the rules for revealing their secrets."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.attempts.lifecycle import DealClosedError
from games.core.errors import ErrorCode, Refusal
from games.db.replicas.router import reading_primary
from games.deals import difficulty, ledger, numbered_deals, sealed_stock
from games.deals import starter_deals as starters
from games.deals.certification import Certificate
from games.models import Attempt, AwaitedDeal, Deal, SealedDeal
from games.rules import CATALOGUE, GAMES, RULES_VERSION, OptionError, Variant, commitment
from games.rules.shuffle import SEED_BYTES

#: Number of days after today whose deals are published in advance, with their commitments.
DAYS_AHEAD: Final = 2

#: Lead time by which a commitment must be public before its day: a day, plus an hour of slack for the schedule.
COMMITTED_AHEAD: Final = timedelta(hours=25)

#: Time that a coming day's deal waits for its proof if that deadline has already passed, as on the first day.
LONG_PATIENCE: Final = timedelta(minutes=15)

log = logging.getLogger(__name__)


class DealAwaitedError(Refusal):
    """Today's deal is still being certified."""

    def __init__(self) -> None:
        super().__init__(ErrorCode.DEAL_AWAITED)


def ensure_deals(day: date, *, ahead: int = DAYS_AHEAD, now: datetime | None = None) -> list[Deal]:
    """Publish the deals of `day` and the `ahead` days after it, as far as possible; return all that exist, in order.

    Deals come from the stock. If the stock has none, the deal waits, but it is published without a proof rather than
    too late (see `overdue_at`). A coming day's deal waits for its grade in the same way. Concurrent calls are
    serialized.
    """
    now = now or timezone.now()
    days = [day + timedelta(days=n) for n in range(ahead + 1)]
    present = set(Deal.objects.filter(day__in=days).values_list("variant", "day"))
    missing = [(variant, d) for d in days for variant in CATALOGUE if (variant, d) not in present]
    if missing:
        stock = sealed_stock.levels()
        waits = _awaited(missing, now)
        for variant, d in missing:
            level = stock[variant]
            # Once the day has begun, any grade will do.
            is_ready = level.total() if now >= _midnight(d) else level[difficulty.target_grade(variant, d)] > 0
            if is_ready or now >= overdue_at(d, waits[variant, d], now):
                deal = publish(variant, d, now=now)
                if deal is not None and deal.grade is not None:
                    level[deal.grade] -= 1
    return _in_order(days)


def publish(variant: str, day: date, *, now: datetime | None = None) -> Deal | None:
    """Publish one daily deal with its ledger line, or return the one already published.

    It takes the sealed deal whose grade is nearest to the day's. With none in stock, it publishes nothing (returns
    None) until the deal is overdue, then a deal without a proof. If starter deals are allowed, it waits until the day
    begins and then publishes a starter deal.
    """
    now = now or timezone.now()
    with transaction.atomic():
        ledger.lock_ledger()
        present = Deal.objects.filter(variant=variant, day=day).first()
        if present is not None:
            return present
        awaited = AwaitedDeal.objects.filter(variant=variant, day=day)
        since = awaited.values_list("since", flat=True).first() or now
        grade = difficulty.target_grade(variant, day)
        sealed = sealed_stock.take(variant, grade)
        opens = _midnight(day)
        # Starter deals are publicly known, so a coming day waits for a secret one.
        if sealed is None and now < (opens if settings.STARTER_DEALS else overdue_at(day, since, now)):
            return None
        stand_in = None if sealed else starters.for_day(variant, grade)
        deal = make_deal(
            CATALOGUE[variant],
            sealed or stand_in,
            opens_at=opens,
            closes_at=opens + timedelta(days=1),
            day=day,
            starter=stand_in is not None,
        )
        ledger.append(deal, now)
        awaited.delete()
    if not deal.proven and settings.SEALED_STOCK:
        log.warning("deal published without a proof", extra={"variant": variant, "day": day.isoformat()})
    return deal


def overdue_at(day: date, since: datetime, now: datetime) -> datetime:
    """Return when a daily deal missing from the stock since `since` is published without a proof.

    A deal whose day has begun waits `DEAL_PATIENCE` seconds, or not at all if starter deals are allowed. A coming day's
    deal waits until its commitment must be public, or for 15 minutes if it went missing after that, as on a first day.
    Nothing waits if the patience is 0 or no deals are certified.
    """
    if not (settings.DEAL_PATIENCE and settings.SEALED_STOCK):
        return since
    opens = _midnight(day)
    if now >= opens:
        return max(since, opens) + timedelta(seconds=0 if settings.STARTER_DEALS else settings.DEAL_PATIENCE)
    promised = opens - COMMITTED_AHEAD
    return promised if since < promised else since + LONG_PATIENCE


def todays_deals(now: datetime | None = None) -> list[Deal]:
    """Return the deals of the current UTC day in catalogue order, except those still being prepared."""
    now = now or timezone.now()
    today = now.astimezone(UTC).date()
    deals = _in_order([today])
    if len(deals) == len(CATALOGUE):
        return deals
    with reading_primary():
        return ensure_deals(today, ahead=0, now=now)


def todays_deal(variant: str, now: datetime | None = None) -> Deal:
    """Return today's deal of one variant.

    :raises DealAwaitedError: while it is being prepared.
    :raises Deal.DoesNotExist: for a name that is not in the catalogue.
    """
    if variant not in CATALOGUE:
        raise Deal.DoesNotExist(f"no variant is called {variant!r}")
    now = now or timezone.now()
    deal = Deal.objects.filter(variant=variant, day=now.astimezone(UTC).date()).first()
    if deal is None:
        deal = next((candidate for candidate in todays_deals(now) if candidate.variant == variant), None)
    if deal is None:
        raise DealAwaitedError
    return deal


def practice_deal(name: str, options: Mapping[str, object] | None = None, *, of: Deal | None = None) -> Deal:
    """Return a deal for practice: `of` itself if given, else a random numbered deal of a variant, or of a game with
    options.

    :raises OptionError: for an unknown variant, game or option.
    :raises DealClosedError: when `of` is a daily deal that may still be played for a rank.
    """
    now = timezone.now()
    if of is not None:
        if is_secret(of, now):
            raise DealClosedError(_("You can practise this deal an hour after its day ends."))
        return of
    variant = variant_of(name, options)
    return seeded_deal(variant, numbered_deals.seed_of(variant, numbered_deals.draw()))


def seeded_deal(variant: Variant, seed: bytes, proof: Certificate | None = None) -> Deal:
    """Return the practice deal with this seed, creating it if needed, and store the proof with it.

    :raises DealClosedError: when the seed belongs to a daily deal or a race that is still secret, or to a sealed deal
        in stock.
    :raises ValueError: when the seed belongs to a deal of another game.
    """
    deal = Deal.objects.filter(commitment=commitment(seed)).first()
    if deal is None:
        if SealedDeal.objects.filter(seed=seed).exists():
            raise DealClosedError
        try:
            with transaction.atomic():
                return make_deal(variant, proof, opens_at=timezone.now(), seed=seed)
        except IntegrityError:  # created concurrently by another request
            deal = Deal.objects.get(commitment=commitment(seed))
    if (deal.game, deal.options) != (variant.game, dict(variant.options)):
        raise ValueError("this seed belongs to a deal of another game")
    if proof is not None and not deal.proven and deal.rules_version == RULES_VERSION:
        Deal.objects.filter(pk=deal.pk, proven=False).update(**_proof(proof))
        deal.refresh_from_db()
    return practice_deal("", of=deal)


def is_secret(deal: Deal, now: datetime | None = None) -> bool:
    """Return True for a daily deal or a race's deal that is not revealed yet, and so cannot be practised."""
    return (deal.day is not None or deal.for_race) and not deal.is_revealed(now or timezone.now())


def may_see_seed(deal: Deal, player_id: int | None, now: datetime | None = None) -> bool:
    """Return True if this player may see the deal's seed and all that reveals it (records, hidden cards, the solution).

    A daily deal's seed becomes public when its last attempts have ended, a race's when the race is finished. A practice
    deal's seed is visible to players with attempts at it, none of them still running.
    """
    if deal.day is not None or deal.for_race:
        return deal.is_revealed(now or timezone.now())
    if player_id is None:
        return False
    attempts = Attempt.objects.filter(deal=deal, player_id=player_id)
    return attempts.exists() and not attempts.filter(state=Attempt.State.PLAYING).exists()


def _in_order(days: list[date]) -> list[Deal]:
    places = {name: place for place, name in enumerate(CATALOGUE)}
    deals = Deal.objects.filter(day__in=days, variant__in=places)
    return sorted(deals, key=lambda deal: (deal.day or date.min, places[deal.variant]))


def variant_of(name: str, options: Mapping[str, object] | None) -> Variant:
    """Return the catalogue's variant with this name or these options, or an unnamed one for a game with options.

    :raises OptionError: for an unknown variant, game or option.
    """
    if options is None and name in CATALOGUE:
        return CATALOGUE[name]
    if name not in GAMES:
        raise OptionError(f"no variant or game is called {name[:20]!r}")
    checked = GAMES[name].checked_options(options)
    for variant in CATALOGUE.values():
        if variant.game == name and dict(variant.options) == checked:
            return variant
    return Variant("", name, checked)


def _awaited(missing: Collection[tuple[str, date]], now: datetime) -> dict[tuple[str, date], datetime]:
    """Return the time since which each of these deals has been awaited, storing `now` for newly missing ones."""
    rows = AwaitedDeal.objects.filter(day__in={day for _, day in missing})
    waits = {(variant, day): since for variant, day, since in rows.values_list("variant", "day", "since")}
    new = [AwaitedDeal(variant=variant, day=day, since=now) for variant, day in missing if (variant, day) not in waits]
    if new:
        AwaitedDeal.objects.bulk_create(new, ignore_conflicts=True)
    return {key: waits.get(key, now) for key in missing}


def next_midnight(now: datetime) -> datetime:
    """Return the next midnight in UTC, when today's deals close."""
    return _midnight(now.astimezone(UTC).date() + timedelta(days=1))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=UTC)


def make_deal(
    variant: Variant,
    source: SealedDeal | Certificate | None,
    *,
    opens_at: datetime,
    closes_at: datetime | None = None,
    day: date | None = None,
    relaxed_day: date | None = None,
    for_race: bool = False,
    starter: bool = False,
    seed: bytes | None = None,
) -> Deal:
    """Create a deal from a sealed deal, a certificate or a seed; by default from a new random seed."""
    seed, proof = seed or secrets.token_bytes(SEED_BYTES), dict[str, Any]()
    if source is not None:
        seed = source.record.seed if isinstance(source, Certificate) else bytes(source.seed)
        proof = _proof(source)
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
        relaxed_day=relaxed_day,
        for_race=for_race,
        starter=starter,
        **proof,
    )


def _proof(source: SealedDeal | Certificate) -> dict[str, Any]:
    solution = source.record.to_bytes() if isinstance(source, Certificate) else bytes(source.solution)
    return {"proven": True, "grade": source.grade, "par": source.par, "solution": solution}
