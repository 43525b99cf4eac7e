"""Providers that higher layers register with games."""

from __future__ import annotations

import pytest

from games.core.registry import Provider


def test_latest_implementation_is_used() -> None:
    provider = Provider[str]()
    with pytest.raises(AttributeError):
        provider()
    provider.register("first")
    provider.register("second")
    assert provider() == "second"
