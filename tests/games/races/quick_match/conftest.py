"""Fixtures for quick matches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache


@pytest.fixture
def missed(settings: Any) -> Iterator[None]:
    """A cache without missed matches."""
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "missed"}}
    cache.clear()
    yield
    cache.clear()
