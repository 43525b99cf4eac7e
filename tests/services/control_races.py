"""Race commands of `tests.services.control`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from games.models import Attempt
from games.races import heats, reconciler, rooms, seats
from games.races.models import Entrant, Race, Room
from games.races.room_notifications import notify_room
from leaderboards.models import ProvisionalChange
from leaderboards.ratings import audit, folding
from tests.factories import make_account, make_deal, session_of


def heat(variant: str, seed: str, count: int, seconds: float) -> dict[str, Any]:
    """Create a heat on the deal of that seed that starts in ``seconds`` seconds, with new players.

    The players are divided at once.
    """
    opened = open_heat(variant, seed, count, seconds)
    race = Race.objects.get(pk=opened["race"])
    assert race.scheduled_at is not None
    for player in get_user_model().objects.filter(public_id__in=opened["players"]):
        seats.sit(race.room_id, player)
    heats.advance_all(race.scheduled_at - heats.FROZEN)
    return {"code": opened["code"], "races": divisions(race.pk), "sessions": opened["sessions"]}


def open_heat(variant: str, seed: str, count: int, seconds: float) -> dict[str, Any]:
    """Create a heat on a seed's deal, starting in ``seconds`` seconds, and new players without seats."""
    start = timezone.now() + timedelta(seconds=seconds)
    players = [make_account() for _ in range(count)]
    deal = make_deal(variant, practice=True, seed=bytes.fromhex(seed), for_race=True)
    limit_s = max(rooms.LIMITS_S)
    room = rooms.open_room(None, variant, None, limit_s=limit_s, seats=rooms.MAX_SEATS, kind=Room.Kind.HEAT)
    race = Race.objects.get(room=room)
    assert race.deal_id == deal.pk
    Room.objects.filter(pk=room.pk).update(seats=heats.SEATS)
    Race.objects.filter(pk=race.pk).update(scheduled_at=start, division=1)
    return {
        "code": room.code,
        "race": race.pk,
        "players": [str(player.public_id) for player in players],
        "sessions": [session_of(player) for player in players],
    }


def schedule(race: int, seconds: float) -> float:
    """Have a heat start in ``seconds`` seconds; return the time of its roll call, in seconds since 1970."""
    start = timezone.now() + timedelta(seconds=seconds)
    Race.objects.filter(pk=race).update(scheduled_at=start)
    notify_room(Race.objects.get(pk=race).room_id)
    return (start - heats.FROZEN).timestamp()


def divisions(race: int) -> list[int]:
    """Return the races of a heat, given the first."""
    same = Race.objects.filter(scheduled_at=Race.objects.values("scheduled_at").get(pk=race)["scheduled_at"])
    return list(same.order_by("division").values_list("pk", flat=True))


def tend(races: list[int]) -> bool:
    """Take every step that is due, and return whether these races are finished and rated, or void."""
    reconciler.reconcile()
    folding.rate_finished()
    ends = Race.objects.filter(pk__in=races).values_list("state", "rating")
    return all(state == Race.State.VOID or (state == Race.State.FINISHED and rated) for state, rated in ends)


def unfinished() -> int:
    """Return the number of races that are running, being judged or not rated yet."""
    begun = Race.objects.filter(state__in=[Race.State.COUNTDOWN, Race.State.RACING, Race.State.SETTLING])
    return begun.count() + Race.objects.filter(state=Race.State.FINISHED, rated=True, rating=None).count()


def call_time() -> None:
    """Let the time of all races run out."""
    now = timezone.now()
    open_ones = Race.objects.filter(state__in=[Race.State.COUNTDOWN, Race.State.RACING], starts_at__lte=now)
    Attempt.objects.filter(entrant__race__in=open_ones, state=Attempt.State.PLAYING).update(deadline=now)
    open_ones.update(ends_at=now)


def outcome(race: int) -> dict[str, Any]:
    found = Race.objects.select_related("deal").get(pk=race)
    assert found.deal is not None
    return {
        "id": found.pk,
        "state": found.state,
        "starts_at": found.starts_at.timestamp() if found.starts_at else 0.0,
        "is_revealed": found.deal.revealed_at is not None,
        "entrants": [_entrant(one) for one in found.entrants.select_related("attempt", "player").order_by("pk")],
        "rating_changes": sorted(ProvisionalChange.objects.filter(race=found).values_list("entrant", flat=True)),
        "rating_faults": list(audit.faults()),
    }


def _entrant(entrant: Entrant) -> dict[str, Any]:
    attempt, player = entrant.attempt, entrant.player
    assert player is not None
    return {
        "id": entrant.pk,
        "player": str(player.public_id),
        "state": entrant.state,
        "place": entrant.place,
        "points": entrant.points,
        "attempt": str(attempt.public_id) if attempt is not None else "",
        "verdict": attempt.state if attempt is not None else "",
    }


COMMANDS = (call_time, divisions, heat, open_heat, outcome, schedule, tend, unfinished)
