"""Number of random examples that Hypothesis tries: new ones in every run, multiplied by `EXAMPLES`."""

from __future__ import annotations

import os

from hypothesis import settings


def examples(number: int) -> settings:
    """Return settings for `number` examples times `EXAMPLES`; everything else comes from `tests.conftest`."""
    return settings(max_examples=number * int(os.environ.get("EXAMPLES", "1")))
