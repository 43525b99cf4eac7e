"""Practice without a network: played to its end, won, and sent to the server later."""

from __future__ import annotations

import re
from typing import Any

from tests.browser.conftest import Visit
from tests.browser.table_driver import Mouse, play_through, practise, won_record

_CONFIRMED = "n => document.querySelector('#felt').dataset.confirmed === String(n)"
_DECKS = "n => performance.getEntriesByType('resource').filter(e => e.name.endsWith('/deck.json')).length === n"
_ANOTHERS, _OLD = (f"talon.unsent./ws/play/00000000-0000-4000-8000-00000000000{n}/" for n in range(2))
_END_LOADED = r"""() => performance.getEntriesByType("resource")
  .filter(({ name }) => /\/finish\.(late\.)?[0-9a-f]+\.(js|css)$/.test(name)).length === 2"""
_MOVES = "n => document.querySelector('#moves').textContent === String(n)"


def wait_prepared(page: Any, player: Mouse) -> None:
    """Make the first move, and wait until the deck and the next deal have been fetched."""
    player.play("d")
    player.wait_played()
    page.wait_for_function(_DECKS, arg=2)


def play_offline(player: Mouse, tokens: list[str]) -> None:
    for token in tokens:
        player.play(token)
        player.count += 1
        player.page.wait_for_function(_MOVES, arg=player.count)


def test_a_game_is_won_without_a_network_and_counts_later(visit: Visit, complaints: list[str]) -> None:
    record = won_record("stonewall", last=True)
    tokens = record["tokens"]
    page = visit(f"/practice/?name=stonewall&seed={record['seed']}", fresh=True)
    with page.expect_response(re.compile(r"/deck\.json")):
        page.click("main button:has-text('Play')")
        page.wait_for_url(re.compile("/table/"))
    player = Mouse(page)
    player.start()
    play_through(player, tokens[:2])
    page.wait_for_function(_END_LOADED)
    page.context.set_offline(True)
    page.wait_for_selector('#lost:has-text("You\'re offline. Play on")')
    play_offline(player, [*tokens[2:5], "u", *tokens[4:]])
    page.wait_for_selector("#notice:has-text('You won!')", state="attached")
    assert page.text_content("#cards-up") == "52/52"
    assert page.is_disabled("#undo")
    page.context.set_offline(False)
    page.wait_for_selector("#finish[open]")
    assert page.get_attribute("body", "data-finished") == "won"
    assert page.text_content("#finish-moves") == str(len(tokens) + 2)
    page.wait_for_function("() => !Object.keys(localStorage).some(key => key.startsWith('talon.unsent'))")
    page.goto("/players/me/")
    page.wait_for_selector("section[aria-labelledby=levels] li:has-text('Stonewall')")
    complaints.clear()


def test_moves_made_offline_survive_a_closed_page(visit: Visit, complaints: list[str]) -> None:
    page = visit(fresh=True)
    player = practise(page)
    wait_prepared(page, player)
    table = page.url
    page.context.set_offline(True)
    page.wait_for_selector("#lost:not([hidden])")
    play_offline(player, ["d", "d", "u", "d"])
    page.goto("about:blank")
    page.context.set_offline(False)
    page.goto(table)
    page.wait_for_function(_CONFIRMED, arg=5)
    complaints.clear()


def test_a_new_deal_is_dealt_once_without_a_network(visit: Visit, complaints: list[str]) -> None:
    page = visit(fresh=True)
    player = practise(page)
    wait_prepared(page, player)
    first, cards = page.url, page.eval_on_selector_all("#felt .card", "all => all.map(one => one.ariaLabel).sort()")
    page.context.set_offline(True)
    page.wait_for_selector("#lost:not([hidden])")
    play_offline(player, ["d"])
    page.click("#new-deal")
    page.wait_for_function(_MOVES, arg=0)
    assert page.url != first
    assert page.eval_on_selector_all("#felt .card", "all => all.map(one => one.ariaLabel).sort()") != cards
    player.count = 0
    play_offline(player, ["d", "d"])
    page.click("#new-deal")
    page.wait_for_selector("#notice:has-text('A new deal has to wait')", state="attached")
    page.context.set_offline(False)
    page.wait_for_function(_CONFIRMED, arg=2)
    page.wait_for_function("() => !Object.keys(localStorage).some(key => key.startsWith('talon.unsent'))")
    second = page.url
    page.goto(first)
    page.wait_for_function(_CONFIRMED, arg=2)
    page.goto(second)
    page.wait_for_function(_CONFIRMED, arg=2)
    complaints.clear()


def test_the_next_deal_is_asked_for_once_and_anothers_moves_stay(visit: Visit, complaints: list[str]) -> None:
    page, asked = visit(fresh=True), list[str]()

    def start(route: Any, request: Any) -> None:
        if "ahead" in request.post_data:
            asked.append(request.url)
            route.fulfill(status=204)
        else:
            route.continue_()

    page.route("**/practice/start", start)
    page.evaluate("key => localStorage.setItem(key, JSON.stringify({n: 0, tokens: ['d'], at: Date.now()}))", _ANOTHERS)
    page.evaluate("key => localStorage.setItem(key, JSON.stringify({n: 0, tokens: ['d'], at: 0}))", _OLD)
    player = practise(page)
    with page.expect_request("**/practice/start"):
        player.play("d")
    player.wait_played()
    for _ in range(3):
        player.play("d")
        player.wait_played()
    assert len(asked) == 1
    page.wait_for_function("key => localStorage.getItem(key) === null", arg=_OLD)
    assert page.evaluate("key => localStorage.getItem(key)", _ANOTHERS)
    complaints.clear()
