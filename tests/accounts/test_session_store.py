"""Sessions are written once, at the end of the request that needs one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client

from accounts import session_store
from accounts.session_store import SessionStore
from tests.games.conftest import make_deal

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_site_keeps_its_sessions_so() -> None:
    assert import_module(settings.SESSION_ENGINE).SessionStore is SessionStore


def test_a_new_session_is_saved_complete_under_a_new_key() -> None:
    session = SessionStore()
    session.cycle_key()
    session["who"] = "Ariadne"
    assert session.modified
    assert not Session.objects.exists()
    session.save()
    assert session.session_key is not None
    assert SessionStore(session.session_key)["who"] == "Ariadne"


def test_a_session_that_there_is_gets_another_key() -> None:
    session = SessionStore()
    session["who"] = "Ariadne"
    session.save()
    before = session.session_key
    session.cycle_key()
    session.save()
    assert session.session_key != before
    assert SessionStore(session.session_key)["who"] == "Ariadne"
    assert not Session.objects.filter(session_key=before).exists()


def test_a_key_that_is_taken_is_not_taken_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    first = SessionStore()
    first.save()
    keys = iter([first.session_key, "b" * 32])
    monkeypatch.setattr(session_store, "get_random_string", lambda *_: next(keys))
    second: Any = SessionStore()
    second.save()
    assert second.session_key == "b" * 32


def test_a_guest_comes_back(client: Client) -> None:
    make_deal("plot")
    table = client.post("/play/plot/start")["Location"]
    assert client.get(table).status_code == 200
    assert Session.objects.count() == 1
