"""A challenge from a finished game to its answer, in the browsers of two players."""

from __future__ import annotations

import re
from typing import Any

from tests.browser.conftest import OLD_DAY, PHONE, Visit
from tests.browser.table_driver import Mouse, Touch, play_through, sign_up, won_record

TOKENS = won_record("labyrinth", last=True)["tokens"]

#: True if no card sticks out of its board sideways.
_WITHIN = """() => [...document.querySelectorAll(".boards .board")].every((board) => {
  const [{ left, right }, cards] = [board.getBoundingClientRect(), [...board.querySelectorAll(".card")]];
  const boxes = cards.map((card) => card.getBoundingClientRect());
  return boxes.length > 0 && boxes.every((box) => box.left >= left && box.right <= right);
})"""

#: Adds a board with a long name; returns the boards' width, and whether they are in one column and show the whole name.
_THIRD_BOARD = """() => {
  const boards = document.querySelector(".boards");
  boards.dataset.count = "3";
  const third = boards.append(boards.lastElementChild.cloneNode(true)) ?? boards.lastElementChild;
  const name = third.querySelector("a");
  name.textContent = "Pasiphae of Colchis, daughter of Helios and Perse";
  const lefts = new Set([...boards.children].map((board) => board.getBoundingClientRect().left));
  return [String(boards.scrollWidth), lefts.size === 1, name.scrollWidth <= name.clientWidth];
}"""


def give_up(page: Any) -> None:
    page.keyboard.press("r")
    page.click("#resign-dialog button[value=resign]")
    page.wait_for_selector("#finish[open]")


def reload_until(page: Any, selector: str) -> None:
    """Reload until a worker has judged the game and the page shows the result."""
    for _ in range(100):
        if page.locator(selector).count():
            return
        page.wait_for_timeout(300)
        page.reload()
    raise AssertionError(f"no {selector} at {page.url}")


def test_a_friend_beats_a_challenge_beside_its_ghost(visit: Visit) -> None:
    page = visit("/", width=1440, height=900)
    sign_up(page, "Minos of Crete")
    page.goto(f"/deals/{OLD_DAY}/labyrinth/")
    page.click("text=Play unranked")
    page.wait_for_url(re.compile("/table/"))
    play_through(Mouse(page), TOKENS[:8])
    give_up(page)
    page.click("#finish-more")
    page.click("#finish-challenge button")
    page.wait_for_url(re.compile("/challenge/"))
    link = page.input_value("#challenge-link")

    friend = visit(link, **PHONE, has_touch=True, is_mobile=True)
    assert "Minos of Crete challenges you" in friend.text_content("h1")
    assert "Hints are allowed" in friend.text_content("main")
    friend.tap("text=Beat it")
    friend.wait_for_url(re.compile("/table/"))
    hand = Touch(friend)
    play_through(hand, TOKENS[:6])
    friend.wait_for_function("() => /Minos/.test(document.querySelector('#lanes').textContent)")
    play_through(hand, TOKENS[6:14])
    give_up(friend)
    friend.wait_for_selector("#finish-title:has-text('You beat')")
    assert re.fullmatch(r"You beat Minos of Crete by (one card|\d+ cards)", friend.text_content("#finish-title"))
    friend.goto(link)
    reload_until(friend, ".outcome")
    assert friend.inner_text(".outcome") == "You beat it."
    friend.tap("text=Watch side by side")
    friend.wait_for_selector(".boards .felt .card")
    friend.wait_for_function("() => document.querySelectorAll('.standing:not(:empty)').length === 2")
    friend.wait_for_function("() => !document.querySelector('.boards').textContent.includes('–')")
    friend.locator("#scrub").fill(friend.get_attribute("#scrub", "max"))
    friend.locator(".boards").press("End")
    assert re.search(r"\d:\d\d\. .*\s\d+/52", friend.text_content("#live"))
    ups = friend.locator(".standing").all_text_contents()
    assert len(ups) == 2
    assert all(re.match(r"[1-9]\d*/52 · \d:\d\d", text) for text in ups)
    friend.set_viewport_size({"width": 844, "height": 390})
    friend.wait_for_function(_WITHIN)
    friend.set_viewport_size(PHONE)
    assert friend.evaluate(_THIRD_BOARD) == ["390", True, True]

    page.goto("/")
    reload_until(page, ".inbox-link b")
    assert page.text_content(".inbox-link b") == "1"
    page.click(".inbox-link")
    assert re.search(r"\d beat your challenge\.", page.text_content(".notices"))
    page.click(".notices a")
    assert page.locator("tbody tr").count() == 2
    page.click("text=Watch side by side")
    page.wait_for_selector(".boards .felt .card")
    page.select_option("#speed", "16")
    page.click("#play")
    page.wait_for_function("() => Number(document.querySelector('#scrub').value) > 500")
    page.goto(f"/deals/{OLD_DAY}/labyrinth/")
    page.click("text=Race a ghost")
    page.set_viewport_size({"width": 390, "height": 844})
    page.set_viewport_size({"width": 1440, "height": 900})
    page.click("li:has-text('Your best') >> text=Race")
    page.wait_for_url(re.compile("ghost="))
    play_through(Mouse(page), TOKENS[:6])
    page.wait_for_selector("#pace:not([hidden])")
