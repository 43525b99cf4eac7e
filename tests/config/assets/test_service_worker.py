"""Service worker: the cached files, their version, and offline behaviour."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles.finders import find
from django.templatetags.static import static
from django.test import Client

from accounts.sign_in.guests import BACKEND
from config.assets import service_worker
from config.assets.bundler import join_modules, join_styles
from games.rules import GAMES
from tests.factories import make_account

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]
LANGUAGES = ("en-gb", "de")


def told(client: Client, language: str = "en-gb") -> dict[str, Any]:
    script = client.get("/worker.js", headers={"accept-language": language})
    assert script["Content-Type"].startswith("text/javascript")
    found = re.fullmatch(r'self\.talon = (.*);\nimportScripts\("(.*)"\);\n', script.content.decode())
    assert found
    assert client.get(found[2]).status_code == 200
    given: dict[str, Any] = json.loads(found[1])
    return given


def addresses(kept: dict[str, Any]) -> list[str]:
    return [kept["home"], *kept["pages"].values(), kept["unsent"], *kept["files"], kept["icon"]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_cached_files_exist_and_are_the_same_for_all(language: str) -> None:
    player = make_account()
    mine, nobody = Client(), Client()
    mine.force_login(player, backend=BACKEND)
    kept = told(nobody, language)
    assert told(mine, language) == kept
    for address in addresses(kept):
        answer, own = nobody.get(address), mine.get(address, headers={"accept-language": "de"})
        assert (answer.status_code, own.status_code) == (200, 200), address
        assert answer.content == own.content, address
        assert not answer.cookies, address
    for address in (kept["home"], *kept["pages"].values(), kept["unsent"]):
        page = mine.get(address).content.decode()
        assert f'lang="{language}"' in page
        for personal in ("csrf", "<form", player.display_name, "data-preferences"):
            assert personal not in page, address


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_cache_suffices_for_a_lesson(client: Client, language: str) -> None:
    kept = told(client, language)
    assert kept["pages"] == {f"/rules/{game}/": f"/offline/{language}/{game}/" for game in GAMES}
    read: set[str] = set()

    def reading(name: str) -> str:
        read.add(name)
        found = find(name)
        assert found
        return Path(found).read_text()

    # The bundler parses imports with its own reader.
    for module in ("js/table/lesson/lesson.js", "js/pages/offline.js"):
        join_modules(module, reading)
    for page in kept["pages"].values():
        text = client.get(page).content.decode()
        sheets = re.findall(r'rel="stylesheet" href="/static/([^"]+)"', text)
        assert "css/lesson.css" in sheets
        for sheet in sheets:
            join_styles(sheet, reading)
        read |= set(re.findall(r'(?:src|data-lesson|data-french|data-tarot)="/static/([^"]+)"', text))
    tarot = "cards/tarot.svg" if language == "en-gb" else f"cards/tarot.{language}.svg"
    assert {"cards/french.svg", tarot, *(f"lessons/{game}.json" for game in GAMES)} < read
    assert {"cards/back-lattice.svg", "cards/back-waves.svg", "cards/back-plain.svg"} < {
        name.removeprefix("/static/") for name in kept["files"]
    }
    assert {static(name) for name in read} <= set(kept["files"])


def test_any_change_makes_another_version(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    first = told(client)["version"]
    assert told(client, "de")["version"] != first
    read = service_worker._read
    for changed in ("css/lesson.css", "cards/french.svg", service_worker.SCRIPT):
        monkeypatch.setattr(
            service_worker,
            "_read",
            lambda address, changed=changed: read(address) + (b" " if address == static(changed) else b""),
        )
        assert service_worker.offline_files.__wrapped__("en-gb").version not in first


def test_the_script_is_revalidated_at_every_visit(client: Client) -> None:
    answer = client.get("/worker.js")
    assert answer["Cache-Control"] == "no-cache"
    policy = answer["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "connect-src 'self'" in policy
    assert 'register("/worker.js"' in (ROOT / "frontend/static/js/site/site.js").read_text()


def test_pages_of_unknown_languages_or_games_are_missing(client: Client) -> None:
    for address in ("/offline/tlh/", "/offline/de/whist/", "/offline/de/../"):
        assert client.get(address).status_code == 404


KEPT = {
    "version": "en-1",
    "home": "/offline/en/",
    "pages": {"/rules/plot/": "/offline/en/plot/"},
    "files": ["/static/a.js"],
    "unsent": "/offline/en/form/",
    "icon": "/static/icon.png",
    "renewed": "/players/push/renewed/",
}
SITE = "https://talon.example"


Play = Callable[..., list[Any]]


@pytest.fixture(scope="module")
def node() -> Iterator[subprocess.Popen[str]]:
    """A process of Node that plays all programs, because starting one takes longer than a program."""
    program = Path(__file__).with_name("worker_in_node.js")
    with subprocess.Popen(["node", str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.communicate()


@pytest.fixture
def in_node(node: subprocess.Popen[str]) -> Play:
    """Fire events at the service worker, and return what it did."""

    def play(*steps: list[Any], zone: str = "UTC") -> list[Any]:
        assert node.stdin is not None
        assert node.stdout is not None
        program = {"script": (ROOT / "frontend/static/js/worker.js").read_text(), "kept": KEPT, "steps": steps}
        node.stdin.write(json.dumps(program | {"zone": zone}) + "\n")
        node.stdin.flush()
        done: list[Any] = json.loads(node.stdout.readline())
        return done

    return play


@pytest.mark.needs("node")
def test_it_caches_its_version_without_cookies_and_drops_others(in_node: Play) -> None:
    found = in_node(["fire", "install"], ["fire", "activate"], ["shelves"])
    assert found[:3] == ["skips waiting", "preloads", "claims"]
    kept = dict(found[3])
    assert set(kept) == {"another's", "talon-en-1"}
    assert dict(kept["talon-en-1"]) == dict.fromkeys(
        ["/static/a.js", "/offline/en/", "/offline/en/form/", "/offline/en/plot/"], "kept omit"
    )


@pytest.mark.needs("node")
def test_the_network_comes_first_and_the_cache_only_offline(in_node: Play) -> None:
    page, lesson, file = f"{SITE}/table/1/?a=b", f"{SITE}/rules/plot/", f"{SITE}/static/a.js"
    asked = [["ask", page, "navigate"], ["ask", lesson, "navigate"], ["ask", lesson, "cors"], ["ask", file, "cors"]]
    found = in_node(["fire", "install"], *asked, ["line", False], *asked)
    assert found[1:5] == [f"from the line: {path}" for path in ("/table/1/", *["/rules/plot/"] * 2, "/static/a.js")]
    assert found[5:] == ["kept omit"] * 4


@pytest.mark.needs("node")
def test_other_requests_are_ignored(in_node: Play) -> None:
    others = [
        ["ask", f"{SITE}/playing.json", "cors"],
        ["ask", f"{SITE}/static/b.js", "no-cors"],
        ["ask", f"{SITE}/players/me/settings/", "navigate", "POST"],
        ["ask", "https://elsewhere.example/static/a.js", "cors"],
    ]
    assert in_node(["fire", "install"], *others)[1:] == ["not its business"] * 4


@pytest.mark.needs("node")
def test_a_form_sent_offline_gets_a_page_that_explains(in_node: Play) -> None:
    form, elsewhere = f"{SITE}/play/plot/", "https://elsewhere.example/play/"
    sent = ["ask", form, "navigate", "POST"]
    lost: list[list[Any]] = [["line", False], ["wire", False]]
    assert in_node(["fire", "install"], *lost, sent)[1:] == ["kept omit"]
    others = [["ask", elsewhere, "navigate", "POST"], ["ask", form, "cors", "POST"]]
    assert in_node(["fire", "install"], *lost, *others)[1:] == ["not its business"] * 2
    # On the site's own machine, forms can be offline too.
    assert in_node(["fire", "install"], ["wire", False], sent)[1:] == ["from the line: /play/plot/"]


@pytest.mark.needs("node")
def test_the_site_is_notified_of_a_new_subscription(in_node: Play) -> None:
    before, after = "https://push.example/before", "https://push.example/after"
    keys = {"old": before, "p256dh": "point", "auth": "secret"}
    told = [KEPT["renewed"], "POST", "omit"]
    assert in_node(["change", before, after]) == [[*told, keys | {"endpoint": after}]]
    # If the browser has not made a new one, the worker does, with the site's key.
    assert in_node(["change", before, None]) == [[*told, keys | {"endpoint": "https://push.example/for-key"}]]
    assert in_node(["change", None, after]) == []


SHOWN = {"icon": KEPT["icon"], "badge": KEPT["icon"], "tag": "talon-day", "renotify": True, "data": "/"}


@pytest.mark.needs("node")
def test_a_reminder_is_shown_and_opens_the_day(in_node: Play) -> None:
    reminder = {"title": "Nine deals", "body": "Your streak: 3 days.", "lang": "en-gb"}
    shown = in_node(["fire", "push", reminder], ["fire", "notificationclick"])
    assert shown == [reminder | SHOWN, "closes", "opens /"]
    there = in_node(["window", f"{SITE}/boards/"], ["window", f"{SITE}/"], ["fire", "notificationclick"])
    assert there == ["closes", f"focuses {SITE}/"]


@pytest.mark.needs("node")
@pytest.mark.parametrize(
    ("zone", "lang", "until", "body"),
    [
        ("UTC", "en-gb", "Open until {time}.", "Open until Friday 00:00. New games."),
        ("America/Los_Angeles", "en-gb", "Open until {time}.", "Open until Thursday 16:00. New games."),
        ("Europe/Berlin", "de", "Offen bis {time}.", "Offen bis Freitag, 01:00. New games."),
        ("Asia/Kathmandu", "en-gb", "Open until {time}.", "Open until Friday 05:45. New games."),
    ],
)
def test_a_reminder_names_the_open_game_and_its_end_in_the_readers_zone(
    in_node: Play, zone: str, lang: str, until: str, body: str
) -> None:
    """A message that comes after its game has closed names the next."""
    over, midnight = 946684800000, 4102444800000  # the first of January in 2000 and in 2100
    message = {"title": "Yesterday's", "body": "New games.", "lang": lang, "until": until}
    days = [["Yesterday's", over], ["Today's", midnight], ["Tomorrow's", midnight + 86400000]]
    shown = in_node(["fire", "push", message | {"days": days}], zone=zone)
    assert shown == [{"title": "Today's", "body": body, "lang": lang} | SHOWN]


@pytest.mark.needs("node")
def test_a_notification_opens_its_page(in_node: Play) -> None:
    path = "/races/daily/"
    message = {"title": "Race of the day: Labyrinth", "body": "Starts in 10 minutes.", "lang": "en-gb"}
    shown = in_node(["fire", "push", {**message, "topic": "race", "path": path}], ["fire", "notificationclick", path])
    assert shown == [message | SHOWN | {"tag": "talon-race", "data": path}, "closes", f"opens {path}"]
    there = in_node(["window", f"{SITE}/"], ["window", f"{SITE}{path}"], ["fire", "notificationclick", path])
    assert there == ["closes", f"focuses {SITE}{path}"]


@pytest.mark.needs("node")
def test_a_notification_opens_no_other_site(in_node: Play) -> None:
    for path in ("https://elsewhere.example/races/", "//elsewhere.example/races/", "javascript:alert()", "data:,races"):
        assert in_node(["fire", "notificationclick", path]) == ["closes", "opens /"], path
