"""Errors: one type, an HTML page for browsers and one JSON shape for API clients."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import translation

from config.http import error_pages
from games.core.errors import ErrorCode, RateLimitedError, Refusal, refusal_of
from games.live.protocol import CODES
from games.rules import Record, RulesError, replay

JSON = {"accept": "application/json"}


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "headers"), [("/nowhere/", JSON), ("/api/nowhere", {})])
def test_an_unknown_address_is_json_for_api_clients(path: str, headers: dict[str, str], client: Client) -> None:
    response = client.get(path, headers=headers)
    assert response.status_code == 404
    assert response.json() == {"error": {"code": "not_found", "message": "Nothing found at this address.", "data": {}}}


def wanting_json() -> HttpRequest:
    return by_visitor(JSON)


def by_visitor(headers: dict[str, str]) -> HttpRequest:
    request = RequestFactory().get("/", headers=headers)
    request.user = AnonymousUser()
    return request


@pytest.mark.parametrize(
    ("handler", "status", "code"),
    [
        (error_pages.bad_request, 400, "bad_request"),
        (lambda request: error_pages.permission_denied(request, PermissionDenied()), 403, "forbidden"),
        (lambda request: error_pages.error_response(request, RateLimitedError(90)), 429, "rate_limited"),
        (error_pages.too_many_requests, 429, "rate_limited"),
        (error_pages.not_found, 404, "not_found"),
        (error_pages.server_error, 500, "server_error"),
        (error_pages.csrf_failure, 403, "csrf_failed"),
    ],
)
def test_each_handler_has_a_page_and_a_json_shape(
    handler: Callable[[HttpRequest], HttpResponse], status: int, code: str
) -> None:
    answer = handler(wanting_json())
    assert answer.status_code == status
    error = json.loads(answer.content)["error"]
    assert error.keys() == {"code", "message", "data"}
    assert error["code"] == code
    page = handler(by_visitor({"accept": "text/html"}))
    assert page.status_code == status
    text = page.content.decode()
    assert error["message"] in html.unescape(text)
    assert f"<title>Error {status} · Talon</title>" in text
    assert re.search(r"<h1>\w.*</h1>", text)
    assert settings.STATIC_URL + "css/pages.css" in text
    assert ("Retry-After" in answer) == (status == 429)
    assert "no-store" in answer["Cache-Control"]
    assert "no-store" in page["Cache-Control"]


@pytest.mark.django_db
def test_a_database_outage_is_a_translated_503(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: object) -> None:
        raise OperationalError("away") from psycopg.OperationalError("away")

    monkeypatch.setattr("django.contrib.sessions.middleware.SessionMiddleware.process_request", away)
    client.raise_request_exception = False
    page = client.get("/", headers={"accept": "text/html", "accept-language": "de"})
    assert (page.status_code, page["Retry-After"]) == (503, "2")
    assert "Unser Server hat gerade ein Problem." in page.content.decode()
    assert client.get("/", headers=JSON).json()["error"]["code"] == "database_away"
    assert {record.getMessage() for record in caplog.records} == {"the database failed a request"}


@pytest.mark.django_db
def test_the_api_answers_a_database_outage_with_503(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("away")

    monkeypatch.setattr("django.db.models.query.QuerySet.get", away)
    answer = client.get("/api/v1/boards/1")
    assert (answer.status_code, answer["Retry-After"]) == (503, "2")
    assert answer.json()["error"]["code"] == "database_away"


def test_a_failure_is_a_500_page_without_details(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the deck is AH 2H 3H")

    monkeypatch.setattr("django.contrib.sessions.middleware.SessionMiddleware.process_request", broken)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    assert "deck" not in response.content.decode()


@pytest.mark.django_db
def test_a_form_without_its_token_asks_for_a_reload() -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {}, headers={"accept": "text/html"})
    assert response.status_code == 403
    assert 'href="/accounts/login/"' in response.content.decode()
    assert "reload the page" in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_refused_method_is_an_ordinary_error(accept: str, client: Client) -> None:
    answer = client.delete("/practice/", headers={"accept": accept})
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    if accept == "application/json":
        assert answer.json()["error"]["code"] == "method_not_allowed"
    else:
        assert "accept that method" in answer.content.decode()


# The error type and its codes.


def rules_errors(base: type[RulesError] = RulesError) -> list[type[RulesError]]:
    return [base, *(error for kind in base.__subclasses__() for error in rules_errors(kind))]


def test_every_code_of_the_rules_is_an_error_code() -> None:
    assert {refusal_of(error.__new__(error)).code for error in rules_errors()} <= set(ErrorCode)
    claimed = {"rules": 1, "variant": "plot", "seed": "00" * 32, "tokens": [], "clock": []}
    failure = replay(Record.from_json({**claimed, "end": {"how": "won", "ms": 0}})).failure
    assert failure is not None
    assert ErrorCode.of(failure.code) is ErrorCode.CONTRADICTED_END


def test_every_code_is_documented_with_its_status() -> None:
    page = (Path(settings.BASE_DIR) / "docs" / "errors.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (\d{3}) \| \S", page, re.MULTILINE)
    documented = {code: int(status) for code, status in rows}
    assert len(documented) == len(rows)
    assert documented == {code: code.status for code in ErrorCode if code in documented}
    assert set(ErrorCode) - set(documented) < CODES  # these are documented on the protocol page only
    assert set(documented) <= set(ErrorCode)


def test_every_code_has_a_page() -> None:
    request = RequestFactory().get("/", headers={"accept": "text/html", "accept-language": "de"})
    for code in ErrorCode:
        page = error_pages.error_response(request, Refusal(code, "plain English"))
        with translation.override("de"):
            assert str(code.sentence) in page.content.decode(), code
        assert page.status_code == code.status, code
        assert "plain English" not in page.content.decode(), code


def test_a_translated_message_may_be_shown() -> None:
    refusal = Refusal(ErrorCode.DEAL_CLOSED, ErrorCode.ACCOUNT_REQUIRED.sentence)
    german = RequestFactory().get("/", headers={"accept": "text/html", "accept-language": "de"})
    assert "Dafür brauchst du ein Konto." in error_pages.error_response(german, refusal).content.decode()
    assert (
        json.loads(error_pages.error_response(wanting_json(), refusal).content)["error"]["message"]
        == "You need an account for this."
    )


@pytest.mark.django_db
def test_a_views_refusal_is_answered_not_logged(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise Refusal(ErrorCode.STALE, "too late", next=4)

    monkeypatch.setattr("games.pages.daily.table_page.publishing.todays_deals", refuse)
    assert client.get("/", headers={"accept": "text/html"}).status_code == 409
    answer = client.get("/", headers=JSON)
    assert answer.json() == {"error": {"code": "stale", "message": "too late", "data": {"next": 4}}}


@pytest.mark.django_db
def test_an_api_view_refuses_in_json(client: Client) -> None:
    address = "/table/00000000-0000-4000-8000-000000000000/can-win"
    answer = client.get(address, headers={"accept": "text/html"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")


def test_there_is_one_shape_and_one_type() -> None:
    """No other code writes the shape, and no other error has a code, except in the pure parts."""
    parts = ("accounts", "config", "games", "leaderboards")
    files = [path for part in parts for path in (Path(settings.BASE_DIR) / part).rglob("*.py")]
    texts = {str(path): path.read_text() for path in files if path.parent.name not in ("rules", "solver")}
    assert [name for name, text in texts.items() if re.search(r"[\"']error[\"']: \{", text)] == [
        str(Path(settings.BASE_DIR) / "games" / "core" / "errors.py")
    ]
    coded = re.compile(
        r"^class \w+\((?!Refusal\))\w*(?:Error|Exception)\):(?:\n(?:    .*)?)*?\n    code = ", re.MULTILINE
    )
    assert [name for name, text in texts.items() if coded.search(text)] == []
