"""All of one's data, as JSON."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connections
from django.test import AsyncClient
from django.urls import reverse
from django.utils import timezone

from accounts import export as exporting
from accounts.export import export
from accounts.follows import follow
from accounts.guests import BACKEND, create_guest
from accounts.models import User
from games.rules import Record, replay
from leaderboards import ranking
from tests.accounts.conftest import PASSWORD, MakeAttempt, MakeDeal, MakeUser, SignIn

pytestmark = pytest.mark.django_db

DOWNLOAD = reverse("players:download")


def exported(user: User) -> Any:
    async def collect() -> str:
        return "".join([piece async for piece in export(user)])

    return json.loads(async_to_sync(collect)())


def test_everything_about_a_player_is_there(
    make_user: MakeUser, make_deal: MakeDeal, make_attempt: MakeAttempt
) -> None:
    user = make_user("Ada", email="ada@example.org", preferences={"theme": "dark"})
    EmailAddress.objects.create(user=user, email="ada@example.org", verified=True, primary=True)
    Authenticator.objects.create(user=user, type="totp", data={"secret": "topsecret"})
    friend = make_user("Grace")
    follow(user, friend)
    attempts = [make_attempt(user, make_deal("plot")), make_attempt(user, make_deal(practice=True))]
    ranking.rank_player(user)
    found = exported(user)
    account = found["account"]
    assert (account["name"], account["public_id"]) == ("Ada", str(user.public_id))
    assert account["email_addresses"][0]["email"] == "ada@example.org"
    assert account["preferences"]["theme"] == "dark"
    assert account["authenticators"][0]["type"] == "totp"
    assert [entry["name"] for entry in found["following"]] == ["Grace"]
    assert [entry["id"] for entry in found["attempts"]] == [str(attempt.public_id) for attempt in attempts]
    assert [entry["attempt"] for entry in found["results"]] == [str(attempts[0].public_id)]
    text = json.dumps(found)
    assert "topsecret" not in text
    assert user.password not in text


def test_records_of_open_deals_stay_secret(user: User, make_deal: MakeDeal, make_attempt: MakeAttempt) -> None:
    today = timezone.now().date()
    open_deal, old_deal = make_deal("plot", today), make_deal("plot", today - timedelta(days=3))
    practice = make_deal(practice=True)
    for deal in (open_deal, old_deal, practice):
        make_attempt(user, deal)
    found = exported(user)
    open_entry, old_entry, practice_entry = found["attempts"]
    assert "record" not in open_entry
    assert bytes(open_deal.seed).hex() not in json.dumps(found)
    for entry in (old_entry, practice_entry):
        replayed = replay(Record.from_json(entry["record"]))
        assert (replayed.ok, replayed.tokens) == (True, 3)


def test_a_running_attempt_has_no_record(user: User, make_deal: MakeDeal, make_attempt: MakeAttempt) -> None:
    make_attempt(user, make_deal(practice=True), state="playing", finished_at=None, end="", record=None)
    assert "record" not in exported(user)["attempts"][0]


def test_nobody_elses_data_is_there(
    user: User, make_user: MakeUser, make_deal: MakeDeal, make_attempt: MakeAttempt
) -> None:
    other = make_user()
    make_attempt(other, make_deal())
    follow(other, user)
    found = exported(user)
    assert (found["attempts"], found["results"], found["following"]) == ([], [], [])
    assert found["account"]["followers"] == 1


def test_it_is_complete_over_many_batches(
    user: User, make_deal: MakeDeal, make_attempt: MakeAttempt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "_BATCH", 2)
    deal = make_deal(practice=True)
    attempts = [make_attempt(user, deal) for _ in range(5)]
    assert [entry["id"] for entry in exported(user)["attempts"]] == [str(attempt.public_id) for attempt in attempts]


def test_a_password_is_asked_for_first(user: User, sign_in: SignIn) -> None:
    answer = sign_in(user).get(DOWNLOAD)
    assert answer.headers["Location"].startswith(reverse("account_reauthenticate"))


async def downloaded(player: User) -> Any:
    """The file as the server would stream it, asynchronously."""
    client = AsyncClient()
    await client.aforce_login(player, backend=BACKEND)
    if not player.is_guest:
        await client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    answer: Any = await client.get(DOWNLOAD)
    assert answer.headers["Content-Type"] == "application/json"
    assert "attachment" in answer.headers["Content-Disposition"]
    body = b"".join([piece async for piece in answer.streaming_content])
    await sync_to_async(connections.close_all)()  # those of the thread that served this
    return json.loads(body)


@pytest.mark.django_db(transaction=True)
async def test_it_is_sent_as_a_file(make_user: MakeUser) -> None:
    user = await sync_to_async(make_user)("Ada")
    assert (await downloaded(user))["account"]["name"] == "Ada"


@pytest.mark.django_db(transaction=True)
async def test_a_guest_needs_no_password() -> None:
    guest = await sync_to_async(create_guest)()
    assert (await downloaded(guest))["account"]["guest"] is True
