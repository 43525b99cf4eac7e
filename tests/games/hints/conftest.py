"""Fixtures of the hint tests, which start with empty caches and no running search."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from games.hints import questions


@pytest.fixture(autouse=True)
def fresh_memory() -> Iterator[None]:
    """Forget verdicts and stop searches."""
    cache.clear()
    yield
    questions.dismiss()
