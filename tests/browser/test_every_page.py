"""Every page there is, found from the addresses.

None has a serious fault for assistive technology, is wider than the screen, or makes the browser complain.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse

from config import errors
from tests.browser.conftest import PATIENCE_MS, ROOT, Site, serve

Visit = Callable[..., Any]

AXE = Path(str(find_spec("axe_playwright_python").origin)).with_name("axe.min.js")  # type: ignore[union-attr]
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LOOKS = [("light", WIDE), ("light", PHONE), ("dark", WIDE), ("dark", PHONE)]
GAMES = ["braid", "labyrinth", "tarot", "plot", "stonewall"]

#: How each address is visited: by whom, and with what in it; `<part>` stands for something that only this site knows.
#: An address is visited by a stranger as it stands unless it is listed.
RECIPES: dict[str, list[tuple[str, dict[str, str]]]] = {
    "account_logout": [("member", {})],
    "account_reauthenticate": [("unconfirmed", {})],
    "account_email": [("member", {}), ("guarded", {})],
    "account_change_password": [("member", {})],
    "account_set_password": [("keyless", {})],
    "account_confirm_email": [("stranger", {"key": "<confirmation>"}), ("stranger", {"key": "forged"})],
    "account_reset_password_from_key": [("stranger", {"reset": "<reset>"}), ("stranger", {"reset": "1-forged"})],
    "mfa_index": [("member", {}), ("guarded", {})],
    "mfa_authenticate": [("half-way", {})],
    "mfa_reauthenticate": [("unconfirmed guarded", {})],
    "mfa_reauthenticate_webauthn": [("unconfirmed guarded", {})],
    "mfa_activate_totp": [("plain", {})],
    "mfa_deactivate_totp": [("guarded", {})],
    "mfa_view_recovery_codes": [("guarded", {})],
    "mfa_generate_recovery_codes": [("guarded", {})],
    "mfa_download_recovery_codes": [("guarded", {})],
    "mfa_list_webauthn": [("guarded", {})],
    "mfa_add_webauthn": [("guarded", {})],
    "mfa_remove_webauthn": [("guarded", {"pk": "<key>"})],
    "mfa_edit_webauthn": [("guarded", {"pk": "<key>"})],
    "usersessions_list": [("member", {})],
    "manifest": [("stranger", {"language": "en"})],
    "games:home": [("stranger", {}), ("member", {})],
    "games:play": [("stranger", {"variant": "tarot"})],
    "games:start": [("stranger", {"variant": "tarot"})],
    "games:table": [("member", {"attempt": "<running>"})],
    "games:can_win": [("member", {"attempt": "<running>"})],
    "games:way": [("member", {"attempt": "<running>"})],
    "games:way_steps": [("member", {"attempt": "<running>"})],
    "games:archive_month": [("stranger", {"month": "<month>"})],
    "games:archive_day": [("member", {"day": "<past>"})],
    "games:deal": [
        ("stranger", {"day": "<today>", "variant": "plot"}),
        ("member", {"day": "<past>", "variant": "labyrinth"}),
    ],
    "games:deal_data": [("stranger", {"day": "<past>", "variant": "labyrinth"})],
    "games:solution": [("stranger", {"day": "<past>", "variant": "labyrinth"})],
    "games:solution_steps": [("stranger", {"day": "<past>", "variant": "labyrinth"})],
    "games:solution_record": [("stranger", {"day": "<past>", "variant": "labyrinth"})],
    "games:rules": [("stranger", {"game": game}) for game in GAMES],
    "games:replay": [("stranger", {"attempt": "<finished>"}), ("member", {"attempt": "<finished>"})],
    "games:steps": [("stranger", {"attempt": "<finished>"})],
    "games:record": [("stranger", {"attempt": "<finished>"})],
    "boards:period": [("stranger", {"period": period}) for period in ("week", "month", "all")],
    "boards:deal": [
        ("member", {"day": "<today>", "variant": "plot"}),
        ("stranger", {"day": "<past>", "variant": "labyrinth"}),
        ("member", {"day": "<past>", "variant": "labyrinth", "?": "board=fewest"}),
        ("member", {"day": "<past>", "variant": "labyrinth", "?": "who=friends"}),
    ],
    "players:me": [("member", {})],
    "players:following": [("member", {})],
    "players:settings": [("member", {}), ("guarded", {})],
    "players:download": [("member", {})],
    "players:delete": [("member", {})],
    "players:profile": [("stranger", {"public_id": "<member>"}), ("member", {"public_id": "<guarded>"})],
    "players:history": [("stranger", {"public_id": "<member>"})],
    "players:follow": [("member", {"public_id": "<guarded>"})],
    "players:unfollow": [("member", {"public_id": "<guarded>"})],
    "api-1:get_deal": [("stranger", {"deal_id": "<deal>"})],
    "api-1:get_record": [("stranger", {"attempt": "<finished>"})],
    "api-1:get_board": [("stranger", {"deal_id": "<deal>"})],
    "api-1:get_standing": [("stranger", {"deal_id": "<deal>", "player_id": "<member>"})],
    "api-1:get_around": [("stranger", {"deal_id": "<deal>", "player_id": "<member>"})],
    "api-1:get_friends": [("stranger", {"deal_id": "<deal>"})],
    "api-1:get_season": [("stranger", {"period": "week"})],
    "api-1:get_season_around": [("stranger", {"period": "week", "player_id": "<member>"})],
    "api-1:get_season_friends": [("stranger", {"period": "week"})],
    "api-1:get_player": [("stranger", {"player_id": "<member>"})],
    "api-1:get_results": [("stranger", {"player_id": "<member>"})],
}

DATA = "data for programs"
POSTED = "takes what is sent to it"
ELSEWHERE = "a step that leads elsewhere, as this site has no use for it"
#: Addresses that are no pages, and why. None of them may answer with a page.
NO_PAGES = {
    "account_confirm_login_code": ELSEWHERE,
    "games:can_win": POSTED,
    "games:deal_data": DATA,
    "games:ledger_json": DATA,
    "games:record": DATA,
    "games:solution_record": DATA,
    "games:solution_steps": DATA,
    "games:start": POSTED,
    "games:start_practice": POSTED,
    "games:steps": DATA,
    "games:way": "only after a question: looked at where one is asked",
    "games:way_steps": DATA,
    "manifest": DATA,
    "mfa_download_recovery_codes": DATA,
    "mfa_login_webauthn": DATA,
    "players:download": DATA,
    "players:follow": POSTED,
    "players:history": DATA,
    "players:language": POSTED,
    "players:me": "leads to the profile",
    "players:preferences": POSTED,
    "players:rename": POSTED,
    "players:unfollow": POSTED,
    "api-1:openapi-json": DATA,
    "api-1:api-root": DATA,
    "api-1:get_around": DATA,
    "api-1:get_board": DATA,
    "api-1:get_deal": DATA,
    "api-1:get_friends": DATA,
    "api-1:get_player": DATA,
    "api-1:get_record": DATA,
    "api-1:get_results": DATA,
    "api-1:get_season": DATA,
    "api-1:get_season_around": DATA,
    "api-1:get_season_friends": DATA,
    "api-1:get_standing": DATA,
    "api-1:list_deals": DATA,
    "api-1:verify": POSTED,
}
VISITORS = ["stranger", "member", "guarded", "plain", "keyless", "unconfirmed", "unconfirmed guarded", "half-way"]


def named(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    """The full names of all addresses but those of Django's own administration, which is for staff."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                yield from named(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
        else:
            assert pattern.name, f"{pattern} has no name"
            yield space + pattern.name


NAMES = sorted(set(named(get_resolver().url_patterns)))


def faults(page: Any, *, colours_only: bool = False) -> list[str]:
    """What axe finds serious or critical."""
    if not page.evaluate("() => Boolean(globalThis.axe)"):
        page.evaluate(AXE.read_text())
    # Style sheets are there already; axe would look for what they import beside the page.
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if colours_only:
        options["runOnly"] = ["color-contrast"]
    found = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{violation['id']}: {node['html'][:160]} {node['any'][0]['message'] if node['any'] else ''}"
        for violation in found["violations"]
        if violation["impact"] in {"serious", "critical"}
        for node in violation["nodes"]
    ]


def looked_at(page: Any) -> list[str]:
    """The faults of a page in light and dark, on a desk and on a phone."""
    found = []
    if not re.search(r"\w.* · Talon$", page.title()):
        found.append(f"its title is {page.title()!r}")
    if (headings := page.locator("h1").count()) != 1:
        found.append(f"it has {headings} main headings")
    for scheme, measure in LOOKS:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size(measure)
        look = f"{scheme} {measure['width']}: "
        excess = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if excess > 0:
            found.append(f"{look}{excess} px wider than the screen")
        # The dark look differs in its colours alone.
        found += [look + fault for fault in faults(page, colours_only=scheme == "dark")]
    return found


@pytest.fixture(scope="module")
def inhabited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, Any]]]:
    """A server of these tests' own, with players and games; what `inhabitants` tells of them."""
    with contextmanager(serve)(tmp_path_factory.mktemp("inhabited")) as site:
        done = subprocess.run(
            [sys.executable, "-m", "tests.browser.inhabitants"],
            env=site.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        yield site, json.loads(done.stdout.splitlines()[-1])


def visits(visitor: str, parts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What a visitor is to look at: the names of the addresses, and the addresses."""
    for name in NAMES:
        for who, given in RECIPES.get(name, [("stranger", {})]):
            if who == visitor:
                yield name, _address(name, {key: _filled(text, parts) for key, text in given.items()})


def _filled(text: str, parts: dict[str, Any]) -> str:
    return str(parts[text.strip("<>")]) if text.startswith("<") else text


def _address(name: str, given: dict[str, str]) -> str:
    query = f"?{given.pop('?')}" if "?" in given else ""
    arguments: dict[str, Any] = dict(given)
    if "reset" in given:
        user, _, token = arguments.pop("reset").partition("-")
        arguments |= {"uidb36": user, "key": token}
    if "month" in given:
        arguments["month"] = date.fromisoformat(f"{given['month']}-01")
    if name.startswith("boards:") and "day" in given:
        arguments["day"] = date.fromisoformat(given["day"])
    return reverse(name, kwargs=arguments) + query


def fault_of_page(page: Any, name: str, address: str) -> list[str]:
    """What is wrong with the page at an address, or that there is none."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.extend([message.text] * (message.type == "error")))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    answer = page.goto(address)
    if page.locator("#felt").count() or name == "api-1:openapi-view":
        page.wait_for_load_state("networkidle")
    landed = resolve(urlsplit(page.url).path).view_name
    if answer.status != 200 or landed != name:
        return [f"no page: {answer.status} at {page.url}"]
    return looked_at(page) + complaints


def test_every_recipe_is_for_an_address_there_is() -> None:
    assert set(RECIPES) | set(NO_PAGES) <= set(NAMES)
    assert {visitor for recipe in RECIPES.values() for visitor, _ in recipe} <= set(VISITORS)


@pytest.mark.slow
@pytest.mark.parametrize("visitor", VISITORS)
def test_every_page_is_accessible(chromium: Any, inhabited: tuple[Site, dict[str, Any]], visitor: str) -> None:
    site, told = inhabited
    context = chromium.new_context(base_url=site.url, viewport=WIDE, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    if visitor in told["cookies"]:
        context.add_cookies([{"name": "sessionid", "value": told["cookies"][visitor], "url": site.url}])
    found: dict[str, list[str]] = {}
    for name, address in visits(visitor, told["parts"]):
        if name in NO_PAGES:
            answer = context.request.get(address, headers={"accept": "text/html"}, max_redirects=0)
            if answer.status == 200 and answer.headers["content-type"].startswith("text/html"):
                found[address] = ["is a page"]
        else:
            page = context.new_page()
            found[address] = fault_of_page(page, name, address)
            page.close()
    context.close()
    assert {address: faulty for address, faulty in found.items() if faulty} == {}


@pytest.mark.parametrize(
    "answer", [errors.bad_request, errors.permission_denied, errors.not_found, errors.server_error]
)
def test_the_pages_of_errors_are_accessible(visit: Visit, answer: Callable[..., Any]) -> None:
    page = visit("/verify/")
    failed = answer(RequestFactory().get("/", headers={"accept": "text/html"}))
    page.route("**/failed/", lambda route: route.fulfill(body=failed.content, content_type="text/html"))
    page.goto("/failed/")
    assert looked_at(page) == []
