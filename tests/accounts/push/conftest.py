"""A push service, and a key of the site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from accounts.push import vapid_key
from tests.accounts.push.browsers import Service


@pytest.fixture
def service() -> Iterator[Service]:
    with Service().running() as service:
        yield service


@pytest.fixture(autouse=True)
def _on(settings: Any) -> None:
    settings.VAPID_PRIVATE_KEY = vapid_key.new_key()
