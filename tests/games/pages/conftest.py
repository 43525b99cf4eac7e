"""Fixture for a day of deals."""

from __future__ import annotations

import pytest

from games.models import Deal
from games.rules import CATALOGUE
from tests.factories import make_deal


@pytest.fixture
def today() -> list[Deal]:
    return [make_deal(variant) for variant in CATALOGUE]
