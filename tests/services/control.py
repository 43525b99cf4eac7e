"""A process of the service that does what a test tells it: `python -m tests.services.control`.

It reads one JSON object a line, `{"do": name, ...arguments}`, and writes one, `{"done": answer}` or `{"failed": text}`.
"""

from __future__ import annotations

import json
import sys
import traceback
from datetime import timedelta
from typing import Any

import django

django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402 - Django must be set up
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.db import connections  # noqa: E402
from django.utils import timezone  # noqa: E402

from config.celery import app  # noqa: E402
from games.attempts import record_of, start_attempt  # noqa: E402
from games.models import Attempt, Deal  # noqa: E402
from leaderboards import boards, histogram, sweeping  # noqa: E402
from leaderboards.ladders import deal_ladders  # noqa: E402
from leaderboards.models import DealBoard, Result  # noqa: E402
from tests.leaderboards import factory  # noqa: E402


def deal(variant: str) -> int:
    """A deal of today."""
    found = Deal.objects.filter(variant=variant, day=timezone.now().date()).first()
    return (found or factory.deal(variant, day=timezone.now().date())).pk


def seat(deal: int) -> dict[str, Any]:
    """A new player at a deal: session key, attempt, player."""
    player = factory.player()
    session = SessionStore()
    session[SESSION_KEY] = str(player.pk)
    session[BACKEND_SESSION_KEY] = "allauth.account.auth_backends.AuthenticationBackend"
    session[HASH_SESSION_KEY] = player.get_session_auth_hash()
    session.create()
    attempt = start_attempt(player, Deal.objects.get(pk=deal))
    return {
        "session": session.session_key,
        "attempt": str(attempt.public_id),
        "id": attempt.pk,
        "player": str(player.public_id),
    }


def state(attempt: str) -> dict[str, Any]:
    """What became of an attempt."""
    found = Attempt.objects.get(public_id=attempt)
    return {
        "state": found.state,
        "tokens": list(record_of(found).tokens) if found.record is not None else None,
        "reasons": found.reasons,
        "results": Result.objects.filter(attempt=found).count(),
        "rank": boards.rank_of(found.deal, "race", found.player),
    }


def sweep(minutes: float = 0) -> int:
    """Send again what is pending, as the sweep will in some minutes."""
    return sweeping.resend_pending(timezone.now() + timedelta(minutes=minutes))


def deliver(attempt: int, times: int) -> None:
    """Deliver an attempt's task so many times more."""
    for _ in range(times):
        app.send_task("talon.verify", [attempt])


def faults(deal: int) -> list[str]:
    """What is wrong with a deal's boards: there must be nothing."""
    found = [fault for ladder in deal_ladders(deal) for fault in histogram.faults(ladder)]
    ranked = Result.objects.filter(deal=deal)
    verified = Attempt.objects.filter(deal=deal, ranked=True, state=Attempt.State.VERIFIED)
    if unverified := ranked.exclude(attempt__in=verified).count():
        found.append(f"{unverified} ranked without being verified")
    if lost := verified.exclude(pk__in=ranked.values("attempt")).count():
        found.append(f"{lost} verified and not ranked")
    entries = boards.page(Deal.objects.get(pk=deal), limit=100).entries
    if [entry.rank for entry in entries] != list(range(1, ranked.filter(listed=True).count() + 1)):
        found.append(f"ranks {[entry.rank for entry in entries]}")
    return found


def version(deal: int) -> int:
    """The version of a deal's boards."""
    return DealBoard.objects.filter(pk=deal).values_list("version", flat=True).first() or 0


COMMANDS = {one.__name__: one for one in (deal, seat, state, sweep, deliver, faults, version)}


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"done": COMMANDS[request.pop("do")](**request)}
        except Exception:  # noqa: BLE001 - the test is told
            answer = {"failed": traceback.format_exc()}
        connections.close_all()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
