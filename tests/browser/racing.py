"""Races created by server code in another process, beside the server that a browser uses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.browser.table_driver import won_record

#: Seconds that the tests of a countdown take.
MIN_SECONDS_LEFT = 4

# Seconds of the countdown that a table shows: null before it shows any, 0 once the cards are dealt.
_SECONDS_LEFT = """() => {
  if (document.querySelector("#felt .card")) return 0;
  const shown = document.querySelector("#starting-number").textContent;
  return /^\\d+$/.test(shown) ? Number(shown) : null;
}"""

ROOT = Path(__file__).resolve().parents[2]

_MAKE = """
import hashlib, json, secrets, sys, django
django.setup()
from datetime import timedelta
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.utils import timezone
from games.models import Deal
from games.races import race_start, rooms, seats
from games.races.models import Entrant, Race
from games.rules import CATALOGUE
request = json.load(sys.stdin)
SessionStore = import_module(settings.SESSION_ENGINE).SessionStore
def signed_in(name):
    user, _ = get_user_model().objects.get_or_create(
        username=name, defaults={"display_name": name, "name_key": name.lower()})
    session = SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session.create()
    return user, session.session_key
users = [signed_in(name) for name in request["names"]]
seed, variant, now = bytes.fromhex(request["seed"]), CATALOGUE[request["variant"]], timezone.now()
room = rooms.open_room(users[0][0], request["variant"], limit_s=request["limit_s"], seats=max(2, len(users)),
                       free_undo=request["free_undo"], public=request["public"])
deal = Deal.objects.create(
    variant=request["variant"], game=variant.game, options=dict(variant.options), rules_version=1, seed=seed,
    commitment=hashlib.sha256(seed + secrets.token_bytes(8)).hexdigest(), opens_at=now, for_race=True, proven=True)
race = rooms.next_race(room, now)
Race.objects.filter(pk=race.pk).update(deal=deal)
for user, _ in users:
    seats.sit(room.pk, user)
Entrant.objects.filter(race=race).update(state="ready")
assert race_start.freeze(race.pk, countdown=timedelta(seconds=request["seconds"]))
entrants = {entrant.player_id: entrant for entrant in race.entrants.select_related("attempt")}
print(json.dumps({
    "seconds": request["seconds"], "code": room.code, "number": race.number, "race": race.pk,
    "racers": [
        {"name": user.display_name, "session": key, "entrant": entrants[user.pk].pk,
         "table": f"/table/{entrants[user.pk].attempt.public_id}/", "attempt": entrants[user.pk].attempt_id}
        for user, key in users]}))
"""


def race_soon(site: Any, *names: str, variant: str = "stonewall", seconds: float = 8, **settings: Any) -> Any:
    """Create a race of these players whose cards are dealt in this many seconds, and return it as JSON."""
    seed = won_record(variant)["seed"]
    defaults = {"limit_s": 600, "free_undo": True, "public": False}
    request = {"names": names, "variant": variant, "seed": seed, "seconds": seconds, **defaults, **settings}
    command = [sys.executable, "-c", _MAKE]
    done = subprocess.run(
        command,
        input=json.dumps(request),
        text=True,
        env=site.environment,
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(done.stdout.splitlines()[-1])


def race_in_countdown(site: Any, *names: str, arrive: Callable[[dict[str, Any]], list[Any]]) -> tuple[Any, list[Any]]:
    """Return a race and its racers' pages, all of which arrived before the start.

    A busy machine may need longer to open the pages than the countdown takes, so it is doubled with each new race.
    """
    for seconds in (12, 24, 48, 96, 192):
        race = race_soon(site, *(f"{name}{seconds}" for name in names), seconds=seconds)
        pages = arrive(race)
        for page in pages:
            page.wait_for_function(f"() => ({_SECONDS_LEFT})() !== null")
        if all(page.evaluate(_SECONDS_LEFT) >= MIN_SECONDS_LEFT for page in pages):
            return race, pages
    raise AssertionError("no page arrived before the start of its race")
