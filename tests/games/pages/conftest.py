"""Fixtures for a day of deals, and for the service that gets results."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.models import Deal
from games.rules import CATALOGUE
from tests.factories import make_deal
from tests.games.races.webhooks.discord import Discord


@pytest.fixture
def today() -> list[Deal]:
    return [make_deal(variant) for variant in CATALOGUE]


@pytest.fixture
def discord(monkeypatch: pytest.MonkeyPatch) -> Iterator[Discord]:
    """The service that gets the results of races instead of the real one."""
    with Discord().running() as service:
        monkeypatch.setattr("games.core.https_client.PublicHTTPSConnection", service.connect)
        yield service
