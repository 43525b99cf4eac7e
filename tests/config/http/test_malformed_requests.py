"""Hostile requests cause no server error at any address."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from allauth.core.context import request_context
from django.conf import settings as site
from django.contrib.auth import SESSION_KEY, get_user_model
from django.contrib.sessions.backends.db import SessionStore
from django.core.cache import cache
from django.db import transaction
from django.test import Client, RequestFactory
from django.urls import resolve
from django.utils import timezone
from django.utils.module_loading import import_string

from games.attempts.lifecycle import start_attempt
from tests import factories
from tests.config import malformed as hostile
from tests.factories import make_deal
from tests.rules.profile import examples

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
ROUTES = sorted({text for text, _ in hostile.patterns()})
BODIES = hostile.bodies()


@pytest.fixture
def player() -> Any:
    """A superuser, so that no request is refused for lack of permission."""
    return get_user_model().objects.create_superuser("root", password="root", display_name="Root")


@pytest.fixture
def filling(player: Any) -> dict[str, Any]:
    """Values for the parameters of addresses: existing objects."""
    past = make_deal("plot", day=timezone.now().date() - timedelta(days=3))
    attempt = start_attempt(player, make_deal("braid", day=timezone.now().date()))
    finished = factories.finished(past, player, state="verified")
    return {
        "variant": "plot",
        "game": "plot",
        "day": past.day,
        "deal_id": past.pk,
        "period": "week",
        "language": "de",
        "public_id": player.public_id,
        "player_id": player.public_id,
        "attempt": attempt.public_id,
        "finished": finished.public_id,
        "object_id": player.pk,
        "app_label": "games",
    }


def visitor(player: Any, *, signed_in: bool) -> Client:
    """Return a browser, freshly signed in if needed, because an earlier request may have signed it out."""
    cache.clear()
    client = Client(raise_request_exception=False)
    if signed_in:
        client.force_login(player, backend=BACKEND)
        session = client.session
        session["account_authentication_methods"] = [{"method": "password", "at": timezone.now().timestamp()}]
        session.save()
    return client


def is_signed_in(client: Client) -> bool:
    return SESSION_KEY in client.session


def some(what: Iterable[Any], number: int) -> list[Any]:
    """Pick ``number`` at random, others in every run; ``EXAMPLES`` multiplies it."""
    found = list(what)
    return random.sample(found, min(len(found), examples(number).max_examples))


def bodies_for(route: str, *, signed_in: bool) -> list[tuple[str, hostile.Hostile]]:
    """Return fewer bodies where most requests end at a permission check, and for the admin, whose pages are alike."""
    if signed_in and not route.startswith("admin/"):
        return some(BODIES.items(), 4)
    return some((item for item in BODIES.items() if " in a form" in item[0]), 2)


def test_every_address_resolves(filling: dict[str, Any]) -> None:
    """So the requests below reach their views."""
    for address in hostile.addresses(filling).values():
        resolve(address)


@pytest.mark.parametrize("part", sorted({route.partition("/")[0] for route in ROUTES}))
def test_no_request_causes_a_server_error(part: str, player: Any, filling: dict[str, Any]) -> None:
    addresses = hostile.addresses(filling)
    faults: list[tuple[str, str, int]] = []
    for route in (route for route in ROUTES if route.partition("/")[0] == part):
        with transaction.atomic():  # what a request changes is undone before those to the next address
            faults += [(route, name, status) for name, status in statuses(route, addresses[route], player)]
            transaction.set_rollback(True)
    assert faults == []


def statuses(route: str, address: str, player: Any) -> Iterator[tuple[str, int]]:
    """Send hostile bodies and a query string to an address; yield the server errors."""
    for signed_in in (False, True):
        client = visitor(player, signed_in=signed_in)
        for name, sent in bodies_for(route, signed_in=signed_in):
            cache.clear()
            status = client.generic("POST", address, sent.body, content_type=sent.content_type).status_code
            if status >= 500:
                yield name, status
            if status == 405:
                break  # no view here reads a body
    if not is_signed_in(client):
        client = visitor(player, signed_in=True)
    for query in some(hostile.queries(), 1):
        cache.clear()
        status = client.get(f"{address}?{query}").status_code
        if status >= 500 and status != 503:
            yield query[:60], status


def test_no_path_causes_a_server_error(client: Client) -> None:
    client.raise_request_exception = False
    paths = [(method, path) for path in hostile.strange_paths() for method in ("GET", "POST")]
    assert [request for request in paths if client.generic(*request).status_code >= 500] == []


@pytest.mark.parametrize("form", sorted(site.MFA_FORMS))
def test_no_passkey_causes_a_server_error(form: str, player: Any, rf: RequestFactory) -> None:
    """These views are behind checks that the requests above do not pass."""
    request = rf.post("/")
    request.user, request.session = player, SessionStore()
    shown = import_string(site.MFA_FORMS[form])
    with request_context(request):
        for value in hostile.VALUES.values():
            request.session["mfa.webauthn.state"] = {"challenge": "AAAA", "user_verification": "required"}
            given = {"credential": value, "name": "a"}
            made = shown(given) if form == "login_webauthn" else shown(given, user=player)
            assert made.errors
