"""Every page of the site, found from the URL patterns, is accessible, fits the screen and causes no browser errors."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from django.test import RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver, resolve, reverse

from config.http import error_pages
from tests.browser.conftest import PATIENCE_MS, PHONE, ROOT, Site, Visit, copied, from_sources
from tests.browser.embedded import LONG_TEXTS
from tests.requirements import HTML_VALIDATOR

AXE = Path(str(find_spec("axe_playwright_python").origin)).with_name("axe.min.js")  # type: ignore[union-attr]
#: Pages for programs' authors, whose times are in UTC; all others show them on the visitor's clock.
IN_UTC = {"api-1:openapi-view"}
RULES = ROOT / "frontend" / ".htmlvalidate.json"
WIDE, TABLET = {"width": 1440, "height": 900}, {"width": 820, "height": 1180}
SMALL_PHONE = {"width": 320, "height": 640}
GAMES = ["braid", "labyrinth", "tarot", "plot", "stonewall"]

#: Visitor and parameters for each address; `<part>` is a parameter known only to this site. Unlisted addresses are
#: visited without parameters by a visitor without a session.
_RECIPES: dict[str, list[tuple[str, dict[str, str]]]] = {
    (
        "account_logout account_change_password usersessions_list socialaccount_connections games:looking "
        "players:me players:following players:download players:delete players:invite"
    ): [("member", {})],
    "account_reauthenticate": [("unconfirmed", {})],
    "account_email mfa_index players:settings": [("member", {}), ("guarded", {})],
    "account_set_password": [("keyless", {})],
    "account_confirm_email": [("stranger", {"key": "<confirmation>"}), ("stranger", {"key": "forged"})],
    "account_reset_password_from_key": [("stranger", {"reset": "<reset>"}), ("stranger", {"reset": "1-forged"})],
    "mfa_authenticate": [("half-way", {})],
    "mfa_reauthenticate mfa_reauthenticate_webauthn": [("unconfirmed guarded", {})],
    "mfa_activate_totp": [("plain", {})],
    (
        "mfa_deactivate_totp mfa_view_recovery_codes mfa_generate_recovery_codes mfa_download_recovery_codes "
        "mfa_list_webauthn mfa_add_webauthn"
    ): [("guarded", {})],
    "mfa_remove_webauthn mfa_edit_webauthn": [("guarded", {"pk": "<key>"})],
    "manifest": [("stranger", {"language": "en"})],
    "games:home games:latest_ghosts games:races games:race_heats games:my_races boards:rating": [
        ("stranger", {}),
        ("member", {}),
    ],
    "games:play games:start": [("stranger", {"variant": "tarot"})],
    "games:table games:can_win games:deck games:hint games:restart games:way games:way_steps boards:after": [
        ("member", {"attempt": "<running>"})
    ],
    "games:practice": [("stranger", {}), ("stranger", {"?": "<named deal>"})],
    "games:todays_puzzle games:past_puzzles": [("stranger", {}), ("member", {})],
    "games:puzzle_runs games:begin_puzzle_run": [("stranger", {"kind": "storm"}), ("member", {"kind": "streak"})],
    "games:puzzle games:puzzle_move games:puzzle_win games:puzzle_why games:puzzle_loss games:play_on_puzzle": [
        ("stranger", {"number": "<puzzle>"})
    ],
    "games:puzzle_of_day": [("stranger", {"day": "<today>"})],
    "games:puzzle_run games:puzzle_run_move games:puzzle_run_current": [
        ("member", {"kind": "storm", "run": "<storm>"}),
        ("member", {"kind": "storm", "run": "<finished storm>"}),
        ("member", {"kind": "streak", "run": "<streak>"}),
        ("member", {"kind": "streak", "run": "<finished streak>"}),
    ],
    "games:archive_month games:past_puzzles_of games:relaxed_month": [("stranger", {"month": "<month>"})],
    "games:archive_day": [("member", {"day": "<past>"})],
    "games:relaxed_day": [("member", {"day": "<today>"})],
    "games:deal": [
        ("stranger", {"day": "<today>", "variant": "plot"}),
        ("member", {"day": "<past>", "variant": "labyrinth"}),
    ],
    (
        "games:deal_data games:explorer games:explorer_steps games:solution games:solution_steps "
        "games:solution_record boards:pace"
    ): [("stranger", {"day": "<past>", "variant": "labyrinth"})],
    "games:rules": [("stranger", {"game": game}) for game in GAMES],
    "games:which_game": [("stranger", {}), ("stranger", {"?": "known=tarot"})],
    "games:offline games:offline_unsent": [("stranger", {"language": "de"})],
    "games:offline_lesson": [("stranger", {"language": "de", "game": "plot"})],
    "games:replay": [("stranger", {"attempt": "<finished>"}), ("member", {"attempt": "<finished>"})],
    (
        "games:steps games:analysis games:record games:embed games:picture games:picture_gif games:lane "
        "api-1:get_record"
    ): [("stranger", {"attempt": "<finished>"})],
    "games:play_on games:line": [("member", {"attempt": "<finished>"})],
    "games:variant_picture": [("stranger", {"language": "de", "variant": "pigtail"})],
    "games:day_picture": [("stranger", {"language": "en-gb", "day": "<today>"})],
    "games:day_opening": [("stranger", {"language": "en-gb", "day": "<past>"})],
    "games:deal_picture": [("stranger", {"language": "en-gb", "day": "<today>", "variant": "plot"})],
    "games:deal_opening": [("stranger", {"language": "de", "day": "<past>", "variant": "labyrinth"})],
    "games:ghosts": [("stranger", {"deal": "<old deal>"}), ("member", {"deal": "<old deal>"})],
    "games:race_ghost": [("stranger", {"deal": "<old deal>"})],
    "games:together": [("stranger", {"?": "<together>"})],
    "games:room": [("stranger", {"code": "<room>"}), ("member", {"code": "<room>"})],
    "games:race_tv": [("stranger", {})],
    "games:race_overlay": [("stranger", {"code": "<room>"}), ("stranger", {"code": "<race>", "?": "size=200"})],
    "games:race_sit games:race_webhook": [("stranger", {"code": "<room>"})],
    "games:race_result": [
        ("stranger", {"code": "<race>", "number": "1"}),
        ("member", {"code": "<race>", "number": "1"}),
        ("member", {"code": "<puzzle race>", "number": "1"}),
    ],
    "games:puzzle_race games:puzzle_race_current games:puzzle_race_move": [
        ("keyless", {"code": "<puzzle room>", "number": "1"})
    ],
    "games:race_json": [("stranger", {"code": "<race>", "number": "1"})],
    "games:race_replay": [("stranger", {"code": "0000000000", "number": "1"})],
    "games:challenge": [
        ("stranger", {"code": "<code>"}),
        ("member", {"code": "<code>"}),
        ("guarded", {"code": "<code>"}),
    ],
    "games:answer_challenge": [("stranger", {"code": "<code>"})],
    "games:appeal": [("guarded", {"attempt": "<doubted>"}), ("plain", {"attempt": "<appealed>"})],
    "games:report": [("guarded", {"attempt": "<finished>"}), ("plain", {"attempt": "<finished>"})],
    "games:inbox": [("member", {}), ("guarded", {}), ("plain", {})],
    "boards:period": [("stranger", {"period": period}) for period in ("nine", "week", "month", "all")],
    "boards:deal": [
        ("member", {"day": "<today>", "variant": "plot"}),
        ("stranger", {"day": "<past>", "variant": "labyrinth"}),
        ("member", {"day": "<past>", "variant": "labyrinth", "?": "board=fewest"}),
        ("member", {"day": "<past>", "variant": "labyrinth", "?": "who=friends"}),
    ],
    "players:calendar_feed": [("stranger", {"token": "0"})],
    "players:profile": [
        ("stranger", {"public_id": "<member>"}),
        ("member", {"public_id": "<guarded>"}),
        ("guarded", {"public_id": "<guarded>"}),
    ],
    "players:this_year": [("stranger", {"public_id": "<member>"}), ("member", {"public_id": "<member>"})],
    "players:year": [("stranger", {"public_id": "<member>", "number": "<year>"})],
    "players:avatar": [("stranger", {"digest": "guest"})],
    "players:compare": [("guarded", {"public_id": "<member>", "other_id": "<guarded>"})],
    "players:history players:ratings players:puzzle_ratings": [("stranger", {"public_id": "<member>"})],
    "players:join": [("stranger", {"token": "<invitation>"}), ("guarded", {"token": "<invitation>"})],
    "players:accept": [("stranger", {"token": "<invitation>"})],
    "players:search": [("stranger", {"?": "name=gu"}), ("stranger", {"?": "<compared>"})],
    "players:push_race": [("member", {"hour": "19"})],
    "players:follow players:unfollow": [("member", {"public_id": "<guarded>"})],
    "api-1:compare_players": [("stranger", {"player_id": "<member>", "other_id": "<guarded>"})],
    "api-1:get_deal api-1:get_explorer api-1:get_board api-1:get_friends": [("stranger", {"deal_id": "<deal>"})],
    "api-1:get_race api-1:get_race_file": [("stranger", {"race": "00000000-0000-4000-8000-000000000000"})],
    "api-1:get_standing api-1:get_around": [("stranger", {"deal_id": "<deal>", "player_id": "<member>"})],
    "api-1:get_season api-1:get_season_friends": [("stranger", {"period": "week"})],
    "api-1:get_season_around": [("stranger", {"period": "week", "player_id": "<member>"})],
    "api-1:get_puzzle api-1:play_puzzle_move api-1:vote_on_puzzle": [("stranger", {"number": "<puzzle>"})],
    "api-1:get_player api-1:get_results api-1:get_rating": [("stranger", {"player_id": "<member>"})],
}
RECIPES = {name: visits for names, visits in _RECIPES.items() for name in names.split()}

#: Addresses that are not pages, by the reason. None of them may answer with a page.
_NO_PAGES = {
    "data for programs": (
        "games:analysis boards:pace games:deal_data games:lane games:ledger_feed games:ledger_heads "
        "games:deck games:line games:lobby_json games:playing_json games:race_json games:seeks_json games:picture "
        "games:picture_gif games:variant_picture games:day_picture games:day_opening games:deal_picture "
        "games:deal_opening games:record games:solution_record games:solution_steps games:looking_json "
        "games:explorer_steps games:steps games:way_steps games:puzzle_win games:puzzle_why games:puzzle_loss "
        "games:race_of_the_day_calendar manifest "
        "mfa_download_recovery_codes mfa_login_webauthn players:avatar "
        "players:calendar_feed players:download players:history players:ratings "
        "players:puzzle_ratings api-1:openapi-json "
        "api-1:api-root api-1:compare_players api-1:get_around api-1:get_rating api-1:get_ratings "
        "api-1:get_board api-1:get_deal api-1:get_explorer api-1:get_friends api-1:get_ledger api-1:get_player "
        "api-1:get_race api-1:get_race_file api-1:get_daily_puzzle api-1:get_next_puzzle api-1:get_puzzle "
        "api-1:list_puzzle_tries api-1:get_record api-1:get_results api-1:get_season api-1:get_season_around "
        "api-1:get_season_friends api-1:get_standing api-1:get_standings api-1:list_deals api-1:list_heats "
        "api-1:list_my_races api-1:list_races api-1:list_variants api-1:search_players games:winnability_data "
        "worker"
    ),
    "a step that leads elsewhere, as this site has no use for it": "account_confirm_login_code",
    "a part of a page": "boards:after",
    "takes what is sent to it": (
        "games:answer_challenge games:can_win games:hint games:restart games:race_ghost games:race_new "
        "games:race_bot games:race_quick games:race_sit games:send_challenge games:play_on games:play_on_puzzle "
        "games:start games:start_practice games:start_found games:first_game games:puzzle_move "
        "games:begin_puzzle_run games:puzzle_run_move games:puzzle_run_current games:puzzle_race_current "
        "games:puzzle_race_move "
        "players:accept players:calendar players:deals players:follow players:language "
        "players:preferences players:push players:push_race players:push_renewed players:rename players:unfollow "
        "api-1:play_puzzle_move api-1:vote_on_puzzle api-1:verify"
    ),
    "only where there are keys for the service": (
        "games:ledger_key discord_callback discord_login github_callback github_login google_callback "
        "google_login players:sign_in_again"
    ),
    "sent for another page, while there is no room: looked at where there is none": "games:queue",
    "leads to the room of the heat": "games:race_heat",
    "leads to the room": "games:race_webhook",
    "leads to a puzzle": "games:another_puzzle",
    "only after a race: looked at where one is run": "games:race_replay",
    "only after a question: looked at where one is asked": "games:way",
    "leads to the profile": "players:me",
    "leads to the day's game": "games:todays_game",
    "an error with a status of its own": "socialaccount_login_error",
    "only after a sign-in with another service": "socialaccount_signup",
}
NO_PAGES = {name for names in _NO_PAGES.values() for name in names.split()}

#: Pages that show more on a desktop than on a phone, so that axe checks them there, too.
DESK_PAGES = {
    *(
        "games:home",
        "games:table",
        "games:replay",
        "games:explorer",
        "games:together",
        "games:room",
        "games:races",
        "games:race_result",
        "games:puzzle_race",
    ),
    *("games:archive_day", "games:todays_puzzle", "games:puzzle_run", "boards:deal", "boards:period", "boards:rating"),
    *("players:profile", "players:compare", "players:settings"),
}

VISITORS = ["stranger", "member", "guarded", "plain", "keyless", "unconfirmed", "unconfirmed guarded", "half-way"]


def named(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[str]:
    """Yield the full names of all addresses except Django's admin, which is for staff."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                yield from named(pattern.url_patterns, f"{pattern.namespace}:" if pattern.namespace else space)
        else:
            assert pattern.name, f"{pattern} has no name"
            yield space + pattern.name


NAMES = sorted(set(named(get_resolver().url_patterns)))


# Runs only the rules whose findings can be serious.
_AXE = """async colours => {
  const rules = axe._audit.rules.filter(rule => rule.enabled && ['serious', 'critical'].includes(rule.impact)
    && !rule.tags.some(tag => ['experimental', 'deprecated'].includes(tag))).map(rule => rule.id);
  // Style sheets are there already; axe would look for what they import beside the page.
  return (await axe.run(document, {
    resultTypes: ['violations'], preload: false, runOnly: colours ? ['color-contrast'] : rules})).violations;
}"""


def faults(page: Any, *, colours_only: bool = False) -> list[str]:
    """Return the serious and critical findings of axe."""
    if not page.evaluate("() => Boolean(globalThis.axe)"):
        page.evaluate(AXE.read_text())
    return [
        f"{violation['id']}: {node['html'][:160]} {node['any'][0]['message'] if node['any'] else ''}"
        for violation in page.evaluate(_AXE, colours_only)
        for node in violation["nodes"]
    ]


# Finds elements that are partly hidden, links and buttons too small for a finger (those within text may be a line
# high), and in tables texts that are cut off and words broken across lines.
_CRAMPED = r"""() => {
  const cells = [...document.querySelectorAll('th, td, th *, td *')].filter(one => one.checkVisibility());
  const shown = cells.filter(one => !one.closest('.visually-hidden, code, .code, svg'));
  const texts = shown.flatMap(one => [...one.childNodes].filter(node => node.nodeType === Node.TEXT_NODE));
  const words = texts.flatMap(node => [...node.data.matchAll(/[\p{L}\p{N}.:]+/gu)].map(({0: word, index}) => {
    const range = document.createRange();
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    return [word, [...range.getClientRects()]];
  }));
  return [
    ...[...document.querySelectorAll('.table-wrap, .tabs, .site-nav')]
      .filter(box => box.scrollWidth > box.clientWidth + 1)
      .map(box => `${box.className} hides ${box.scrollWidth - box.clientWidth} px`),
    ...[...document.querySelectorAll(
      '.site-footer a, .board-cards a, td > a, th > a, .named > a, .quiet, .tabs a, .site-nav a')]
      .filter(link => link.checkVisibility() && link.getBoundingClientRect().height < 23.5)
      .map(link => `"${link.textContent}" is ${link.getBoundingClientRect().height} px high`),
    ...shown.filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
      .map(one => `a table cuts "${one.textContent.trim()}"`),
    ...words.filter(([, parts]) => parts.some(part => part.top > parts[0].bottom - 1))
      .map(([word]) => `"${word}" is broken`),
  ];
}"""


def overflow(page: Any, *, fingers: bool) -> list[str]:
    """Return how far the page exceeds the screen; with `fingers`, also elements that are cut or too small to tap."""
    excess = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    found = [f"{excess} px wider than the screen"] if excess > 0 else []
    return found + (page.evaluate(_CRAMPED) if fingers else [])


def looked_at(page: Any, *, on_desk: bool = True, in_dark: bool = True) -> list[str]:
    """Return a page's faults on a tablet and a phone.

    axe checks the phone, with `on_desk` a desktop too, and with `in_dark` the dark theme, which differs in colours.
    """
    found = []
    if not re.search(r"\w.* · Talon$", page.title()):
        found.append(f"its title is {page.title()!r}")
    if (headings := page.locator("h1").count()) != 1:
        found.append(f"it has {headings} main headings")
    for size in (TABLET, *([WIDE] if on_desk else []), PHONE):
        page.set_viewport_size(size)
        seen = overflow(page, fingers=size != WIDE) + (faults(page) if size != TABLET else [])
        found += [f"{size['width']}: {fault}" for fault in seen]
    if in_dark:
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        found += [f"dark: {fault}" for fault in faults(page, colours_only=True)]
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
    return found


@pytest.fixture(scope="module")
def inhabited(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, Any]]]:
    """A server for these tests, with players and games, and the output of `inhabitants`."""
    with contextmanager(copied)(prepared, tmp_path_factory.mktemp("inhabited")) as site:
        yield site, site.control.ask("inhabit")


@pytest.fixture(scope="module")
def site(inhabited: tuple[Site, dict[str, Any]]) -> Site:
    """The same server for error pages, so that no second one is needed."""
    return inhabited[0]


@pytest.fixture(autouse=True)
def rerun_starts_afresh() -> None:
    """Keep the players and rooms of `inhabited` for a rerun."""


def visits(visitor: str, parts: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Yield a visitor's pages: the name of each address, the address, and whether it is the first of its name."""
    for name in NAMES:
        for k, (who, parameters) in enumerate(RECIPES.get(name, [("stranger", {})])):
            if who == visitor:
                yield name, _address(name, {key: _filled(text, parts) for key, text in parameters.items()}), k == 0


def _filled(text: str, parts: dict[str, Any]) -> str:
    return str(parts[text.strip("<>")]) if text.startswith("<") else text


def _address(name: str, parameters: dict[str, str]) -> str:
    query = f"?{parameters.pop('?')}" if "?" in parameters else ""
    arguments: dict[str, Any] = dict(parameters)
    if "reset" in parameters:
        user, _, token = arguments.pop("reset").partition("-")
        arguments |= {"uidb36": user, "key": token}
    if "month" in parameters:
        arguments["month"] = date.fromisoformat(f"{parameters['month']}-01")
    if name.startswith("boards:") and "day" in parameters:
        arguments["day"] = date.fromisoformat(parameters["day"])
    return reverse(name, kwargs=arguments) + query


def fault_of_page(page: Any, name: str, address: str, *, is_first: bool) -> list[str]:
    """Return the faults of the page at an address, or that there is no page."""
    answer = page.goto(address)
    if page.locator("#felt").count() or name == "api-1:openapi-view":
        page.wait_for_load_state("networkidle")
    landed = resolve(urlsplit(page.url).path).view_name
    if answer.status != 200 or landed != name:
        return [f"no page: {answer.status} at {page.url}"]
    clocks = ["it shows a time in UTC"] if name not in IN_UTC and "UTC" in page.inner_text("body") else []
    return clocks + looked_at(page, on_desk=is_first and name in DESK_PAGES, in_dark=is_first)


def test_every_recipe_has_an_address() -> None:
    assert set(RECIPES) | NO_PAGES <= set(NAMES)
    assert {visitor for recipe in RECIPES.values() for visitor, _ in recipe} <= set(VISITORS)


@pytest.mark.slow
def test_a_practice_deal_starts_once_found(visit: Visit, inhabited: tuple[Site, dict[str, Any]]) -> None:
    page = visit(session=inhabited[1]["cookies"]["member"])
    page.route("**/practice/looking.json", lambda route: route.fulfill(json={"state": "looking", "tried": 7}))
    page.goto("/practice/looking/")
    page.wait_for_function("() => document.querySelector('#looking-tried').textContent === '7'")
    with page.expect_request(lambda request: request.method == "POST") as begun:
        page.unroute("**/practice/looking.json")
        page.route("**/practice/looking.json", lambda route: route.fulfill(json={"state": "found", "tried": 8}))
    assert begun.value.url.endswith("/practice/looking/start")


@pytest.mark.slow
@pytest.mark.parametrize("visitor", VISITORS)
def test_every_page_is_accessible(
    visit: Visit, complaints: list[str], inhabited: tuple[Site, dict[str, Any]], visitor: str
) -> None:
    players = inhabited[1]
    page = visit(**WIDE, session=players["cookies"].get(visitor, ""))
    found: dict[str, list[str]] = {}
    for name, address, is_first in visits(visitor, players["parts"]):
        if name in NO_PAGES:
            answer = page.request.get(address, headers={"accept": "text/html"}, max_redirects=0)
            if answer.status == 200 and answer.headers["content-type"].startswith("text/html"):
                found[address] = ["is a page"]
        else:
            found[address] = [*fault_of_page(page, name, address, is_first=is_first), *complaints]
            complaints.clear()
    assert {address: faulty for address, faulty in found.items() if faulty} == {}


@pytest.mark.slow
def test_no_page_is_wider_than_a_phone_in_any_language(
    visit: Visit, complaints: list[str], inhabited: tuple[Site, dict[str, Any]]
) -> None:
    players, found = inhabited[1], {}
    for visitor in ("stranger", "member"):
        session = players["cookies"].get(visitor, "")
        page = visit(**PHONE, session=session, java_script_enabled=False, locale=LONG_TEXTS)
        for name, address, is_first in visits(visitor, players["parts"]):
            if name not in NO_PAGES and is_first:
                page.goto(address)
                found[address] = overflow(page, fingers=True)
                page.set_viewport_size(SMALL_PHONE)
                found[address] += overflow(page, fingers=False)
                page.set_viewport_size(PHONE)
    complaints.clear()
    assert {address: faulty for address, faulty in found.items() if faulty} == {}


@pytest.mark.needs("node", "html-validate")
def test_every_page_is_valid_html(inhabited: tuple[Site, dict[str, Any]], tmp_path: Path) -> None:
    site, players = inhabited
    addresses: dict[str, str] = {}
    for visitor in VISITORS:
        with httpx.Client(base_url=site.url, headers={"accept": "text/html"}, timeout=60) as client:
            client.cookies.set("sessionid", players["cookies"].get(visitor, ""))
            for name, address, _first in visits(visitor, players["parts"]):
                if name not in NO_PAGES:
                    file = tmp_path / f"{len(addresses)}.html"
                    file.write_text(client.get(address).text)
                    addresses[str(file)] = f"{address} for a {visitor}"
    command = ["node", str(HTML_VALIDATOR), "--config", str(RULES), "--formatter", "json", *addresses]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    faulty = {
        addresses[page["filePath"]]: [f"line {one['line']}: {one['message']}" for one in page["messages"]]
        for page in json.loads(done.stdout)
    }
    assert len(addresses) > len(VISITORS)
    assert faulty == {}


@contextmanager
def another_site(page: str) -> Iterator[str]:
    """Serve one page as another site on this machine, and yield its address."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def test_a_game_can_be_embedded_in_another_site(chromium: Any, inhabited: tuple[Site, dict[str, Any]]) -> None:
    site, players = inhabited
    context = chromium.new_context(viewport=WIDE, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    address = site.url + reverse("games:embed", args=[players["parts"]["finished"]])
    with another_site(f'<iframe src="{address}?n=3" width="640" height="560"></iframe>') as host_page:
        page = context.new_page()
        page.goto(host_page)
        frame = page.frame_locator("iframe")
        frame.locator("#felt .card").first.wait_for()
        assert frame.locator("#moves").text_content().startswith("3/")
        frame.locator("[data-step=next]").click()
        assert frame.locator("#moves").text_content().startswith("4/")
    assert context.cookies() == []
    context.close()


def test_error_pages_are_accessible(visit: Visit) -> None:
    page = visit()
    from_sources(page)
    request = RequestFactory().get("/", headers={"accept": "text/html"})
    bodies: list[bytes] = []
    page.route("**/failed/", lambda route: route.fulfill(body=bodies[-1], content_type="text/html"))
    for name in ("bad_request", "permission_denied", "not_found", "server_error"):
        bodies.append(getattr(error_pages, name)(request).content)
        page.goto("/failed/")
        assert looked_at(page) == [], name
