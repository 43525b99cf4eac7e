"""Release step, run before a new version serves: `python -m config.processes.release`."""

from __future__ import annotations

import os
import time

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connections, transaction

from config.processes.start_check import check_upgrade_path, explained


@explained()
def prepare() -> None:
    """Migrate the database and publish today's deals. Safe to repeat."""
    migrate()
    deal_today()


def migrate() -> None:
    """Migrate the database.

    :raises SystemExit: if the database cannot be migrated from its present state, with a message that says what to do.
    """
    check_upgrade_path()
    call_command("migrate", verbosity=0, interactive=False)


def deal_today() -> None:
    """Publish today's certified deals."""
    # Imported here because the models need Django to be set up.
    from games.deals.publishing import todays_deals  # noqa: PLC0415

    with transaction.atomic():
        todays_deals()
    connections.close_all()


def certify_today() -> None:
    """Wait up to RELEASE_PATIENCE seconds until today's deals are certified, and print the progress.

    Waits only if there is no stock yet, that is, when a site opens for the first time.
    """
    # Imported here because the models need Django to be set up.
    from games.deals import first_day, sealed_stock  # noqa: PLC0415

    started, printed = time.monotonic(), ""
    for readiness in first_day.certify_today(sealed_stock.stop_after(settings.RELEASE_PATIENCE)):
        if str(readiness) != printed:
            printed = str(readiness)
            print(f"{printed} ({time.monotonic() - started:.0f} of {settings.RELEASE_PATIENCE} s).", flush=True)  # noqa: T201


@explained()
def main() -> None:
    """Prepare the database that the environment names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    migrate()
    certify_today()
    deal_today()


if __name__ == "__main__":
    main()
