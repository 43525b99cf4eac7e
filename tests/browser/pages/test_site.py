"""Scripts of the pages: calendar keys, presence, lessons, and the hint dialog."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.conf import settings

from tests.browser.conftest import OLD_DAY, PHONE, ROOT, Visit
from tests.browser.pages.test_every_page import faults, looked_at
from tests.browser.table_driver import Mouse, Player

expect = pytest.importorskip("playwright.sync_api").expect
FIRST_GAMES = [one["line"] for one in json.loads((ROOT / "games/deals/first_games.json").read_text())]
LESSONS = ROOT / "frontend" / "static" / "lessons"


def test_arrow_keys_move_between_days_with_deals(visit: Visit) -> None:
    page = visit("/deals/")
    # Only today has deals here; two more days of its month get links.
    page.evaluate("""() => document.querySelectorAll('.days .bare').forEach((day, k) => {
      if (k === 2 || k === 9) day.outerHTML = `<a href="#" id="d${k}">day</a>`; })""")
    page.focus("#d2")
    page.keyboard.press("ArrowDown")
    down = page.evaluate("document.activeElement.id || document.activeElement.getAttribute('aria-current')")
    assert down in {"d9", "date"}
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "d2"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") != "d2"
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.id") == "d2"


def test_home_updates_who_is_playing(visit: Visit) -> None:
    page = visit(fresh=True)
    headers: list[dict[str, str]] = []
    response = {
        "players": 3,
        "names": [{"name": "Minos", "player": "7f2c7a5e-0000-4000-8000-000000000000"}],
        "deals": {"plot": {"now": 3, "begun": 7}, "braid": {"now": 0, "begun": 7}},
    }

    def answer(route: Any) -> None:
        headers.append(route.request.headers)
        route.fulfill(body=json.dumps(response), content_type="application/json")

    page.route("**/playing.json", answer)
    page.clock.install()
    page.goto("/")
    page.click(".mode [value=ranked]")
    plot = page.locator(".deal:has-text('The Plot') .seated")
    assert "playing now" not in (plot.text_content() or "")  # other tests may have begun it today
    page.clock.run_for(20_100)
    plot.get_by_text("3 playing now").wait_for()
    assert plot.inner_text() == "3 playing now"
    assert page.locator(".deal:has-text('Braid') .seated").first.inner_text() == "7 players today"
    assert page.locator("#playing").inner_text().replace("\n", " ").startswith("3 players online Minos")
    assert page.locator("#playing a").get_attribute("href") == "/players/7f2c7a5e-0000-4000-8000-000000000000/"
    assert "cookie" not in headers[0]


def lesson_tokens(game: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return a lesson's positions, and a shortest line until the rest is automatic or its aim is reached."""
    graph = json.loads((LESSONS / f"{game}.json").read_text())
    ways: dict[int, list[str]] = {0: []}
    for place in (waiting := [0]):
        if graph[place].get("run") or graph[place].get("done"):
            return graph, ways[place]
        for token, following in graph[place]["moves"].items():
            if following not in ways:
                ways[following] = [*ways[place], token]
                waiting.append(following)
    raise AssertionError("no way")


class Pupil(Mouse):
    """Plays a lesson, which has no move counter to wait for."""

    def __init__(self, page: Any) -> None:
        self.page = page
        page.wait_for_selector("#felt .card.movable")


def read_in_order(page: Any) -> bool:
    """Return whether screen readers read each pile before its cards, and all cards from first to last."""
    owned = (
        "document.querySelector('#felt').getAttribute('aria-owns').split(' ').map(id => document.getElementById(id))"
    )
    order = page.evaluate(f"{owned}.map(one => [one.dataset.pile, Number(one.dataset.i ?? -1)])")
    piles = list(dict.fromkeys(pile for pile, _ in order))
    cards = page.locator("#felt .card[id]").count()
    in_order = sorted(order, key=lambda one: (piles.index(one[0]), one[1]))
    return order == in_order and len(order) == len(piles) + int(cards)


def test_lessons_are_won_by_mouse(visit: Visit) -> None:
    page = visit(fresh=True)
    page.clock.install()
    for game in ("braid", "stonewall"):
        page.goto(f"/rules/{game}/")
        pupil = Pupil(page)
        said = page.locator(".lesson-say")
        assert said.get_attribute("data-state") == "try"
        for k, token in enumerate(lesson_tokens(game)[1]):
            pupil.play(token, drag=k % 2 == 0)
        page.clock.run_for(10_000)  # the rest is automatic
        assert said.get_attribute("data-state") == "done"
        assert said.inner_text().startswith("Well done!")
        assert read_in_order(page)
        page.click(".lesson .next")
        assert page.url.endswith("#full-game")
        page.click("[data-do=undo]")  # automatic moves are undone with the move before them
        page.wait_for_selector(".lesson-say[data-state=try]")


def test_a_lesson_by_keyboard_and_its_way_back(visit: Visit) -> None:
    page = visit("/rules/labyrinth/")
    page.wait_for_selector("#felt .card.movable")
    page.keyboard.press("d")  # outside the lesson, letters do nothing
    assert page.get_attribute(".lesson-say", "data-state") == "try"
    page.focus("#felt .card:not(.movable)")
    page.keyboard.press("Enter")
    page.wait_for_selector(".lesson-say[data-state=refused]")
    assert page.inner_text(".lesson-say") == "Not like that: No card comes back from a foundation."
    page.focus("#felt .card[tabindex='0']")
    page.keyboard.press("d")
    page.wait_for_selector(".lesson-say[data-state=lost]")
    page.keyboard.press("u")
    page.wait_for_selector(".lesson-say[data-state=try]")
    for _ in range(2):
        page.keyboard.press("?")
        card = page.wait_for_selector("#felt .card.chosen")
        card.focus()
        page.keyboard.press("f")
        page.wait_for_selector("#felt .card.chosen", state="detached")
    page.keyboard.press("d")
    page.wait_for_selector(".lesson-say[data-state=done]")
    page.click("[data-do=again]")
    assert page.is_disabled("[data-do=undo]")


def test_a_lesson_is_played_by_touch(visit: Visit) -> None:
    page = visit("/rules/plot/", **PHONE, has_touch=True, is_mobile=True)
    page.wait_for_selector("#felt .card.movable")
    page.locator(".lesson").scroll_into_view_if_needed()
    page.tap("[data-do=show]")
    page.locator("#felt .card.chosen").tap()
    page.wait_for_selector("[data-do=undo]:not([disabled])")
    assert "four" in page.inner_text(".lesson-say")


def test_a_redrawn_board_shows_what_the_server_drew(visit: Visit) -> None:
    page = visit(fresh=True)
    entry = {
        "player": "7f2c7a5e-0000-4000-8000-000000000000",
        "name": "Minos",
        "avatar": "/avatars/0123456789abcdef.svg",
        "elapsed_ms": 3_847_312,
        "status": "verified",
    }
    entries = [
        entry | {"rank": 1, "cards_up": 52, "tokens": 60, "attempt": "a"},
        entry | {"rank": 2, "cards_up": 52, "tokens": 48, "attempt": "b", "elapsed_ms": 3_847_333, "player": "second"},
        entry | {"rank": 3, "cards_up": 51, "tokens": 70, "attempt": None, "player": "third"},
    ]

    def closed(route: Any) -> None:
        """Serve the board as it will be once its deal is revealed."""
        text = route.fetch().text().replace(" data-live=", ' data-revealed data-par="50" data-goal="52" data-live=', 1)
        route.fulfill(body=text, content_type="text/html")

    page.route("**/boards/*/labyrinth/", closed)
    lines: list[Any] = []

    def send(entries: list[dict[str, Any]]) -> None:
        lines[0].send(json.dumps({"type": "board", "total": 3, "entries": entries}))

    def show(line: Any) -> None:
        lines.append(line)
        send(entries)

    page.route_web_socket(re.compile("/ws/board/"), show)
    page.goto("/boards/")
    page.goto(page.locator("a[href$='/labyrinth/']").first.get_attribute("href"))
    page.wait_for_selector("table[data-live] >> text=Minos")
    rows = page.locator("table[data-live] tbody tr")
    moves = [rows.nth(k).get_by_role("cell").nth(3).inner_text() for k in range(3)]
    assert moves == ["60 +10", "48 -2", "70"]
    times = [rows.nth(k).get_by_role("cell").nth(2).inner_text() for k in range(3)]
    assert times == ["1:04:07.312", "1:04:07.333", "1:04:07.3"]  # two would look equal
    page.set_viewport_size({"width": 390, "height": 844})
    shown = rows.first.evaluate("row => [...row.cells].map(one => getComputedStyle(one, '::before').content)")
    assert shown == ["none", "none", '"Cards up"', '"Time"', '"Moves"', "none"]  # a card: values with their labels
    assert page.locator('table[data-live] tbody .named img[src="/avatars/0123456789abcdef.svg"]').count() == 3
    links = [rows.nth(k).locator("a.quiet").count() for k in range(3)]
    assert links == [1, 1, 0]
    rows.nth(1).locator("a").first.focus()
    send([entries[1] | {"rank": 1}, entries[0] | {"rank": 2}, entries[2]])
    page.wait_for_selector("table[data-live] tbody tr:first-child:has-text('48')")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "/players/second/"  # the focus moves along


def ask_about_old_game(page: Any) -> None:
    """Practise the past deal, whose winning line is known, and ask whether it can be won."""
    page.goto(f"/deals/{OLD_DAY}/labyrinth/")
    page.click("text=Play unranked")
    page.wait_for_url(re.compile("/table/"))
    Player(page).start()
    ask_whether_it_can_be_won(page)


def ask_whether_it_can_be_won(page: Any) -> None:
    page.click("[data-opens=more-dialog]")
    page.click("#can-win")


def test_a_winning_line_is_found_and_shown(visit: Visit) -> None:
    page = visit()
    ask_about_old_game(page)
    page.wait_for_selector("#hint-dialog[data-state=yes]")
    assert page.inner_text("#hint-dialog p").split("\n") == ["Yes", "You can win in 52 moves."]
    assert page.evaluate("document.activeElement.id") == "hint-way"
    assert faults(page) == []
    with page.expect_popup() as opened:
        page.click("#hint-way")
    opened.value.wait_for_selector("#felt .card")
    opened.value.wait_for_function("() => document.querySelector('#moves').textContent === '0/52'")
    assert looked_at(opened.value) == []
    page.click("#hint-close")
    page.wait_for_selector("#hint-dialog", state="hidden")


def test_a_question_shows_progress_and_can_be_withdrawn(visit: Visit) -> None:
    page = visit()
    methods: list[str] = []
    answers = iter(
        [{"state": "looking"}, {"state": "answered", "answer": "no"}, {"answer": "unknown"}, {"state": "looking"}]
    )

    def reply(route: Any) -> None:
        methods.append(route.request.method)
        if route.request.method == "DELETE":
            route.fulfill(status=204)
            return
        found = {"state": "answered", "n": 0, **next(answers, {"state": "looking"})}
        route.fulfill(body=json.dumps(found), content_type="application/json")

    page.route("**/can-win", reply)
    ask_about_old_game(page)
    page.wait_for_selector("#hint-close:has-text('Stop searching')")
    assert page.is_visible("#hint-progress")
    page.wait_for_selector("#hint-dialog[data-state=no]")
    assert not page.is_visible("#hint-progress")
    assert not page.is_visible("#hint-way")
    page.click("#hint-close")
    ask_whether_it_can_be_won(page)
    page.wait_for_selector("#hint-dialog[data-state=unknown]")
    page.click("#hint-close")
    ask_whether_it_can_be_won(page)
    with page.expect_request(lambda request: request.method == "DELETE"):
        page.click("#hint-close")
    assert methods[:3] == ["POST", "GET", "POST"]


def test_a_first_game_is_guided_and_leads_to_todays_deals(visit: Visit) -> None:
    page = visit("/", **PHONE)
    play = page.locator(".first-game button:has-text('Play')")
    placed = play.bounding_box()
    page.evaluate("document.querySelector('.first-game [data-dismiss]').hidden = true")
    assert play.bounding_box() == placed, "whether Skip is there yet or not"
    page.set_viewport_size({"width": 1280, "height": 860})
    play.click()
    player = Mouse(page)
    player.start()
    label, words = page.locator("#guide-say b"), page.locator("#guide-say span")
    first = words.inner_text()
    page.click("#pause")
    expect(page.locator("#paused")).to_be_visible()
    expect(words).to_have_text(first)
    page.click("#resume")
    expect(page.locator("#paused")).to_be_hidden()
    shown, legal = page.evaluate(
        "['guide-data', 'opening'].map(id => JSON.parse(document.getElementById(id).textContent))"
    )
    steps = [step["token"] for step in shown["steps"]]
    expect(page.locator("#felt .suggested")).to_have_count(2)
    assert page.locator("#felt .card.suggested").first.get_attribute("data-pile") == steps[0].split("-")[0]
    player.play(steps[0])
    player.wait_played()
    expect(words).not_to_have_text(first)
    page.click("#undo")
    expect(words).to_have_text(first)
    player.count += 1
    player.play_elsewhere([next(token for token in legal["legal"] if token not in steps)])
    expect(label).to_have_text("Your own way:")
    expect(page.locator(".suggested")).to_have_count(0)
    player.play_elsewhere(["u"])
    expect(words).to_have_text(first)
    line = next(line.split() for line in FIRST_GAMES if line.split()[: len(steps)] == steps)
    player.play_elsewhere(line[: len(steps)])
    expect(label).to_have_text("Well done!")
    expect(page.locator("#guide-close")).to_have_text("Close")
    player.play_away(line[len(steps) : -1])
    player.play_elsewhere(line[-1:])
    expect(page.locator("#guide")).to_be_hidden()
    expect(page.locator("#finish-today")).to_be_visible()
    assert page.get_attribute("#finish-today", "href") == "/play/stonewall/"
    page.goto("/")
    assert page.locator(".first-game").count() == 0
    assert page.locator(".deal .learn").count() == 8, "Stonewall is known"
    page.click(".deal .learn[value=braid-either]")
    player = Mouse(page)
    player.start()
    page.click("[data-direction].suggested")
    player.wait_played()
    expect(words).to_contain_text("Drag it there")
    player.play("d")
    player.wait_played()
    expect(label).to_have_text("Your own way:")
    page.focus("#guide-close")
    page.keyboard.press("Enter")
    expect(page.locator("#guide")).to_be_hidden()
    assert page.evaluate("document.activeElement.closest('#felt, .tools') !== null")
    expect(page.locator(".suggested")).to_have_count(0)


def test_the_password_can_be_shown_by_keyboard(visit: Visit) -> None:
    page = visit("/accounts/signup/", **PHONE)
    assert page.locator("input[type=password]").count() == 1
    page.fill("input[name=password1]", "a-braid-of-20-cards")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.get_attribute("input[name=password1]", "type") == "text"
    assert page.get_attribute("[aria-label='Show password']", "aria-pressed") == "true"
    page.fill("input[name=username]", "Eurynome")
    page.press("input[name=username]", "Enter")
    page.wait_for_selector("text=Welcome, Eurynome!")


#: The header's height, and True if parts of it overlap or leave the screen.
HEADER = """() => {
  const boxes = [...document.querySelectorAll('.brand, .site-nav a, .player-link, .who .button')]
    .filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect());
  const inside = boxes.every(box => box.left >= 0 && box.right <= innerWidth);
  const apart = boxes.every((one, k) => boxes.slice(k + 1).every(other => one.right <= other.left + 1
    || other.right <= one.left + 1 || one.bottom <= other.top + 1 || other.bottom <= one.top + 1));
  return [!(inside && apart), document.querySelector('.site-header').offsetHeight];
}"""


def test_the_parts_of_the_header_never_overlap(visit: Visit) -> None:
    """For a guest with a long name, who also sees the button to sign in: the widest header."""
    page = visit("/puzzles/storm/")
    page.click("form .button.gold")
    for language, _name in settings.LANGUAGES:
        cookie = {"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "domain": "127.0.0.1", "path": "/"}
        page.context.add_cookies([cookie])
        page.goto("/rules/braid/")
        assert page.get_attribute("html", "lang") == language
        page.evaluate("document.querySelector('.player-link span').textContent = 'Ivory Peregrine of the Seven Seas'")
        for width in (320, 641, 700, 780, 801, 820, 901, 1024, 1101, 1200):
            page.set_viewport_size({"width": width, "height": 700})
            overlaps, height = page.evaluate(HEADER)
            assert not overlaps, (language, width)
            assert height < 70 or width <= 800, (language, width)
