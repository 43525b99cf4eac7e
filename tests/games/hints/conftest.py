"""Each test of hints begins with nothing remembered and no search running."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from games.hints import questions


@pytest.fixture(autouse=True)
def fresh_memory() -> Iterator[None]:
    """Forget verdicts and end searches."""
    cache.clear()
    yield
    questions.dismiss()
