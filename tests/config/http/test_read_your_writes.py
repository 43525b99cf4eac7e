"""Read-your-writes: only possible writers are recorded, and without replicas the middleware is absent."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from config.http import read_your_writes
from config.http.read_your_writes import ReadYourWrites


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    noted: list[int] = []
    monkeypatch.setattr(read_your_writes, "wrote", noted.append)
    return noted


def serve(method: str, *, player: int | None = 7, accessed: bool = True, modified: bool = False) -> None:
    """Serve a request that leaves its session and its player in this state."""
    request: Any = RequestFactory().generic(method, "/")
    request.session = SimpleNamespace(accessed=False, modified=False)

    def view(_request: HttpRequest) -> HttpResponse:
        request.session = SimpleNamespace(accessed=accessed, modified=modified)
        request.user = SimpleNamespace(pk=player, is_authenticated=player is not None)
        return HttpResponse()

    ReadYourWrites(view)(request)


def test_a_form_may_write(noted: list[int]) -> None:
    serve("POST")
    serve("DELETE")
    assert noted == [7, 7]


def test_signing_in_by_link_may_write(noted: list[int]) -> None:
    serve("GET", modified=True)
    assert noted == [7]


@pytest.mark.parametrize(
    ("method", "left"),
    [
        ("GET", {}),
        ("HEAD", {}),
        ("POST", {"player": None}),
        ("POST", {"accessed": False}),
        ("GET", {"accessed": False}),
    ],
)
def test_other_requests_are_not_recorded(method: str, left: dict[str, Any], noted: list[int]) -> None:
    serve(method, **left)
    assert noted == []
