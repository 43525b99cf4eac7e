"""End of a race: games end, verdicts arrive, places are assigned; or the race is voided.

Closing an attempt only writes its entrant. A compare-and-swap after the commit checks if it was the last one, so that
no move has to wait for a lock on the race's row.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from games import rules
from games.attempts.lifecycle import close_safely
from games.core import events
from games.core.verdict_reasons import undecided
from games.models import Attempt, Move
from games.races import unseen_deals
from games.races.models import Entrant, Race, Room, RoomWebhook
from games.races.results.places import heat_points, placed
from games.races.results.ratings_registry import ratings
from games.races.room_notifications import notify_room

log = logging.getLogger(__name__)

State = Race.State

#: Entrant state for each way an attempt ends.
ENDED: Final = {
    Attempt.End.WON: Entrant.State.WON,
    Attempt.End.RESIGNED: Entrant.State.RETIRED,
    Attempt.End.CLOSED: Entrant.State.TIMED_OUT,
}
#: States of seated and racing entrants.
ACTIVE: Final = (Entrant.State.SEATED, Entrant.State.RACING)
#: States of entrants after racing to the end.
RACED: Final = (*ENDED.values(), Entrant.State.DISQUALIFIED)
#: The closing row of a journal has an empty token and is not a move.
HAS_MOVED: Final = Exists(Move.objects.filter(attempt=OuterRef("attempt")).exclude(token=""))
#: States of attempts that have a verdict.
JUDGED: Final = (Attempt.State.VERIFIED, Attempt.State.REJECTED, Attempt.State.REVIEW)
#: Number of places that a scheduled race honours.
PODIUM: Final = 3


def record_closed(attempt: Attempt) -> None:
    """Update the entrant of a race attempt that has ended; called in the transaction that closes it.

    A racer who never opened the table before time ran out stays `seated`, and the next tending step marks them as
    `absent`.
    """
    running = Entrant.objects.filter(attempt=attempt, state__in=ACTIVE)
    if attempt.end == Attempt.End.CLOSED:
        running = running.filter(Q(state=Entrant.State.RACING) | HAS_MOVED)
    if running.update(state=ENDED[Attempt.End(attempt.end)], plan=None):
        transaction.on_commit(partial(_settle_or_notify, attempt.pk))


def _settle_or_notify(attempt_id: int) -> None:
    """Notify the room, and end the race if this attempt was its last. Tending recovers from a failure."""
    try:
        race = Race.objects.filter(entrants__attempt=attempt_id).only("id", "room_id").first()
        if race is not None and not settle_done(race.pk):
            notify_room(race.room_id)
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        log.exception("race not tended", extra={"attempt": attempt_id})


def settle_done(race_id: int, now: datetime | None = None) -> bool:
    """End a race without active racers, and return whether this call did. A race without any racers becomes void."""
    now = now or timezone.now()
    active = Entrant.objects.filter(race=OuterRef("pk"), state__in=ACTIVE)
    raced = Entrant.objects.filter(race=OuterRef("pk"), state__in=RACED)
    over = Race.objects.filter(pk=race_id, state=State.RACING).exclude(Exists(active))
    if over.filter(Exists(raced)).update(state=State.SETTLING):
        notify_room(Race.objects.only("room_id").get(pk=race_id).room_id)
        finish(race_id, now)
        return True
    # Checked in one statement, because the last racers may have finished since the update above.
    return over.exclude(Exists(raced)).exists() and void(race_id, Race.Void.NOBODY_CAME, now)


def finish(race_id: int, now: datetime | None = None) -> bool:
    """Assign the places of a race whose records all have verdicts; return whether this call finished it."""
    now = now or timezone.now()
    with transaction.atomic():
        race = _lock_race(race_id)
        if race is None or race.state != State.SETTLING or _is_waiting(race):
            return False
        _place(race)
        race.state, race.finished_at = State.FINISHED, now
        race.save(update_fields=["state", "finished_at"])
        Room.objects.filter(pk=race.room_id).update(used_at=now)
        unseen_deals.reveal(race.deal, now)
        notify_room(race.room_id)
        if race.rated:
            transaction.on_commit(partial(events.request_task, "talon.rate_races"))
        elif RoomWebhook.objects.filter(room=race.room_id, url__gt="").exists():
            transaction.on_commit(partial(events.request_task, "talon.post_result", race.pk))
    return True


def apply_verdicts(attempt_ids: Collection[int]) -> None:
    """Finish, or recompute the places of, the races of attempts with new verdicts. Never raises; tending recovers."""
    try:
        races = Race.objects.filter(entrants__attempt__in=attempt_ids).distinct()
        for race_id, state in races.values_list("id", "state"):
            if state == State.SETTLING:
                finish(race_id)
            elif state == State.FINISHED:
                recompute_places(race_id)
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        log.exception("verdicts not applied to races", extra={"attempts": list(attempt_ids)})


def recompute_places(race_id: int, *, refold: bool = True) -> bool:
    """Recompute the places of a finished race after a moderation decision, and with `refold` its ratings.

    Returns whether any result has changed.
    """
    with transaction.atomic():
        race = _lock_race(race_id)
        if race is None or race.state != State.FINISHED or not _place(race):
            return False
        notify_room(race.room_id)
        if race.rated:
            ratings().mark_stale(race_id)
        if race.rated and refold:
            transaction.on_commit(partial(events.request_task, "talon.refold", race_id))
    return True


def recompute_missed(now: datetime | None = None, *, within: timedelta = timedelta(days=2)) -> int:
    """Recompute places of finished races that missed a recent moderation decision; return the number changed."""
    since = (now or timezone.now()) - within
    decided = Entrant.objects.filter(race__state=State.FINISHED, attempt__verified_at__gte=since)
    rejected = Q(attempt__state=Attempt.State.REJECTED)
    out = Q(state=Entrant.State.DISQUALIFIED)
    unplaced = Q(attempt__state=Attempt.State.VERIFIED, state__in=ENDED.values(), place=None)
    missed = set(decided.filter((rejected & ~out) | (~rejected & out) | unplaced).values_list("race", flat=True))
    # Few attempts are under review, so these are checked regardless of the verdict's age.
    in_review = Entrant.objects.filter(race__state=State.FINISHED, attempt__state=Attempt.State.REVIEW)
    missed.update(in_review.filter(place__isnull=False).values_list("race", flat=True))
    return sum(recompute_places(race_id) for race_id in sorted(missed))


def void(race_id: int, reason: Race.Void, now: datetime | None = None) -> bool:
    """Void a race; return whether that was still possible. Unfinished entrants become `absent`."""
    now = now or timezone.now()
    with transaction.atomic():
        race = _lock_race(race_id)
        if race is None or race.state in (State.FINISHED, State.VOID):
            return False
        was_open = race.state == State.OPEN
        race.state, race.void, race.finished_at = State.VOID, reason, now
        race.save(update_fields=["state", "void", "finished_at"])
        if was_open:
            race.entrants.all().delete()
            unseen_deals.release_deal(race)
        else:
            race.entrants.filter(state__in=ACTIVE).update(state=Entrant.State.ABSENT)
            unseen_deals.reveal(race.deal, now)
            transaction.on_commit(partial(close_leftover_attempts, now, race_id))
        notify_room(race.room_id)
    return True


def close_leftover_attempts(now: datetime, race_id: int | None = None) -> int:
    """Close absent entrants' open attempts, including those in void races; return the number closed."""
    leftover = Entrant.objects.filter(state=Entrant.State.ABSENT, attempt__state=Attempt.State.PLAYING)
    if race_id is not None:
        leftover = leftover.filter(race=race_id)
    attempts: Any = leftover.values_list("attempt_id", flat=True)[:200]
    return sum(close_safely(attempt_id, now) for attempt_id in attempts)


def _lock_race(race_id: int) -> Race | None:
    races = Race.objects.select_for_update(no_key=True, of=("self",)).select_related("deal")
    return races.filter(pk=race_id).first()


def _is_waiting(race: Race) -> bool:
    """Return whether an entrant is still racing, or a record has no verdict yet."""
    unjudged = Q(attempt__isnull=False) & ~Q(attempt__state__in=JUDGED)
    return race.entrants.filter(Q(state__in=ACTIVE) | (Q(state__in=RACED) & unjudged)).exists()


def _place(race: Race) -> bool:
    """Write the states, figures and places of all racers; return whether any have changed.

    An entrant whose record is held has neither figures nor a place, and the others are placed without it.
    """
    raced = list(race.entrants.select_for_update(of=("self",)).select_related("attempt").order_by("pk"))
    raced = [entrant for entrant in raced if entrant.state in RACED]
    before = [_results(entrant) for entrant in raced]
    for entrant in raced:
        _copy_verdict(entrant)
    scores, places = _hold_at_stake(race, raced)
    points = heat_points(scores, places, {entrant.pk for entrant in raced if entrant.standing == Entrant.Standing.NEW})
    for entrant in raced:
        entrant.place, entrant.points = places.get(entrant.pk), points.get(entrant.pk)
    Entrant.objects.bulk_update(raced, _RESULT_FIELDS)
    return before != [_results(entrant) for entrant in raced]


def places_at_stake(race: Race) -> int:
    """Return how many of the first places cost others something: a podium of a scheduled race, or a rated win."""
    return PODIUM if race.scheduled_at else int(race.rated)


def _hold_at_stake(race: Race, raced: Sequence[Entrant]) -> tuple[dict[int, rules.Score], dict[int, int]]:
    """Hold the records in doubt that would take a place at stake, until staff decide; return all scores and places."""
    stakes, held = places_at_stake(race), True
    while held:
        scores = {entrant.pk: entrant.score for entrant in raced if not entrant.is_in_review}
        places, held = placed(scores), False
        for entrant in raced:
            attempt = entrant.attempt
            if attempt is None or not _is_in_doubt(attempt) or places.get(entrant.pk, stakes + 1) > stakes:
                continue
            held = True
            # Not if staff have decided in the meantime: then the places are computed again.
            unchanged = Attempt.objects.filter(pk=attempt.pk, state=attempt.state, reasons=attempt.reasons)
            unchanged.update(state=Attempt.State.REVIEW)
            attempt.state = Attempt.State.REVIEW
            _copy_verdict(entrant)
    return scores, places


def _is_in_doubt(attempt: Attempt) -> bool:
    return attempt.state == Attempt.State.VERIFIED and bool(undecided(attempt.reasons))


_FIGURES: Final = ("cards_up", "elapsed_ms", "tokens", "progress_ms")
_RESULT_FIELDS: Final = ("state", "place", "points", *_FIGURES)


def _results(entrant: Entrant) -> tuple[object, ...]:
    return tuple(getattr(entrant, field) for field in _RESULT_FIELDS)


def _copy_verdict(entrant: Entrant) -> None:
    """Copy state and figures from the attempt to the entrant; an entrant without an attempt keeps its own."""
    attempt = entrant.attempt
    if attempt is None:
        return
    rejected = attempt.state == Attempt.State.REJECTED
    entrant.state = Entrant.State.DISQUALIFIED if rejected else ENDED[Attempt.End(attempt.end)]
    for figure in _FIGURES:
        setattr(entrant, figure, None if entrant.is_in_review else getattr(attempt, figure))
