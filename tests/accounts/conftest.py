"""Players, deals and attempts for the account tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.models import Attempt, Deal
from games.rules import RULES_VERSION, End, Record, open_table
from tests.players import signed_in

PASSWORD = "seven of wands"

MakeUser = Callable[..., User]
MakeAttempt = Callable[..., Attempt]
SignIn = Callable[[User], Client]


@pytest.fixture
def make_user(db: None) -> MakeUser:
    numbers = count(1)

    def make(name: str = "", **fields: Any) -> User:
        return User.objects.create_user(name or f"player {next(numbers)}", password=PASSWORD, **fields)

    return make


@pytest.fixture
def user(make_user: MakeUser) -> User:
    return make_user("Ada Lovelace")


@pytest.fixture
def guest(db: None) -> User:
    return create_guest()


@pytest.fixture
def sign_in() -> SignIn:
    return signed_in


@pytest.fixture
def make_attempt() -> MakeAttempt:
    def make(player: User, on: Deal, *, won: bool = False, state: str = "verified", **fields: Any) -> Attempt:
        """Create a finished attempt with a valid record of up to three moves and the given outcome."""
        now = timezone.now()
        table = open_table(on.variant, bytes(on.seed))
        for _ in range(3):
            moves = table.legal_moves()
            if not moves:
                break  # a deal of Stonewall may be stuck earlier
            table.push(moves[0])
        record = Record(
            version=RULES_VERSION,
            name=on.variant,
            options=None,
            seed=bytes(on.seed),
            tokens=tuple(table.moves),
            clock=(100, 200, 300)[: len(table.moves)],
            end=End("resigned", 400),
        )
        facts: dict[str, Any] = {
            "ranked": on.day is not None,
            "state": state,
            "started_at": now - timedelta(minutes=1),
            "finished_at": now,
            "end": "won" if won else "resigned",
            "record": record.to_bytes(),
            "cards_up": 52 if won else 3,
            "elapsed_ms": 400,
            "tokens": 3,
        }
        return Attempt.objects.create(player=player, deal=on, **facts | fields)

    return make
