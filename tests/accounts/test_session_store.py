"""Session store: sessions are written once, at the end of the request that needs one."""

from __future__ import annotations

import secrets
from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.session_store import SessionStore, new_row_of
from games.compiled import insert_in_order
from tests.games.conftest import make_deal

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_site_uses_this_store() -> None:
    assert import_module(settings.SESSION_ENGINE).SessionStore is SessionStore


def test_a_new_session_is_saved_whole_under_a_new_key() -> None:
    session = SessionStore()
    session.cycle_key()
    session["who"] = "Ariadne"
    assert session.modified
    assert not Session.objects.exists()
    session.save()
    assert session.session_key is not None
    assert SessionStore(session.session_key)["who"] == "Ariadne"


def test_an_existing_session_gets_another_key() -> None:
    session = SessionStore()
    session["who"] = "Ariadne"
    session.save()
    before = session.session_key
    session.cycle_key()
    session.save()
    assert session.session_key != before
    assert SessionStore(session.session_key)["who"] == "Ariadne"
    assert not Session.objects.filter(session_key=before).exists()


def test_a_taken_key_is_not_reused(monkeypatch: pytest.MonkeyPatch) -> None:
    first = SessionStore()
    first.save()
    keys = iter([first.session_key, "b" * 32])
    monkeypatch.setattr(secrets, "token_hex", lambda *_: next(keys))
    second: Any = SessionStore()
    second.save()
    assert second.session_key == "b" * 32


def test_a_session_inserted_elsewhere_is_saved_only_if_changed() -> None:
    session = SessionStore()
    session["who"] = {"name": "Ariadne"}
    insert_in_order(new_row_of(session))
    assert new_row_of(session) == []
    with CaptureQueriesContext(connection) as queries:
        session.save()
    assert not queries
    assert SessionStore(session.session_key)["who"] == {"name": "Ariadne"}
    session["who"]["name"] = "Theseus"
    session.save()
    assert SessionStore(session.session_key)["who"] == {"name": "Theseus"}


def test_a_guest_returns(client: Client) -> None:
    make_deal("plot")
    table = client.post("/play/plot/start")["Location"]
    assert client.get(table).status_code == 200
    assert Session.objects.count() == 1
