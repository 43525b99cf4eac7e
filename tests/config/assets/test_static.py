"""Static files: sources when embedded, hashed and compressed in production; card decks, and files at the root."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import brotli
import pytest
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.finders import find
from django.test import AsyncClient, Client
from django.urls import resolve

from games.rules import open_table
from tests.config.running import run

FETCH = """
import sys, django
django.setup()
from django.test import Client
from django.templatetags.static import static
url = static("admin/css/base.css")
client = Client(HTTP_HOST="127.0.0.1")  # each client would look for all files
for accepted in sys.argv[1:]:
    response = client.get(url, headers={"accept-encoding": accepted})
    assert response.status_code == 200, response.status_code
    print(url, accepted, response.get("Content-Encoding"), response["Cache-Control"], sep="|")
from config.assets.service_worker import offline_files
lacking = [url for url in offline_files("de").files if client.get(url).status_code != 200]
assert not lacking, lacking
assert [url for url in offline_files("de").files if "lessons/plot." in url and "plot.json" not in url]
"""


def test_sources_are_served_without_collected_files(client: Client) -> None:
    response = client.get("/static/admin/css/base.css")
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/css")
    assert len(response.content) == int(response["Content-Length"])


def test_an_unchanged_file_is_not_sent_again(client: Client) -> None:
    first = client.get("/static/admin/css/base.css")
    again = client.get("/static/admin/css/base.css", headers={"if-modified-since": first["Last-Modified"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_range_of_a_file_can_be_requested(client: Client) -> None:
    whole = client.get("/static/admin/css/base.css").content
    part = client.get("/static/admin/css/base.css", headers={"range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole[10:20])


async def test_files_are_sent_without_a_stream_under_asgi(async_client: AsyncClient) -> None:
    """Django warns of a synchronous stream, and warnings are errors here."""
    response = await async_client.get("/static/admin/css/base.css")
    assert response.status_code == 200
    assert not response.streaming


def test_collected_files_are_hashed_compressed_and_immutable(collected: Path, tmp_path: Path) -> None:
    (tmp_path / "static").symlink_to(collected)
    manifest = json.loads((collected / "staticfiles.json").read_text())["paths"]
    hashed = collected / manifest["admin/css/base.css"]
    assert brotli.decompress(hashed.with_name(f"{hashed.name}.br").read_bytes()) == hashed.read_bytes()
    assert not (collected / "admin" / "css" / "base.css").exists()
    expected = {"br, gzip": "br", "gzip": "gzip", "identity": "None"}
    served = run("-c", FETCH, *expected, var=tmp_path, COLLECTED_STATIC="1", DJANGO_SETTINGS_MODULE="config.settings")
    assert served.returncode == 0, served.stderr
    for line in served.stdout.splitlines():
        url, accepted, encoding, caching = line.split("|")
        assert re.fullmatch(r"/static/admin/css/base\.[0-9a-f]{12}\.css", url)
        assert encoding == expected[accepted]
        assert "immutable" in caching


def test_every_static_reference_of_the_templates_exists() -> None:
    root = Path(__file__).resolve().parents[3] / "frontend" / "templates"
    named = {
        name
        for path in root.rglob("*.html")
        for name in re.findall(r"""{%\s*static\s+["']([^"'{}]+)["']""", path.read_text())
    }
    assert not {name for name in named if find(name) is None}


@pytest.mark.django_db
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


@pytest.mark.django_db
def test_the_icon_is_an_icon(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert answer.status_code == 200
    assert answer["Content-Type"] in {"image/x-icon", "image/vnd.microsoft.icon"}
    reserved, kind, images = struct.unpack("<HHH", answer.content[:6])
    length, start = struct.unpack("<II", answer.content[14:22])
    assert (reserved, kind, images) == (0, 1, 1)
    assert answer.content[start : start + 8] == b"\x89PNG\r\n\x1a\n"
    assert start + length == len(answer.content)


SYMBOL = re.compile(r'^(?:<defs>)?<(g|symbol) id="([^"]+)"[^>]*>(.*)</\1>(?:</defs>)?$', flags=re.MULTILINE)
SUFFIXES = {"french": ["", "-i", "-j", "-c", "-d"], "tarot": ["", "-i", "-c"]}


def cards_of(deck: str) -> set[str]:
    if deck == "french":
        return {rank + suit for rank in "A23456789TJQK" for suit in "SHDC"}
    return {rank + suit for rank in "A23456789TPNQK" for suit in "WCSP"} | {f"M{number}" for number in range(22)}


@pytest.mark.parametrize("name", ["french.svg", "tarot.svg", "tarot.de.svg"])
def test_every_card_has_its_symbols_one_per_line(name: str) -> None:
    text, deck = Path(str(finders.find(f"cards/{name}"))).read_text(), name.partition(".")[0]
    symbols = {name: inside for _, name, inside in SYMBOL.findall(text)}
    assert len(symbols) == text.count(' id="')
    assert {card + suffix for card in cards_of(deck) for suffix in SUFFIXES[deck]} <= set(symbols)
    for symbol, inside in symbols.items():
        used = re.findall(r'<use href="#([^"]+)"(?: transform="[^"]*")?/>', inside)
        assert len(used) == inside.count("<use"), symbol
        assert all("<use" not in symbols[other] for other in used), symbol
        assert "style=" not in inside, f"{symbol}: the content security policy forbids it"


def test_the_cards_match_the_rules() -> None:
    for variant, deck in (("stonewall", "french"), ("tarot", "tarot")):
        shown = {card for pile in open_table(variant, bytes(32)).view()["piles"].values() for card in pile if card}
        assert shown <= cards_of(deck)
