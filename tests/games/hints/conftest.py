"""End searches after each test of hints."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.hints import questions


@pytest.fixture(autouse=True)
def fresh_memory() -> Iterator[None]:
    """End searches."""
    yield
    questions.dismiss()
