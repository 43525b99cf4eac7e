"""Players, deals and attempts for the account tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import tasks
from accounts.lifecycle.export import export
from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.models import Attempt, Deal
from games.rules import RULES_VERSION, End, Record, open_table
from tests.factories import make_account, signed_in

PASSWORD = "seven of wands"

MakeUser = Callable[..., User]
MakeAttempt = Callable[..., Attempt]
SignIn = Callable[[User], Client]


@pytest.fixture
def make_user(db: None) -> MakeUser:
    """Create an account with PASSWORD."""
    return partial(make_account, password=PASSWORD)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...]]]:
    """Run tasks as soon as forms request them, with their arguments as a queue delivers them; return what was run."""
    done: list[tuple[str, tuple[Any, ...]]] = []

    def request_task(name: str, *args: Any) -> bool:
        done.append((name, args))
        getattr(tasks, name.removeprefix("talon.")).run(*json.loads(json.dumps(args)))
        return True

    monkeypatch.setattr("accounts.forms.request_task", request_task)
    return done


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
def mine(user: User) -> Client:
    return signed_in(user)


@pytest.fixture
def trusted(mine: Client) -> Client:
    """A browser in which `user` has just confirmed the password."""
    mine.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    return mine


def player_in(client: Client) -> User | None:
    return User.objects.filter(pk=client.session.get("_auth_user_id", 0)).first()


def exported(player: User) -> Any:
    """Return a player's data as the export has it. It is read in other threads: the test needs transactions."""

    async def collect() -> str:
        return "".join([piece async for piece in export(player)])

    return json.loads(async_to_sync(collect)())


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
