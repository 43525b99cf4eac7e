"""The embedded site, with room for all guests of a test run, who share one address and play fast."""

from __future__ import annotations

import django

from config.processes import embedded

_setup = django.setup


def _setup_with_many_guests(set_prefix: bool = True) -> None:
    _setup(set_prefix)
    from django.conf import settings  # noqa: PLC0415

    from games.core import limits  # noqa: PLC0415
    from games.fairplay import pace  # noqa: PLC0415

    limits.RATES["guest"] = "10000/10m"
    pace.POINT_MS = pace.AGAIN_MS = 30  # type: ignore[misc]  # so that a test may win in seconds
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 3600  # a test may look at all pages of a member


if __name__ == "__main__":
    django.setup = _setup_with_many_guests
    embedded.main()
