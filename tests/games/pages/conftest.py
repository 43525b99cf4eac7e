"""Fixtures for a day of deals and a browser with the player signed in."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from games.models import Deal
from games.rules import CATALOGUE
from tests.deals import make_deal
from tests.players import signed_in


@pytest.fixture
def today() -> list[Deal]:
    return [make_deal(variant) for variant in CATALOGUE]


@pytest.fixture
def mine(player: Any) -> Client:
    return signed_in(player)
