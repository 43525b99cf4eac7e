"""Deals for races: certified, sealed and never seen before.

They come from abandoned races whose deal was never seen, from the surplus of the stock beyond what the coming days
need, or are made to order by a task.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from games.core import events
from games.deals import publishing, sealed_stock
from games.deals.certification import Certificate
from games.models import Deal
from games.puzzles.runs import puzzle_runs
from games.races.models import Entrant, Race
from games.races.room_notifications import notify_room
from games.rules import RULES_VERSION, Variant

#: Race states in which the deal is still secret.
SECRET: Final = (Race.State.OPEN, Race.State.COUNTDOWN, Race.State.RACING, Race.State.SETTLING)


def assign_deal(race: Race) -> bool:
    """Assign a deal to an open race, or request one to be made; return whether it has one now.

    A puzzle race gets a sequence of puzzles instead. Call it in the transaction that locks the race.
    """
    if race.has_deal:
        return True
    if race.deal_failed:
        return False
    if race.is_puzzle_race:
        race.puzzles = puzzles_for(race)
        race.deal_failed = race.puzzles is None
        race.save(update_fields=["puzzles", "deal_failed"])
        return race.has_deal
    deal = _abandoned_deal(race) or _from_stock(race)
    if deal is None:
        transaction.on_commit(partial(events.request_task, "talon.prepare_race_deal", race.pk))
        return False
    race.deal = deal
    race.save(update_fields=["deal"])
    return True


def puzzles_for(race: Race) -> list[int] | None:
    """Return puzzles that the fewest of a race's players have seen; None if there are none."""
    here = race.entrants.filter(player__isnull=False).exclude(state=Entrant.State.ABSENT)
    players = here.values_list("player", flat=True)
    return puzzle_runs.draw_puzzles(list(players)) or None


def release_deal(race: Race) -> None:
    """Release the unseen deal of an open or void race for another race; discard its puzzles."""
    race.deal, race.puzzles, race.deal_tries, race.deal_failed = None, None, 0, False
    race.save(update_fields=["deal", "puzzles", "deal_tries", "deal_failed"])


def assign_ordered_deal(race_id: int, variant: Variant, certificate: Certificate) -> bool:
    """Assign a deal made to order, and return whether the race still wanted it."""
    with transaction.atomic():
        race = Race.objects.select_for_update(no_key=True).filter(pk=race_id).first()
        if race is None or race.state != Race.State.OPEN or race.has_deal or variant_of(race) != variant:
            return False
        race.deal = publishing.make_deal(variant, certificate, opens_at=timezone.now(), for_race=True)
        race.deal_failed = False
        race.save(update_fields=["deal", "deal_failed"])
        notify_room(race.room_id)
    return True


def reveal(deal: Deal | None, now: datetime) -> None:
    """Publish the seed if every race on this deal is over. A puzzle race has none.

    Call it in the transaction that ends a race and holds its lock.
    """
    if deal is None:
        return
    # If two divisions end at once, the second to get this lock sees that the first is over.
    Deal.objects.select_for_update(no_key=True).only("pk").get(pk=deal.pk)
    if not Race.objects.filter(deal=deal, state__in=SECRET).exists():
        Deal.objects.filter(pk=deal.pk, revealed_at=None).update(revealed_at=now)


def variant_of(race: Race) -> Variant:
    """Return the race's game as a variant."""
    return Variant(race.variant, race.game, race.options)


def _abandoned_deal(race: Race) -> Deal | None:
    game_fields: dict[str, Any] = {"variant": race.variant, "game": race.game, "options": race.options}
    unseen = Deal.objects.filter(for_race=True, revealed_at=None, proven=bool(settings.SEALED_STOCK), **game_fields)
    free = unseen.filter(rules_version=RULES_VERSION, races=None, attempts=None).order_by("pk")
    return free.select_for_update(skip_locked=True, no_key=True, of=("self",)).first()


def _from_stock(race: Race) -> Deal | None:
    certificate = sealed_stock.take_spare(race.variant) if settings.SEALED_STOCK and race.variant else None
    if settings.SEALED_STOCK and certificate is None:  # without a stock, this installation certifies no deals
        return None
    return publishing.make_deal(variant_of(race), certificate, opens_at=timezone.now(), for_race=True)
