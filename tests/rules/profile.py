"""How many random examples hypothesis tries: new ones in every run, and as many times more as `EXAMPLES` says."""

from __future__ import annotations

import os

from hypothesis import settings


def examples(number: int) -> settings:
    """So many examples, times `EXAMPLES`; all else is as `tests.conftest` says."""
    return settings(max_examples=number * int(os.environ.get("EXAMPLES", "1")))
