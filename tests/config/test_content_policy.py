"""Content security policy: the same header as django-csp's, computed only for answers with their own policy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from csp.constants import HEADER
from csp.decorators import csp_replace
from csp.middleware import CSPMiddleware
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from config.content_policy import PERMISSIONS, ContentPolicy

View = Callable[[HttpRequest], HttpResponse]


def plain(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("seen")


@csp_replace({"frame-ancestors": ["*"]})
def framed(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("seen")


def settled(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("seen", headers={HEADER: "default-src 'none'"})


def directives(policy: str) -> set[str]:
    return {one.strip() for one in policy.split(";")}


def answer(middleware: CSPMiddleware) -> HttpResponse:
    answered = middleware(RequestFactory().get("/"))
    assert isinstance(answered, HttpResponse)
    return answered


@pytest.mark.parametrize("view", [plain, framed, settled], ids=lambda view: view.__name__)
def test_the_header_equals_django_csps(view: View) -> None:
    ours, theirs = (answer(kind(view)) for kind in (ContentPolicy, CSPMiddleware))
    assert directives(ours.headers[HEADER]) == directives(theirs.headers[HEADER])
    assert ours.headers.keys() == {*theirs.headers, PERMISSIONS}


def test_pages_cannot_use_camera_or_location() -> None:
    policy = answer(ContentPolicy(plain)).headers[PERMISSIONS].split(", ")
    assert {"camera=()", "microphone=()", "geolocation=()", "payment=()"} <= set(policy)
    assert not any(feature.startswith(("publickey-credentials", "clipboard", "web-share")) for feature in policy)


def test_the_policy_is_not_computed_per_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    middleware = ContentPolicy(plain)
    monkeypatch.setattr("csp.middleware.build_policy", None)
    assert "script-src 'self'" in directives(answer(middleware).headers[HEADER])
