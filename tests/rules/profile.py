"""How many random examples hypothesis tries: new ones in every run, and more of them in CI."""

from __future__ import annotations

from hypothesis import settings

from tests.requirements import in_ci

#: In CI everything is tried so many times as often.
MORE_IN_CI = 4


def examples(number: int) -> settings:
    """So many examples, or more in CI; all else is as `tests.conftest` says."""
    return settings(max_examples=number * (MORE_IN_CI if in_ci() else 1))
