"""Files that browsers and robots request at the root."""

from __future__ import annotations

import struct

import pytest
from django.test import Client
from django.urls import resolve

pytestmark = pytest.mark.django_db


def test_robots_are_excluded_from_private_pages(client: Client) -> None:
    answer = client.get("/robots.txt")
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (200, "text/plain")
    lines = answer.content.decode().splitlines()
    assert lines[0] == "User-agent: *"
    kept_out = [line.removeprefix("Disallow: ") for line in lines[1:]]
    assert {"/accounts/", "/admin/", "/table/"} <= set(kept_out)
    assert "/" not in kept_out
    for path in ("/accounts/login/", "/players/me/", "/practice/"):
        resolve(path)
        assert path.startswith(tuple(kept_out))


def test_the_icon_is_an_icon(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert answer.status_code == 200
    assert answer["Content-Type"] in {"image/x-icon", "image/vnd.microsoft.icon"}
    reserved, kind, images = struct.unpack("<HHH", answer.content[:6])
    length, start = struct.unpack("<II", answer.content[14:22])
    assert (reserved, kind, images) == (0, 1, 1)
    assert answer.content[start : start + 8] == b"\x89PNG\r\n\x1a\n"
    assert start + length == len(answer.content)
