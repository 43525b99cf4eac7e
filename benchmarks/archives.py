"""Archive and restore of a site's games on SQLite, without the replays, in CPU time, and what a million would take."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Final

import django

MILLION: Final = 1_000_000
GAMES: Final = int(os.environ.get("GAMES", "20000"))
#: Most seconds that archiving a million games may take.
TARGET: Final = 600


def fill() -> None:
    """Create the tables, and games of 120 moves each."""
    from django.core.management import call_command

    from benchmarks.rows import NOON, finished, make_deal
    from games.models import Attempt

    call_command("migrate", verbosity=0)
    moves, clock = ["d"] * 120, [900 * n for n in range(1, 121)]
    game = finished(make_deal("stonewall", None), moves, clock, "resigned", ranked=False, state=Attempt.State.VERIFIED)
    fields = {field.attname: getattr(game, field.attname) for field in Attempt._meta.concrete_fields}
    del fields["id"], fields["public_id"]
    times = (NOON + timedelta(seconds=n) for n in range(GAMES))
    Attempt.objects.bulk_create([Attempt(**fields | {"started_at": time}) for time in times], batch_size=1000)


def seconds(var: str, *command: str) -> float:
    """Run a command of the site and return the CPU time it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "VAR_DIR": var}
    subprocess.run([sys.executable, "manage.py", *command], env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print both times, and return 1 if a million games would take too long to archive."""
    with tempfile.TemporaryDirectory() as old, tempfile.TemporaryDirectory() as new:
        os.environ.update(DJANGO_SETTINGS_MODULE="config.settings", VAR_DIR=old)
        os.environ.pop("DATABASE_URL", None)
        django.setup()
        fill()
        archive = str(Path(new) / "site.zip")
        spent = {
            "archive": seconds(old, "archive", archive),
            "restore": seconds(new, "restore", archive, "--no-replay"),
        }
    for name, cpu in spent.items():
        print(f"{name}: {GAMES:,} games {cpu:.1f} s; a million, extrapolated: {cpu * MILLION / GAMES:.0f} s")
    return int(spent["archive"] * MILLION / GAMES > TARGET)


if __name__ == "__main__":
    sys.exit(main())
