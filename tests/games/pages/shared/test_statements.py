"""Database statements of a newcomer's first minute, and the invariants that hold with fewer of them."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import create_guest
from games.attempts import lifecycle as attempts
from games.attempts.lifecycle import DealClosedError, start_first_attempt
from games.live.loader import load
from games.live.sockets.authentication import session_of, user_of
from games.models import Attempt, Deal, Start
from games.pages.daily import table_page
from tests.factories import make_deal

pytestmark = pytest.mark.django_db(transaction=True)

#: The guest with the first attempt and its origin, then the session.
START = [
    "SELECT games_deal",
    *("BEGIN", "INSERT accounts_user", "INSERT games_attempt", "INSERT games_start", "COMMIT"),
    *("BEGIN", "INSERT django_session", "COMMIT"),
]
WHO = ["SELECT django_session", "SELECT accounts_user"]
#: The attempt and its deal, then the journal with the state.
WHAT = ["SELECT games_attempt", "SELECT games_deal", "SELECT games_attempt"]


def told(queries: CaptureQueriesContext) -> list[str]:
    """Return the verb and first table of each statement."""
    found = []
    for query in queries.captured_queries:
        table = re.search(r'(?:FROM|INTO|UPDATE) "?(\w+)', query["sql"])
        found.append(f"{query['sql'].split()[0]} {table[1]}" if table else query["sql"].split()[0])
    return found


def test_statements_of_a_newcomers_start_and_table(client: Client) -> None:
    make_deal()
    create_guest()
    with CaptureQueriesContext(connection) as start:
        page = client.post("/play/plot/start")["Location"]
    with CaptureQueriesContext(connection) as table:
        assert client.get(page).status_code == 200
    assert told(start) == START
    assert told(table) == WHO + WHAT


def test_statements_of_a_socket(client: Client) -> None:
    make_deal()
    client.post("/play/plot/start")
    attempt, key = Attempt.objects.select_related("player").get(), Session.objects.get().session_key
    user_of_session: Any = user_of.__wrapped__  # type: ignore[attr-defined] # in this thread, whose statements are counted
    with CaptureQueriesContext(connection) as who:
        assert user_of_session(session_of(key)) == attempt.player
    with CaptureQueriesContext(connection) as what:
        load(attempt.public_id)
    assert told(who) == WHO
    assert told(what) == WHAT


def test_an_accounts_sign_in_is_recorded() -> None:
    account = User.objects.create_user("Ada Lovelace")
    Client().force_login(account)
    assert User.objects.get().last_login is not None


def test_no_guest_is_created_for_a_closed_deal(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    deal = make_deal()
    Deal.objects.filter(pk=deal.pk).update(closes_at=timezone.now())
    deal.refresh_from_db()
    monkeypatch.setattr(table_page, "_todays", lambda _: deal)
    assert client.post("/play/plot/start")["Location"] == "/play/plot/"
    assert not User.objects.exists()
    with pytest.raises(DealClosedError):
        start_first_attempt(deal, now=timezone.now())
    assert not User.objects.exists()


def test_a_failed_start_leaves_no_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    make_deal()

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("no origin")

    monkeypatch.setattr(Start.objects, "create", fail)
    client = Client(raise_request_exception=False)
    assert client.post("/play/plot/start").status_code == 500
    assert not any(model.objects.exists() for model in (User, Attempt, Start, Session))
    monkeypatch.undo()
    assert client.get(client.post("/play/plot/start")["Location"]).status_code == 200


def test_a_newcomers_rows_are_linked(client: Client) -> None:
    deal = make_deal()
    client.post("/play/plot/start")
    guest, attempt, start = User.objects.get(), Attempt.objects.get(), Start.objects.get()
    assert (attempt.player, attempt.deal, attempt.ranked) == (guest, deal, True)
    assert (start.attempt, start.deal, start.made_at) == (attempt, deal, attempt.started_at)
    assert guest.last_login is not None, "the row holds the guest's only sign-in"
    assert guest.last_login - guest.date_joined < timedelta(seconds=5)
    session = Session.objects.get()
    assert session.session_key == client.cookies[settings.SESSION_COOKIE_NAME].value
    assert session.get_decoded()["_auth_user_id"] == str(guest.pk)


def test_concurrent_starts_create_one_attempt(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_deal()
    first = client.post("/play/plot/start")["Location"]
    monkeypatch.setattr(attempts, "_existing_attempt", lambda *_: None)
    assert client.post("/play/plot/start")["Location"] == first
    assert (Attempt.objects.count(), Start.objects.count()) == (1, 1)


def test_a_visitor_with_a_session_becomes_a_guest(client: Client) -> None:
    make_deal()
    session = client.session
    session["seen"] = "the rules"
    session.save()
    page = client.post("/play/plot/start")["Location"]
    assert client.get(page).status_code == 200
    assert client.session["seen"] == "the rules"
    assert Session.objects.count() == 1


def test_a_player_by_number() -> None:
    guest = create_guest()
    assert User.objects.get(pk=guest.pk) == User.objects.get(pk=str(guest.pk)) == guest
    wrong: Any
    for wrong in (guest.pk + 1, None):
        with pytest.raises(User.DoesNotExist):
            User.objects.get(pk=wrong)
    with pytest.raises(ValueError, match="number"):
        User.objects.get(pk="ariadne")
    with pytest.raises(User.DoesNotExist):
        Group.objects.create(name="staff").user_set.get(pk=guest.pk)  # only of members of the group
