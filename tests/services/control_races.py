"""Race commands of `tests.services.control`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone

from games.attempts.lifecycle import record_of
from games.models import Attempt, Deal
from games.races import heats, race_start, reconciler, rooms, seats
from games.races.models import Entrant, Race, Room
from games.races.results import heat_standings, race_of_the_day
from games.races.room_notifications import notify_room
from leaderboards.models import RatingChange
from leaderboards.ratings import rating_audit, rating_reconciler
from tests.leaderboards import factory
from tests.services.stack import FIRST_DAY


def session_of(player: Any) -> str:
    """Return the key of a new session in which the player is signed in."""
    session = SessionStore()
    session[SESSION_KEY] = str(player.pk)
    session[BACKEND_SESSION_KEY] = "allauth.account.auth_backends.AuthenticationBackend"
    session[HASH_SESSION_KEY] = player.get_session_auth_hash()
    session.create()
    assert session.session_key is not None
    return session.session_key


def accounts(count: int, veterans: int = 0) -> list[dict[str, Any]]:
    """Create players with sessions, the `veterans` first ones with a verified daily game."""
    made = [factory.player() for _ in range(count)]
    for player in made[:veterans]:
        _finish_daily(player)
    return [
        {"session": session_of(player), "player": str(player.public_id), "veteran": number < veterans}
        for number, player in enumerate(made)
    ]


def _finish_daily(player: Any) -> None:
    day = FIRST_DAY - timedelta(days=1)
    deal = Deal.objects.filter(day=day).first() or factory.deal(day=day)
    factory.finished(deal, player, state=Attempt.State.VERIFIED, real_play=True, verified_at=factory.NOON)


def heat(variant: str, seed: str) -> dict[str, Any]:
    """Create the room of a heat on the deal of that seed, with open doors. The heat starts on `schedule`."""
    now = timezone.now()
    deal = factory.deal(variant, day=None, seed=bytes.fromhex(seed))
    Deal.objects.filter(pk=deal.pk).update(for_race=True, opens_at=now)
    kind = Room.Kind.HEAT
    room = rooms.open_room(None, variant, None, limit_s=max(rooms.LIMITS_S), seats=rooms.MAX_SEATS, kind=kind)
    race = Race.objects.get(room=room)
    assert race.deal_id == deal.pk
    Room.objects.filter(pk=room.pk).update(seats=heats.SEATS)
    Race.objects.filter(pk=race.pk).update(scheduled_at=now + timedelta(hours=7, seconds=room.pk), division=1)
    return {"code": room.code, "race": race.pk}


def race_soon(variant: str, seed: str, count: int, seconds: float) -> dict[str, Any]:
    """Create a rated race of ``count`` new players that starts in ``seconds`` seconds on the deal of that seed."""
    players = [factory.player() for _ in range(count)]
    found = heat(variant, seed)
    race = Race.objects.get(pk=found["race"])
    for player in players:
        seats.sit(race.room_id, player)
        seats.set_ready(race.room_id, player.pk, ready=True)
    assert race_start.freeze(race.pk, countdown=timedelta(seconds=seconds))
    return {**found, "sessions": [session_of(player) for player in players]}


def unfinished() -> int:
    """Return the number of races that are running, being judged or not rated yet."""
    begun = Race.objects.filter(state__in=[Race.State.COUNTDOWN, Race.State.RACING, Race.State.SETTLING])
    return begun.count() + Race.objects.filter(state=Race.State.FINISHED, rated=True, rating=None).count()


def tend_races() -> None:
    reconciler.reconcile()
    rating_reconciler.rate_finished()


def schedule(race: int, seconds: float, *, at_once: bool = False) -> None:
    """Have a heat start in ``seconds`` seconds. The service divides it fifteen seconds before, or here ``at_once``."""
    start = timezone.now() + timedelta(seconds=seconds)
    Race.objects.filter(pk=race).update(scheduled_at=start)
    notify_room(Race.objects.get(pk=race).room_id)
    if at_once:
        heats.advance_all(start - heats.FROZEN)


def divisions(race: int) -> list[int]:
    """Return the races of a heat's divisions, beginning with the first."""
    return list(_divisions(race).values_list("pk", flat=True))


def codes(race: int) -> list[str]:
    """Return the codes of the rooms of a heat's divisions."""
    return list(_divisions(race).values_list("room__code", flat=True))


def _divisions(race: int) -> Any:
    return Race.objects.filter(scheduled_at=Race.objects.get(pk=race).scheduled_at).order_by("division")


def day_results(race: int) -> dict[str, Any]:
    """Return podium and standing of a heat, held at any hour, as if it had been the latest race of the day."""
    now = timezone.now()
    starts = heats.races_of_the_day(now.date() - timedelta(days=1), now.date() + timedelta(days=1))
    start = max(start for start in starts if start <= now)
    Race.objects.filter(scheduled_at=start).update(scheduled_at=None)
    Race.objects.filter(pk__in=divisions(race)).update(scheduled_at=start)
    standing = heat_standings.standing("day", start.date(), limit=1000, starts=[start])
    pages = dict(get_user_model().objects.values_list("pk", "public_id"))
    return {
        "podium": [[str(one.page), one.cards_up, one.elapsed_ms] for one in race_of_the_day.podiums(now)[0]],
        "standing": {str(pages[row.player_id]): [row.place, row.points, row.heats, row.wins] for row in standing},
    }


def call_time(race: int) -> None:
    now = timezone.now()
    Race.objects.filter(pk=race).update(ends_at=now)
    Attempt.objects.filter(entrant__race=race, state=Attempt.State.PLAYING).update(deadline=now)


def call_all_times() -> None:
    open_ones = Race.objects.filter(state__in=[Race.State.COUNTDOWN, Race.State.RACING])
    begun = open_ones.filter(starts_at__lte=timezone.now())
    for key in begun.values_list("pk", flat=True):
        call_time(key)


def forsaken_room() -> int:
    long_ago = timezone.now() - timedelta(hours=1)
    return rooms.open_room(None, "stonewall", None, limit_s=300, seats=2, kind=Room.Kind.PRIVATE, now=long_ago).pk


def is_closed(room: int) -> bool:
    return Room.objects.get(pk=room).closed_at is not None


def outcome(race: int) -> dict[str, Any]:
    found = Race.objects.select_related("deal").get(pk=race)
    assert found.deal is not None
    return {
        "state": found.state,
        "starts_at": found.starts_at.timestamp() if found.starts_at else 0.0,
        "is_revealed": found.deal.revealed_at is not None,
        "entrants": [_entrant(one) for one in found.entrants.select_related("attempt", "player").order_by("pk")],
        "rating_changes": sorted(RatingChange.objects.filter(race=found).values_list("entrant", flat=True)),
        "rating_faults": list(rating_audit.faults()),
        "deal": found.deal.pk,
    }


def _entrant(entrant: Entrant) -> dict[str, Any]:
    attempt, player = entrant.attempt, entrant.player
    assert player is not None
    record = record_of(attempt) if attempt is not None and attempt.record is not None else None
    return {
        "id": entrant.pk,
        "player": str(player.public_id),
        "state": entrant.state,
        "place": entrant.place,
        "points": entrant.points,
        "attempt": str(attempt.public_id) if attempt is not None else "",
        "verdict": attempt.state if attempt is not None else "",
        "record": record.to_json() if record is not None else None,
    }


COMMANDS = (
    accounts,
    codes,
    day_results,
    divisions,
    schedule,
    call_all_times,
    call_time,
    forsaken_room,
    heat,
    is_closed,
    outcome,
    race_soon,
    tend_races,
    unfinished,
)
