"""Errors look one way: a page for people, one JSON shape for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from config import errors
from games.limits import RateLimitedError

JSON = {"accept": "application/json"}


@pytest.mark.django_db
def test_an_unknown_address_is_a_page_for_people(client: Client) -> None:
    response = client.get("/nowhere/", headers={"accept": "text/html"})
    assert response.status_code == 404
    assert response["Content-Type"].startswith("text/html")
    assert "nothing at this address" in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "headers"), [("/nowhere/", JSON), ("/api/nowhere", {})])
def test_an_unknown_address_is_the_json_shape_for_programs(path: str, headers: dict[str, str], client: Client) -> None:
    response = client.get(path, headers=headers)
    assert response.status_code == 404
    assert response.json() == {
        "error": {"code": "not_found", "message": "There is nothing at this address.", "data": {}}
    }


def wanting_json() -> HttpRequest:
    return RequestFactory().get("/", headers=JSON)


@pytest.mark.parametrize(
    ("handler", "status", "code"),
    [
        (errors.bad_request, 400, "bad_request"),
        (lambda request: errors.permission_denied(request, PermissionDenied()), 403, "forbidden"),
        (lambda request: errors.permission_denied(request, RateLimitedError(90)), 429, "rate_limited"),
        (errors.too_many_requests, 429, "rate_limited"),
        (errors.not_found, 404, "not_found"),
        (errors.server_error, 500, "server_error"),
        (errors.csrf_failure, 403, "csrf_failed"),
    ],
)
def test_each_handler_has_a_page_and_the_json_shape(
    handler: Callable[[HttpRequest], HttpResponse], status: int, code: str
) -> None:
    answer = handler(wanting_json())
    assert answer.status_code == status
    error = json.loads(answer.content)["error"]
    assert error.keys() == {"code", "message", "data"}
    assert error["code"] == code
    page = handler(RequestFactory().get("/", headers={"accept": "text/html"}))
    assert page.status_code == status
    text = page.content.decode()
    assert error["message"] in text
    assert f"<title>Error {status} · Talon</title>" in text
    assert re.search(r"<h1>\w.*</h1>", text)
    assert settings.STATIC_URL + "css/pages.css" in text
    assert ("Retry-After" in answer) == (status == 429)


@pytest.mark.django_db
def test_a_failure_is_a_500_page_without_details(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the deck is AH 2H 3H")

    monkeypatch.setattr("django.contrib.sessions.middleware.SessionMiddleware.process_request", broken)
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    assert "deck" not in response.content.decode()


@pytest.mark.django_db
def test_a_form_without_its_token_is_told_to_load_again() -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {}, headers={"accept": "text/html"})
    assert response.status_code == 403
    assert "load the page again" in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_a_refused_method_is_an_error_like_others(accept: str, client: Client) -> None:
    answer = client.delete("/practice/", headers={"accept": accept})
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    if accept == "application/json":
        assert answer.json()["error"]["code"] == "method_not_allowed"
    else:
        assert "does not answer to that method" in answer.content.decode()
