"""Compression: once per answer, and without leaking secrets through its length."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from config.http.compression import Compression
from tests.factories import make_account, make_deal

pytestmark = pytest.mark.django_db
GZIP = {"accept-encoding": "gzip, deflate, br, zstd"}


@pytest.mark.parametrize("path", ["/", "/verify/", "/api/v1/deals", "/boards/", "/api/v1/openapi.json"])
def test_pages_and_the_api_are_compressed(path: str, client: Client) -> None:
    for variant in ("plot", "braid"):
        make_deal(variant, day=timezone.now().date())
    plain, packed = client.get(path), client.get(path, headers=GZIP)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content) / 1.5
    assert "Accept-Encoding" in plain["Vary"]
    assert "Accept-Encoding" in packed["Vary"]
    unpacked = gzip.decompress(packed.content)
    if path.startswith("/api/"):
        assert json.loads(unpacked) == plain.json()
    else:
        assert unpacked.decode().rstrip().endswith("</html>")


def test_the_length_of_an_answer_reveals_nothing(client: Client) -> None:
    """The same answer has varying lengths, which hide what a guess adds or saves."""
    make_deal("plot", day=timezone.now().date())
    packed = [client.get("/api/v1/openapi.json", headers=GZIP).content for _ in range(24)]
    assert len({gzip.decompress(one) for one in packed}) == 1
    assert len({len(one) for one in packed}) > 8


def test_a_csrf_token_differs_in_each_page(client: Client) -> None:
    pages = [gzip.decompress(client.get("/verify/", headers=GZIP).content).decode() for _ in range(2)]
    tokens = [page.partition('name="csrfmiddlewaretoken" value="')[2][:64] for page in pages]
    assert all(tokens)
    assert tokens[0] != tokens[1]


def test_pages_of_accounts_are_not_compressed(client: Client) -> None:
    player = make_account()
    player.set_password("pw")
    player.save()
    client.force_login(player, backend="allauth.account.auth_backends.AuthenticationBackend")
    own = ("/players/me/settings/", "/players/me/data/")
    for path in ("/accounts/login/", "/accounts/2fa/", "/accounts/2fa/totp/activate/", *own):
        assert "Content-Encoding" not in client.get(path, headers=GZIP), path


def compressed(response: Any, method: str = "GET") -> Any:
    request: HttpRequest = getattr(RequestFactory(), method.lower())("/", headers=GZIP)
    return Compression(lambda _: response)(request)


def test_a_stream_is_not_compressed() -> None:
    answer = compressed(StreamingHttpResponse(iter([b"a" * 1000, b"b" * 1000])))
    assert "Content-Encoding" not in answer
    assert b"".join(answer) == b"a" * 1000 + b"b" * 1000


def test_nothing_is_compressed_twice() -> None:
    answer = compressed(HttpResponse(b"a" * 1000, headers={"Content-Encoding": "br"}))
    assert (answer["Content-Encoding"], len(answer.content)) == ("br", 1000)
    order = settings.MIDDLEWARE
    assert order.index("config.assets.static.StaticFiles") < order.index("config.http.compression.Compression")
    assert "encode" not in (Path(settings.BASE_DIR) / "deploy" / "Caddyfile").read_text()


def test_an_etag_becomes_weak() -> None:
    assert compressed(HttpResponse(b"a" * 1000, headers={"ETag": '"x"'}))["ETag"] == 'W/"x"'


def test_a_head_request_is_answered_like_the_page(client: Client) -> None:
    make_deal("plot", day=timezone.now().date())
    head = client.head("/verify/", headers=GZIP)
    assert (head.status_code, head.content) == (200, b"")
    assert head["Content-Encoding"] == "gzip"
