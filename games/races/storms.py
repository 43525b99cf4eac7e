"""Racers' storms: in a puzzle race, each entrant solves the same puzzles in a `PuzzleRun` that begins at the start.

Each move and the end of a storm lock the entrant's row, so that a storm that has ended takes no more moves. The server
judges each move at once, so there are no records to verify when the race is over. As wrong moves cost time, a storm may
end before the race's time is up; the race ends with its last storm.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from games.core.errors import ErrorCode, Refusal
from games.core.events import notifier
from games.puzzles.models import PuzzleRun
from games.puzzles.runs import puzzle_runs
from games.races import finishing, starting
from games.races.models import Entrant, Race
from games.races.room_notifications import notify_room, room_group

#: Batch size of `end_due`; the rest waits for the next run.
AT_A_TIME: Final = 200

_E: Final = Entrant.State


def own_seat(race_id: int, player: int | None, *, lock: bool = False) -> Entrant:
    """Return the player's entry in a puzzle race whose seats are frozen.

    :raises Refusal: not_found if there is none.
    """
    seats = _locked_seats() if lock else Entrant.objects.select_related("race", "storm")
    seat = seats.filter(race=race_id, player=player, storm__isnull=False).first() if player else None
    if seat is None:
        raise Refusal(ErrorCode.NOT_FOUND, "you have no seat in a puzzle race here")
    return seat


def current(race_id: int, player: int | None) -> tuple[puzzle_runs.RunState, puzzle_runs.RunPuzzle | None]:
    """Return the state of a player's storm, and the puzzle to solve unless the time is up.

    The first call after the start marks the player as racing, and one after the time is up ends their storm.

    :raises Refusal: not_begun before the start, with the ms until then and the server's clock; closed if the player has
        left or is too late.
    """
    seat, now = own_seat(race_id, player), timezone.now()
    starts_at = seat.race.starts_at
    if starts_at is not None and now < starts_at:
        wait = -((now - starts_at) // timedelta(milliseconds=1))
        raise Refusal(ErrorCode.NOT_BEGUN, starts_in=wait, now=int(1000 * now.timestamp()))
    starting.mark_racing(Q(pk=seat.pk), now)
    seat.refresh_from_db(fields=["state"])
    if seat.storm is None or seat.state not in (_E.RACING, _E.TIMED_OUT):
        raise _closed()
    state = puzzle_runs.RunState.of(seat.storm, now)
    if state.is_over:
        end(seat.pk, _E.TIMED_OUT, now)
    return state, None if state.is_over else puzzle_runs.show_current(seat.storm)


def play(race_id: int, player: int | None, at: int, turn: int, token: str) -> puzzle_runs.RunReply:
    """Play a move as `puzzle_runs.play` does, report the player's progress, and end the storm if it is over.

    :raises Refusal: also not_begun before the player has been given a puzzle, and closed once their race has ended.
    """
    with transaction.atomic():
        seat = own_seat(race_id, player, lock=True)
        if seat.state == _E.SEATED:
            raise Refusal(ErrorCode.NOT_BEGUN)
        if seat.state != _E.RACING or seat.storm_id is None:
            raise _closed()
        # Read after the wait for the lock: a join would have read the run as it was before.
        run = PuzzleRun.objects.select_for_update().get(pk=seat.storm_id)
        reply = puzzle_runs.play_locked(run, at, turn, token)
        if reply.right and reply.state.turn == 0:
            _report(seat, run)
    if reply.state.is_over:
        end(seat.pk, _E.TIMED_OUT, timezone.now())
    return reply


def end_due(now: datetime) -> None:
    """End the storms whose time is up."""
    seats = Entrant.objects.filter(race__state=Race.State.RACING, state=_E.RACING, storm__isnull=False)
    racing = seats.order_by("pk").select_related("storm")
    over = (seat.pk for seat in racing if seat.storm and puzzle_runs.RunState.of(seat.storm, now).is_over)
    for key in islice(over, AT_A_TIME):
        end(key, _E.TIMED_OUT, now)


def end(entrant_id: int, state: Entrant.State, now: datetime) -> None:
    """End an entrant's storm, unless it is over, and write its result. The race finishes when its last storm ends."""
    with transaction.atomic():
        seat = _locked_seats().filter(pk=entrant_id, state__in=finishing.ACTIVE).first()
        if seat is None or seat.storm is None:
            return
        run = seat.storm
        seat.state, seat.cards_up, seat.elapsed_ms, seat.tokens = state, run.solved, run.solved_ms, 0
        seat.progress_ms = run.solved_ms
        seat.save(update_fields=["state", "cards_up", "elapsed_ms", "tokens", "progress_ms"])
        notify_room(seat.race.room_id)
    finishing.settle_done(seat.race_id, now)


def _locked_seats() -> QuerySet[Entrant]:
    """Return a query for entrants and their races that locks the entrants."""
    return Entrant.objects.select_for_update(no_key=True, of=("self",)).select_related("race")


def _report(seat: Entrant, run: PuzzleRun) -> None:
    """Send the number of puzzles solved to all processes that show the room, after the commit."""
    room_id, report = seat.race.room_id, (seat.pk, run.solved, 0, str(seat.state), run.solved_ms, run.solved_ms)
    notice = {"type": "rooms.lanes", "rooms": [(room_id, [report])]}
    transaction.on_commit(partial(notifier.send, room_group(room_id), notice, about=seat.pk))


def _closed() -> Refusal:
    return Refusal(ErrorCode.CLOSED, "your race is over")
