"""Processes of `benchmarks.capacity --measure` that need Django: accounts, race rooms, and their start.

It is no benchmark itself, and does nothing if run without arguments.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accounts.models import User

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def prepare(rooms: int, accounts: int) -> None:
    """Create rooms with four seated players each, and accounts with sessions, before there are other players.

    Prints `races`, the ids of the rooms' races, and `sessions`, the accounts' session keys.
    """
    from benchmarks.play_parts import session_of
    from benchmarks.races_parts import gather

    races = gather(rooms)
    print(json.dumps({"races": races, "sessions": [session_of(account(number)) for number in range(accounts)]}))


def account(number: int) -> User:
    """Create an account."""
    from accounts.models import User

    return User.objects.create_user(f"account{number}", password=None, display_name=f"account{number}")


def begin(races: list[int], countdown: int) -> None:
    """Start the countdowns; print [room's code, attempt, session key] of every racer."""
    from accounts.models import User
    from benchmarks.play_parts import session_of
    from benchmarks.races_parts import freeze

    _, rows = freeze(races, timedelta(seconds=countdown))
    players = User.objects.in_bulk(player for player, _, _ in rows)
    print(json.dumps([[code, str(attempt), session_of(players[player])] for player, code, attempt in rows]))


if __name__ == "__main__":
    import django

    django.setup()
    match sys.argv[1:]:
        case ["prepare", rooms, accounts]:
            prepare(int(rooms), int(accounts))
        case ["begin", races, countdown]:
            begin(json.loads(races), int(countdown))
