"""Session store: sessions are written once, at the end of the request that needs one."""

from __future__ import annotations

import secrets
from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import login
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.models import Session
from django.db import connection
from django.http import HttpRequest
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from accounts.sign_in.guests import BACKEND
from accounts.sign_in.session_store import SessionStore

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


@pytest.fixture
def saved() -> SessionStore:
    session = SessionStore()
    session["who"] = "Ariadne"
    session.save()
    return session


def test_an_existing_session_gets_another_key(saved: SessionStore) -> None:
    before = saved.session_key
    saved.cycle_key()
    saved.save()
    assert saved.session_key != before
    assert SessionStore(saved.session_key)["who"] == "Ariadne"
    assert not Session.objects.filter(session_key=before).exists()


def test_a_taken_key_is_not_reused(monkeypatch: pytest.MonkeyPatch) -> None:
    first = SessionStore()
    first.save()
    keys = iter([first.session_key, "b" * 32])
    monkeypatch.setattr(secrets, "token_hex", lambda *_: next(keys))
    second: Any = SessionStore()
    second.save()
    assert second.session_key == "b" * 32


def test_an_expired_session_is_empty_and_loses_its_key(saved: SessionStore) -> None:
    Session.objects.update(expire_date=timezone.now())
    expired = SessionStore(saved.session_key)
    assert "who" not in expired
    assert expired.session_key is None


def test_django_calls_what_the_store_overrides(monkeypatch: pytest.MonkeyPatch) -> None:
    """The contract with Django: each override stands for a method that Django has and calls."""
    called: list[str] = []
    for name in ("load", "cycle_key", "_get_new_session_key"):
        own = getattr(SessionStore, name)
        assert getattr(DatabaseStore, name, own) is not own

        def noted(store: SessionStore, name: str = name, own: Any = own) -> Any:
            called.append(name)
            return own(store)

        monkeypatch.setattr(SessionStore, name, noted)
    request = HttpRequest()
    request.session = SessionStore()
    login(request, User.objects.create_user("Ada"), backend=BACKEND)
    request.session.save()
    assert SessionStore(request.session.session_key)["_auth_user_id"]
    assert called == ["cycle_key", "_get_new_session_key", "load"]


def test_sign_in_takes_one_insert() -> None:
    request, user = HttpRequest(), User.objects.create_user("Ada")
    request.session = SessionStore()
    with CaptureQueriesContext(connection) as queries:
        login(request, user, backend=BACKEND)
        request.session.save()
    sessions = [query["sql"].split()[0] for query in queries if "django_session" in query["sql"]]
    assert sessions == ["INSERT"]
