"""Start of a race: the roll call, the countdown, the transition to racing, and the players who don't show up.

`starts_at` is in the database, the cards are dealt from memory at that time, and any process may make the transition.
A race in which nothing has happened ten seconds later was spoiled by the server and becomes void.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from games.core import metrics
from games.core.errors import ErrorCode, Refusal
from games.live.start_timer import CANCEL_CUTOFF
from games.models import Attempt, Deal
from games.puzzles.models import PuzzleRun
from games.puzzles.runs import puzzle_runs
from games.races import finishing, network_limits, rooms, unseen_deals
from games.races.attendance import roll_call
from games.races.attendance.roll_call import Note, leave_note
from games.races.bots import planning
from games.races.models import Entrant, Race, Room
from games.races.results import entrant_facts
from games.races.room_notifications import notify_room, notify_rooms

COUNTDOWN: Final = timedelta(seconds=15)
#: Countdown of a rematch, a quick match, and a race against a bot: the players have just said that they are here.
SHORT_COUNTDOWN: Final = timedelta(seconds=5)
#: Time before the start when players who left during the countdown become absent. It ends when the start is final.
SECOND_LOOK: Final = CANCEL_CUTOFF + timedelta(seconds=2)
#: Time after the start for players to show up, and for a process to make the transition.
GRACE: Final = timedelta(seconds=10)

_E: Final = Entrant.State
#: States of entrants known to have seen the cards.
_SEEN_CARDS: Final = (_E.RACING, _E.WON, _E.RETIRED, _E.TIMED_OUT)


def start(
    room_id: int, *, host_id: int | None = None, countdown: timedelta = COUNTDOWN, now: datetime | None = None
) -> None:
    """Freeze the seats of a room's next race and start its countdown, by itself or at the host's command.

    The players who are present race; the others become `absent`.

    :raises Refusal: unless `host_id` is the host; with fewer than two players present (one in a heat); without a deal;
        or while another race is running.
    """
    now = now or timezone.now()
    with transaction.atomic():
        room = rooms.lock_room(room_id)
        if host_id is not None:
            rooms.check_host(room, host_id)
        race = Race.objects.select_for_update(no_key=True).filter(room=room, state=Race.State.OPEN).first()
        if race is None or Race.objects.filter(room=room, state=Race.State.RACING).exists():
            raise Refusal(ErrorCode.RACE_NOT_OPEN)
        here = roll_call.present(race.entrants.filter(player__isnull=False), now, host_id)
        if not _is_enough(room, here):
            raise Refusal(ErrorCode.TOO_FEW_PRESENT)
        if not race.has_deal:
            raise Refusal(ErrorCode.NO_DEAL)
        _freeze(room, race, here, countdown, now)


def start_due(room_id: int, now: datetime | None = None) -> None:
    """Start a race whose gathering is over, as after a rematch, if it can start."""
    due = Race.objects.filter(room=room_id, state=Race.State.OPEN, gathers_until__lte=now or timezone.now())
    if due.exists():
        with suppress(Refusal):
            start(room_id, countdown=SHORT_COUNTDOWN, now=now)


def start_racing(now: datetime) -> list[int]:
    """Move all races whose countdown is over to racing; return their ids.

    A race due more than ten seconds ago is left out if no player has been dealt the cards.
    """
    seen = Entrant.objects.filter(Q(state__in=_SEEN_CARDS) | finishing.HAS_MOVED, race=OuterRef("pk"))
    due = Race.objects.filter(state=Race.State.COUNTDOWN, starts_at__lte=now).select_for_update(no_key=True)
    with transaction.atomic():
        in_time = due.filter(Q(starts_at__gt=now - GRACE) | Exists(seen))
        started = dict(in_time.order_by("pk").values_list("pk", "room"))
        Race.objects.filter(pk__in=started).update(state=Race.State.RACING)
        notify_rooms(started.values())
    return list(started)


def look_again(room_id: int, now: datetime | None = None) -> None:
    """Mark players who left during the countdown as absent, shortly before the start is final."""
    now = now or timezone.now()
    due = Race.objects.filter(
        room=room_id, state=Race.State.COUNTDOWN, starts_at__lte=now + SECOND_LOOK, starts_at__gt=now + CANCEL_CUTOFF
    )
    if not due.exists():
        return
    with transaction.atomic():
        race = due.filter(room=_lock_open_room(room_id)).select_related("room").first()
        if race is None:
            return
        seated = race.entrants.filter(state=_E.SEATED, player__isnull=False)
        here = roll_call.present(seated, now)
        gone = seated.exclude(pk__in=[entrant.pk for entrant in here])
        if players := list(gone.values_list("player", flat=True)):
            leave_note(players, Note.ABSENT)
            if drop_out(race, players, now) and race.room.kind == Room.Kind.QUICK:
                transaction.on_commit(partial(network_limits.note_spoiled, players))


def drop_out(race: Race, players: Collection[int], now: datetime) -> bool:
    """Mark players absent before the start; return whether that reopens the race for other people."""
    gone = race.entrants.filter(player__in=players)
    delete_tables(gone)
    gone.update(state=_E.ABSENT)
    notify_room(race.room_id)
    remaining = race.entrants.filter(state=_E.SEATED, player__isnull=False)
    if _is_enough(race.room, remaining) or not cancel_start(race.room_id, now):
        return False
    left_behind = list(remaining.filter(bot="").values_list("player", flat=True))
    if race.room.kind == Room.Kind.QUICK:
        leave_note(left_behind, Note.ALONE)
    return bool(left_behind)


def cancel_start(room_id: int, now: datetime | None = None) -> bool:
    """Cancel a room's countdown and reopen the race without absent players; return whether that was possible."""
    now = now or timezone.now()
    with transaction.atomic():
        room = _lock_open_room(room_id)
        race = Race.objects.select_for_update(no_key=True).filter(room=room, state=Race.State.COUNTDOWN).first()
        if race is None or has_started(race, now):
            return False
        race.entrants.filter(state=_E.ABSENT).delete()
        delete_tables(race.entrants.all())
        entrant_facts.clear_facts(race.pk)
        race.entrants.update(answered_at=None)
        race.state, race.starts_at, race.ends_at, race.gathers_until = Race.State.OPEN, None, None, None
        race.save(update_fields=["state", "starts_at", "ends_at", "gathers_until"])
        notify_room(race.room_id)
    return True


def delete_tables(entrants: QuerySet[Entrant]) -> None:
    """Delete the attempts or storms of entrants whose race has not started."""
    attempts, storms = (list(entrants.values_list(key, flat=True)) for key in ("attempt", "storm"))
    Attempt.objects.filter(pk__in=attempts).delete()
    PuzzleRun.objects.filter(pk__in=storms).delete()


def mark_dealt(attempt_ids: Collection[int], now: datetime | None = None) -> int:
    """Mark the players of attempts whose first view was sent as racing; see `mark_racing`."""
    return mark_racing(Q(attempt__in=attempt_ids), now)


def mark_racing(seen: Q, now: datetime | None = None) -> int:
    """Mark the entrants `seen` as racing, and return their number; too late once `GRACE` is over."""
    now = now or timezone.now()
    started = Race.objects.filter(
        state__in=(Race.State.COUNTDOWN, Race.State.RACING), starts_at__lte=now, starts_at__gt=now - GRACE
    )
    with transaction.atomic():
        waiting = Entrant.objects.filter(seen, state=_E.SEATED, race__in=started)
        rooms_of = set(waiting.values_list("race__room", flat=True))
        changed = waiting.update(state=_E.RACING)
        notify_rooms(rooms_of)
    return changed


def mark_absent(now: datetime) -> None:
    """Mark no-shows as absent after `GRACE`, unless they have moved."""
    late = Entrant.objects.filter(state=_E.SEATED, race__state=Race.State.RACING, race__starts_at__lte=now - GRACE)
    for race_id, room_id, kind in set(late.values_list("race", "race__room", "race__room__kind")):
        with transaction.atomic():
            no_shows = late.filter(race=race_id)
            no_shows.filter(finishing.HAS_MOVED).update(state=_E.RACING)
            players = list(no_shows.values_list("player", flat=True))
            leave_note(players, Note.ABSENT)
            no_shows.update(state=_E.ABSENT)
            if kind == Room.Kind.QUICK:
                transaction.on_commit(partial(network_limits.note_spoiled, players))
            notify_room(room_id)
        finishing.settle_done(race_id, now)


def void_overdue(now: datetime) -> int:
    """Start the races that are due, void those that are overdue, and return the number voided."""
    start_racing(now)
    late = Race.objects.filter(state=Race.State.COUNTDOWN, starts_at__lte=now - GRACE).values_list("pk", flat=True)
    return sum(finishing.void(race_id, Race.Void.SERVER_FAULT, now) for race_id in late)


def _lock_open_room(room_id: int) -> Room | None:
    return Room.objects.select_for_update(no_key=True).filter(pk=room_id, closed_at=None).first()


def has_started(race: Race, now: datetime) -> bool:
    """Return whether the cards are dealt or can no longer be held back, as tables have begun their last reads."""
    return race.starts_at is not None and now >= race.starts_at - CANCEL_CUTOFF


def _is_enough(room: Room, here: Iterable[Entrant]) -> bool:
    """Return whether two entrants (one in a heat) are here and one of them is a person."""
    bots = [entrant.bot for entrant in here]
    return "" in bots and len(bots) >= (1 if room.kind == Room.Kind.HEAT else 2)


def _freeze(room: Room, race: Race, here: Sequence[Entrant], countdown: timedelta, now: datetime) -> None:
    """Freeze the seats of a locked room's next race, and create the tables of the players who are here."""
    race.entrants.filter(player=None).delete()
    racers = race.entrants.filter(pk__in=[entrant.pk for entrant in here])
    away = race.entrants.exclude(pk__in=[entrant.pk for entrant in here])
    leave_note(list(away.values_list("player", flat=True)), Note.ABSENT)
    away.update(state=_E.ABSENT)
    racers.update(state=_E.SEATED)
    rooms.copy_settings(room, race)
    if race.puzzles is not None:
        race.puzzles = unseen_deals.puzzles_for(race) or race.puzzles
    starts = now + countdown
    race.state, race.starts_at = Race.State.COUNTDOWN, starts.replace(microsecond=starts.microsecond // 1000 * 1000)
    race.ends_at = race.starts_at + timedelta(seconds=race.limit_s)
    race.save()
    entrant_facts.store_facts(entrant_facts.missing_facts([race.pk]))
    Deal.objects.filter(races=race).update(opens_at=race.starts_at)
    for entrant in racers.select_for_update(no_key=True).order_by("pk"):
        _create_table(race, entrant)
    planning.request_plans(race)
    Room.objects.filter(pk=room.pk).update(used_at=now)
    notify_room(room.pk)


def _create_table(race: Race, entrant: Entrant) -> None:
    """Create the attempt of an entrant, or the storm in a puzzle race."""
    assert race.starts_at is not None
    assert entrant.player_id is not None
    if race.puzzles is not None:
        entrant.storm = puzzle_runs.begin_for_race(entrant.player_id, race.puzzles, race.starts_at)
        entrant.save(update_fields=["storm"])
        return
    assert race.deal_id is not None
    entrant.attempt = Attempt.objects.create(
        deal_id=race.deal_id,
        player_id=entrant.player_id,
        ranked=False,
        free_undo=race.free_undo,
        started_at=race.starts_at,
        deadline=race.ends_at,
    )
    entrant.plan = None
    entrant.save(update_fields=["attempt", "plan"])
    metrics.ATTEMPTS_STARTED.labels(race.game, "no").inc()
