"""Whole games played through the page, and lost connections."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from games.rules import GAMES
from tests.browser.conftest import MOVING, PHONE, Visit
from tests.browser.pages.test_every_page import faults
from tests.browser.table_driver import (
    REPLACED,
    Keys,
    Mouse,
    deal,
    give_up,
    play_ends,
    play_through,
    sign_up,
    start_game,
    turn_to,
    won_record,
)

#: The labels of all cards that are not hidden.
LABELS = (
    "[...document.querySelectorAll('#felt .card:not([aria-hidden])')].map(c => c.getAttribute('aria-label')).sort()"
)


def test_a_won_game_is_played_verified_and_ranked(visit: Visit) -> None:
    rival = visit("/")  # with nobody behind, a first place is no top place
    sign_up(rival, "Phaedra")
    rival.goto("/play/labyrinth/")
    deal(rival)
    tokens = won_record("labyrinth")["tokens"]
    play_through(Mouse(rival), tokens[:1])
    give_up(rival)
    rival.wait_for_selector("#finish-rank[data-state=verified]")
    assert rival.locator("#finish-race").is_hidden()
    page = visit("/")
    sign_up(page, "Ariadne")
    page.goto("/play/labyrinth/")
    deal(page)
    # With an undo, because an exact copy of another player's line would go to review.
    play_ends(Mouse(page), [tokens[0], "u", *tokens], 6, gap=160, drag_every=3)
    # On a busy machine, the panel opens before the server's headline is there.
    page.wait_for_selector("#finish[open] #finish-title:text-is('Your first Labyrinth win')")
    assert page.text_content("#finish-cards") == "52/52"
    page.wait_for_selector("#finish-rank:has-text('Your result counts: 1st of ')")
    page.wait_for_selector("#finish-race:has-text('Prove it in a race')")
    page.click("#finish-race [data-dismiss]")
    assert page.locator("#finish-race").count() == 0
    assert page.locator("#finish-appeal").count() == 0
    page.click("#finish-more")
    page.click("#finish-board")
    row = page.locator("tr.me")
    assert "Ariadne" in row.text_content()
    assert "verified" in row.text_content()


def test_a_game_is_won_by_keyboard_alone(visit: Visit) -> None:
    page = visit("/play/stonewall/")
    page.focus("text=Deal the cards")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/table/"))
    player = Keys(page)
    player.skip_to_cards()
    play_ends(player, won_record("stonewall")["tokens"], 5)
    page.wait_for_selector("#finish[open]")
    assert page.get_attribute("body", "data-finished") == "won"


def test_arrow_keys_use_final_positions_during_animations(visit: Visit) -> None:
    page = visit("/play/labyrinth/", fresh=True, **MOVING)
    start_game(page)
    pace = page.context.new_cdp_session(page)
    pace.send("Animation.enable")
    flying = "() => document.querySelector('#felt').getAnimations({subtree: true}).length"

    def walk() -> list[str]:
        page.focus("#slot-s")
        stops = []
        for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowLeft"):
            page.keyboard.press(key)
            stops.append(page.evaluate("document.activeElement.id"))
        return stops

    page.wait_for_function(f"() => !({flying})()")
    pace.send("Animation.setPlaybackRate", {"playbackRate": 0.01})
    page.keyboard.press("d")
    page.wait_for_function(f"() => ({flying})() > 4")
    in_flight = walk()
    pace.send("Animation.setPlaybackRate", {"playbackRate": 100})
    page.wait_for_function(f"() => !({flying})()")
    assert in_flight == walk()


def test_a_drag_survives_a_lost_connection(visit: Visit) -> None:
    lines: list[Any] = []
    page = visit("/play/labyrinth/", fresh=True)
    page.route_web_socket(re.compile("/ws/play/"), lambda line: lines.append((line, line.connect_to_server())))
    player = start_game(page)
    token = won_record("labyrinth")["tokens"][0]
    source = player.card(token.split("-")[0])
    x, y = player.middle(source)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 30, steps=3)
    lines[0][0].close(code=1012)
    page.wait_for_selector("#lost:not([hidden])")
    page.wait_for_selector("#lost", state="hidden")
    place = player.place("f").bounding_box()
    page.mouse.move(place["x"] + 20, place["y"] + 20, steps=3)
    page.mouse.up()
    player.wait_played()
    assert len(lines) == 2
    assert page.text_content("#cards-up") == "5/52"


def test_moves_are_shown_before_the_server_connects_or_answers(visit: Visit) -> None:
    servers: list[Any] = []
    held: list[str] = []
    released: list[bool] = []
    page = visit("/play/labyrinth/", fresh=True)

    def slow_line(line: Any) -> None:
        servers.append(line.connect_to_server())
        line.on_message(lambda text: servers[0].send(text) if released else held.append(text))

    page.route_web_socket(re.compile("/ws/play/"), slow_line)
    deal(page)
    player, tokens = Mouse(page), won_record("labyrinth")["tokens"]
    assert page.get_attribute("#connection", "title") == "Connecting…"
    player.play(tokens[0])
    page.wait_for_selector("#cards-up:text-is('5/52')")
    assert page.get_attribute("#felt", "data-confirmed") == "0"
    released.append(True)
    for text in held:
        servers[0].send(text)
    player.start()
    player.wait_played()
    assert page.text_content("#cards-up") == "5/52"
    assert page.is_hidden("#notice")
    assert all('"hello"' in text for text in held)
    player.play(tokens[1])
    player.wait_played()
    released.clear()
    held.clear()
    player.play(tokens[2], drag=True)
    page.wait_for_selector("#cards-up:text-is('6/52')")
    assert page.get_attribute("#felt", "data-confirmed") == "2"
    while not held:  # the move is on its way; if it never arrives, the test times out
        page.wait_for_timeout(20)
    assert [json.loads(text)["type"] for text in held] == ["move"]


def test_a_table_goes_on_in_the_tab_that_the_player_turns_to(visit: Visit) -> None:
    first = visit("/play/stonewall/")
    player = start_game(first)
    tokens = won_record("stonewall")["tokens"][:4]
    second = visit(first.url, context=first.context)
    first.wait_for_selector(REPLACED)
    play_through(Mouse(second), tokens[:2])
    assert first.is_visible(REPLACED), "no timer takes the place back"
    first.click("#lost >> text=Play here")
    first.wait_for_function("() => document.querySelector('#felt').dataset.confirmed === '2'")
    first.wait_for_selector("#lost", state="hidden")
    second.wait_for_selector(REPLACED)
    play_through(player, tokens[2:])
    for signal in (
        "window.dispatchEvent(new Event('focus'))",
        "document.dispatchEvent(new Event('visibilitychange', {bubbles: true}))",
    ):
        for tab in (second, first):
            turn_to(tab, signal)
    turn_to(second)
    second.wait_for_function("() => document.querySelector('#felt').dataset.confirmed === '4'")
    assert first.evaluate(LABELS) == second.evaluate(LABELS)


def test_illegal_drops_and_undone_moves_go_back_and_resigning_asks_first(visit: Visit) -> None:
    page = visit("/play/stonewall/", **MOVING)
    player = start_game(page)
    card = player.card("r0")
    x, y = player.middle(card)  # when all cards are dealt
    left = card.bounding_box()["x"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 60, y + 90, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "([id, x]) => Math.abs(document.getElementById(id).getBoundingClientRect().left - x) < 1",
        arg=[card.get_attribute("id"), left],
    )
    assert page.text_content("#moves") == "0"
    before = page.evaluate(LABELS)
    for token in [won_record("stonewall")["tokens"][0], "u"]:
        player.play(token)
        player.wait_played()
    assert page.evaluate(LABELS) == before
    page.keyboard.press("r")
    page.click("#resign-dialog >> text=Keep playing")
    assert page.text_content("#moves") == "2"
    page.click("#resign")
    page.click("#resign-dialog button.danger")
    page.wait_for_selector("#finish[open]")
    assert "cards up" in page.text_content("#finish-title")
    page.wait_for_selector("#finish-rank[data-state=verified]")
    page.wait_for_selector("#finish-account", state="attached")
    rank = page.text_content("#finish-rank")
    assert re.fullmatch(r"With an account, you'd be \d+\w\w of \d+\.|Your result counts\.", rank)
    assert page.get_attribute("#finish-account", "href") == "/accounts/signup/"


def test_animations_cause_no_layout_and_moves_are_announced(visit: Visit) -> None:
    page = visit("/play/labyrinth/", **PHONE, **MOVING)
    player = start_game(page)
    page.evaluate("""() => {
      window.moved = new Set();
      document.addEventListener("transitionrun", ({ propertyName }) => moved.add(propertyName));
    }""")
    tokens = won_record("labyrinth")["tokens"]
    play_through(player, tokens[:1])
    assert re.search(r"two of \w+ to the foundation, 5 of 52", page.text_content("#live"))
    play_through(player, tokens[1:4])
    # The cards, and the player's mark among the others at the deal.
    page.wait_for_function("() => moved.has('transform') && moved.has('translate')")
    laid_out = re.compile("left|right|top|bottom|inset|width|height|margin|padding|gap|flex|grid|font")
    assert [name for name in page.evaluate("[...moved]") if laid_out.search(name)] == []


#: `test_geometry` has larger ones.
SCREENS = [(360, 640), (640, 360), (390, 844), (1440, 900)]

#: Elements outside the table, once it is laid out for this screen width.
OUTSIDE = """async (width) => {
  while (innerWidth !== width) await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame);
  const felt = document.querySelector('.board').getBoundingClientRect();
  const found = [...document.querySelectorAll('#felt .card, #felt .slot')].filter(element => {
    const box = element.getBoundingClientRect();
    return box.left < felt.left - 1 || box.right > felt.right + 1
      || box.top < felt.top - 1 || box.bottom > felt.bottom + 1;
  }).map(element => element.id);
  const page = document.documentElement;
  if (page.scrollHeight > innerHeight || page.scrollWidth > innerWidth) found.push("the page");
  return found;
}"""


#: The numbers of open cards, of those with a face, and of pictures on cards that are face down.
FACES = """() => {
  const cards = [...document.querySelectorAll('#felt .card:not(.down)')];
  return [cards.length, cards.filter(card => card.querySelector('svg path')).length,
    document.querySelectorAll('#felt .card.down svg').length];
}"""
SHARP = "() => [...document.querySelectorAll('#felt .card:not(.down)')].every(c => /,.*-[ij]$/.test(c.dataset.dressed))"


#: Games that other tests here win by mouse or keys.
WON_ABOVE = {"labyrinth", "stonewall"}


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_game_fits_every_screen_is_accessible_and_won_by_mouse(visit: Visit, game: str) -> None:
    page = visit(f"/play/{game}/", width=640, height=360)
    player = start_game(page)
    check_screens(page)
    page.set_viewport_size({"width": 1280, "height": 860})
    assert faults(page) == []
    if game not in WON_ABOVE:
        play_ends(player, won_record(game)["tokens"], 6, drag_every=3)
        page.wait_for_selector("#finish[open]")
        assert page.get_attribute("body", "data-finished") == "won"


def check_screens(page: Any) -> None:
    """Check that all cards fit the screen and have their faces at every size."""
    cards, drawn, backs = page.evaluate(FACES)
    assert cards == drawn > 0
    assert backs == 0
    assert page.get_attribute("#felt .card:not(.down)", "data-dressed").endswith(("-c", "-d"))
    durations = "[...new Set([...document.querySelectorAll('.card')].map(c => getComputedStyle(c).transitionDuration))]"
    assert page.evaluate(durations) == ["0s"], "with reduced motion"
    outside = {}
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        outside[width] = page.evaluate(OUTSIDE, width)
        if width == 1440:
            page.wait_for_function(SHARP)
            assert page.evaluate(FACES) == [cards, drawn, backs]
    assert outside == {width: [] for width, _ in SCREENS}
