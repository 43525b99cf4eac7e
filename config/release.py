"""What must have happened before a new version serves: `python -m config.release`."""

from __future__ import annotations

import os


def prepare() -> None:
    """Bring the database up to date and deal today's games; harmless when repeated."""
    from django.core.management import call_command
    from django.db import connections

    call_command("migrate", verbosity=0, interactive=False)
    from games.deals import todays_deals

    todays_deals()
    connections.close_all()


def main() -> None:
    """Prepare the database the environment names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    prepare()


if __name__ == "__main__":
    main()
