"""The embedded site, with room for the guests of a whole test run, which share one address, and for slow machines."""

from __future__ import annotations

import django

from config.processes import embedded

_setup = django.setup


def _setup_with_many_guests(set_prefix: bool = True) -> None:
    _setup(set_prefix)
    from django.conf import settings  # noqa: PLC0415

    from games.core import limits  # noqa: PLC0415

    limits.RATES["guest"] = "10000/10m"
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 3600  # a test may look at all pages of a member


if __name__ == "__main__":
    django.setup = _setup_with_many_guests
    embedded.main()
