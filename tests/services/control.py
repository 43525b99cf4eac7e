"""Commands inside the service (`tests.control`)."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import django

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402 - Django must be set up
from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from config.celery import app  # noqa: E402
from games.attempts import lifecycle as attempts  # noqa: E402
from games.attempts.lifecycle import record_of, start_attempt  # noqa: E402
from games.models import Attempt, Deal  # noqa: E402
from leaderboards.boards import deal_boards, histogram  # noqa: E402
from leaderboards.boards.listings import deal_listings, season_listings  # noqa: E402
from leaderboards.models import DealBoard, Recount, Result, Season  # noqa: E402
from leaderboards.verdicts import pending_sweep  # noqa: E402
from tests.control import serve  # noqa: E402
from tests.factories import make_account, make_deal, session_of  # noqa: E402
from tests.services import control_races  # noqa: E402
from tests.services.stack import FIRST_DAY  # noqa: E402


def deal(variant: str, seed: str) -> int:
    """Create a deal that opened just now, on a day that no other deal has, and return its id."""
    now = timezone.now()
    # The service itself creates the deals of today and the days ahead.
    earlier = Deal.objects.filter(day__year=FIRST_DAY.year).count()
    made = make_deal(variant, day=FIRST_DAY + timedelta(days=earlier), seed=bytes.fromhex(seed))
    Deal.objects.filter(pk=made.pk).update(opens_at=now, closes_at=now + timedelta(days=1))
    return made.pk


def seat(deal: int, player: str = "") -> dict[str, Any]:
    """Seat a player at a deal; return session key, attempt and player. The player is a new one unless given."""
    who = get_user_model().objects.get(public_id=player) if player else make_account()
    attempt = start_attempt(who, Deal.objects.get(pk=deal))
    return {
        "session": session_of(who),
        "attempt": str(attempt.public_id),
        "id": attempt.pk,
        "player": str(who.public_id),
    }


def state(attempt: str) -> dict[str, Any]:
    found = Attempt.objects.get(public_id=attempt)
    return {
        "state": found.state,
        "tokens": list(record_of(found).tokens) if found.record is not None else None,
        "reasons": found.reasons,
        "results": Result.objects.filter(attempt=found).count(),
        "rank": deal_boards.rank_of(found.deal, "race", found.player),
    }


def sweep(minutes: float = 0) -> int:
    """Resend pending attempts as the sweep would in ``minutes`` minutes."""
    return pending_sweep.resend_pending(timezone.now() + timedelta(minutes=minutes))


def faults(deal: int) -> list[str]:
    """Return the faults in a deal's boards; there must be none."""
    found = [fault for listing in deal_listings(deal) for fault in histogram.faults(listing)]
    ranked = Result.objects.filter(deal=deal)
    verified = Attempt.objects.filter(deal=deal, ranked=True, state=Attempt.State.VERIFIED)
    if unverified := ranked.exclude(attempt__in=verified).count():
        found.append(f"{unverified} ranked without being verified")
    if lost := verified.exclude(pk__in=ranked.values("attempt")).count():
        found.append(f"{lost} verified and not ranked")
    entries = deal_boards.page(Deal.objects.get(pk=deal), limit=100).entries
    if [entry.rank for entry in entries] != list(range(1, min(ranked.filter(listed=True).count(), 100) + 1)):
        found.append(f"ranks {[entry.rank for entry in entries]}")
    return found


def season_faults() -> list[str]:
    """Return the faults in the boards of seasons; there must be none."""
    seasons = Season.objects.values_list("pk", flat=True)
    return [fault for pk in seasons for listing in season_listings(pk) for fault in histogram.faults(listing)]


def version(deal: int) -> int:
    return DealBoard.objects.filter(pk=deal).values_list("version", flat=True).first() or 0


def expire() -> int:
    playing = Attempt.objects.filter(state=Attempt.State.PLAYING, deal__for_race=False)
    return playing.update(deadline=timezone.now())


def run_tasks() -> list[str]:
    """Run every periodic task once in this process, and return the names of failed tasks."""
    app.loader.import_default_modules()
    names = {entry["task"] for entry in app.conf.beat_schedule.values()}
    return [name for name in sorted(names) if app.tasks[name].apply().failed()]


def manage(line: str) -> tuple[int, str]:
    said, code = StringIO(), 0
    try:
        call_command(*line.split(), stdout=said, stderr=said)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, said.getvalue()


def unsettled() -> int:
    return Attempt.objects.filter(state__in=[Attempt.State.PLAYING, Attempt.State.PENDING]).count()


def marked() -> int:
    """Return the number of players whose seasons are still to be recounted."""
    return Recount.objects.count()


def kept() -> list[dict[str, Any]]:
    """Return every attempt but those made for a race of the day: see `tests.services.soak.checking.Kept`."""
    found = Attempt.objects.filter(deal__day__gte=FIRST_DAY) | Attempt.objects.filter(deal__for_race=True)
    found = found.select_related("player", "deal").order_by("pk")
    return [_kept(attempt) for attempt in found]


def _kept(attempt: Attempt) -> dict[str, Any]:
    record = record_of(attempt) if attempt.record is not None else None
    moves = [] if record else attempts.journal_of(attempt.pk)
    return {
        "attempt": str(attempt.public_id),
        "variant": attempt.deal.variant,
        "seed": attempt.deal.seed.hex(),
        "for_race": attempt.deal.for_race,
        "state": attempt.state,
        "end": attempt.end,
        "end_ms": record.end.ms if record else 0,
        "tokens": list(record.tokens) if record else [move.token for move in moves],
        "clock": list(record.clock) if record else [move.ms for move in moves],
        "results": Result.objects.filter(attempt=attempt).count(),
    }


if __name__ == "__main__":
    serve(
        *(deal, seat, state, faults, season_faults, version, unsettled, marked, kept),
        *(sweep, expire, run_tasks, manage, *control_races.COMMANDS),
    )
