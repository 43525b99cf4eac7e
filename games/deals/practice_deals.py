"""Winnable practice deals: taken from those already certified, or searched for on request.

A certified practice deal is a numbered deal with a winning line; every player may get it once. If none is available for
a player, an order is stored as a row, and a Celery task starts a search process that tries numbers
(`games.deals.deal_search`). Every deal found is kept for other players, whatever its grade. The sealed deals for days
and races are never touched.
"""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from games.core import events
from games.core.background_threads import run_in_background
from games.db.players import Player
from games.deals import first_game, numbered_deals, publishing, starter_deals
from games.deals.deal_search import search_deals
from games.models import Attempt, Deal, PracticeOrder
from games.rules import RULES_VERSION, Variant

#: Limits of one search: seeds and seconds.
TRIES: Final = 80
SECONDS: Final = 45.0
#: Lifetime of an order; after it the order is over even if its search was lost.
PATIENCE: Final = timedelta(seconds=75)

#: Poll interval of an order that waits for its turn, in seconds.
POLL_SECONDS: Final = 1.0

#: Semaphore that limits concurrent searches in a worker process; others wait for a turn.
_search_slots = threading.BoundedSemaphore(2)


def deal_for(player_id: int | None, variant: Variant, grade: int | None = None) -> Deal | None:
    """Return a certified practice deal that the player has not begun, of `grade` if given; None if there is none.

    Unplayed deals come first, then random ones, so that newcomers get different cards.
    """
    certificate = starter_deals.for_practice(variant.name, grade)
    if certificate:
        return publishing.seeded_deal(variant, certificate.record.seed, certificate)
    practice = Deal.objects.filter(day=None, relaxed_day=None, for_race=False)
    certified = practice.filter(proven=True, rules_version=RULES_VERSION)
    fitting = certified.filter(game=variant.game, variant=variant.name, options=dict(variant.options))
    if grade is not None:
        fitting = fitting.filter(grade=grade)
    already_played = Exists(Attempt.objects.filter(deal=OuterRef("pk"), player=player_id))
    # The first games for newcomers are excluded, because they come with explanations.
    fresh = fitting.exclude(already_played).exclude(seed__in=first_game.winning_lines(variant.name))
    return fresh.order_by("?").first()


def order(player: Player, variant: Variant, grade: int | None = None) -> PracticeOrder:
    """Order a search for a deal. A player has one order at a time: a new one replaces the previous one."""
    wish = PracticeOrder(
        player_id=player.pk,
        variant=variant.name,
        game=variant.game,
        options=dict(variant.options),
        grade=grade,
        made_at=timezone.now(),
    )
    try:
        with transaction.atomic():
            PracticeOrder.objects.filter(player=player.pk).delete()
            wish.save(force_insert=True)
            transaction.on_commit(lambda: _request_search(wish))
    except IntegrityError:  # ordered in another tab at this moment
        return PracticeOrder.objects.get(player=player.pk)
    return wish


def order_of(player_id: int | None) -> PracticeOrder | None:
    """Return the player's order, or None."""
    return PracticeOrder.objects.select_related("deal").filter(player=player_id).first()


def is_over(wish: PracticeOrder, now: datetime | None = None) -> bool:
    """Return True if the search of an order has ended."""
    return wish.ended or (now or timezone.now()) >= wish.made_at + PATIENCE


def fits(wish: PracticeOrder) -> bool:
    """Return True if a deal was found and has the requested grade."""
    return wish.deal is not None and wish.grade in {None, wish.deal.grade}


def start_search(order_id: int) -> threading.Thread:
    """Search for the deal of an order in a background thread of this worker."""
    return run_in_background(f"practice-deal-{order_id}", lambda: find(order_id))


def find(order_id: int) -> None:
    """Search for the deal of an order until it is found, time is up or the order is withdrawn."""
    wish = PracticeOrder.objects.filter(pk=order_id, ended=False).first()
    if wish is None:
        return
    latest = time.monotonic() + (wish.made_at + PATIENCE - timezone.now()).total_seconds()
    if not _wait_for_slot(wish, latest):
        return
    try:
        _search(wish, min(SECONDS, latest - time.monotonic()))
    finally:
        _search_slots.release()
        PracticeOrder.objects.filter(pk=order_id).update(ended=True)


def _wait_for_slot(wish: PracticeOrder, latest: float) -> bool:
    """Wait for a turn; return False if time is up or the order is withdrawn, so that the thread ends early."""
    while time.monotonic() < latest and PracticeOrder.objects.filter(pk=wish.pk).exists():
        if _search_slots.acquire(timeout=POLL_SECONDS):
            return True
    return False


def _search(wish: PracticeOrder, seconds: float) -> None:
    variant = Variant(wish.variant, wish.game, wish.options)
    row = PracticeOrder.objects.filter(pk=wish.pk)
    seeds = [numbered_deals.seed_of(variant, numbered_deals.draw()) for _ in range(TRIES)]
    for certificate in search_deals(variant, seeds, seconds, grade=wish.grade):
        if not row.update(tried=F("tried") + 1):
            return
        if certificate is None:
            continue
        deal = publishing.seeded_deal(variant, certificate.record.seed, certificate)
        if wish.deal is None or _distance(wish, deal) < _distance(wish, wish.deal):
            wish.deal = deal
            row.update(deal=deal)


def _distance(wish: PracticeOrder, deal: Deal) -> int:
    return abs((wish.grade or 0) - (deal.grade or 0)) if wish.grade else 0


def _request_search(wish: PracticeOrder) -> None:
    if not events.request_task("talon.find_practice_deal", wish.pk):
        PracticeOrder.objects.filter(pk=wish.pk).update(ended=True)
