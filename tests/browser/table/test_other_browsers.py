"""A game in Firefox and in WebKit: the first moves by mouse, the rest by a second tab."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import PATIENCE_MS, Site
from tests.browser.table_driver import PLAY_ELSEWHERE, won_record
from tests.browser.webdrivers import Browser, firefox, webkit

MOVES = 3

_PRESSED_START = "() => document.querySelector('main form button').click()"
_CONNECTED = "() => document.querySelector('#connection')?.title === 'Connected'"
_STILL = "() => document.querySelector('#felt').getAnimations({subtree: true}).length === 0"
_CONFIRMED = "n => Number(document.querySelector('#felt').dataset.confirmed) >= n"
_WON = "() => document.querySelector('#finish')?.open && document.querySelector('#finish-title').textContent"
_DECKS = r"() => performance.getEntriesByType('resource').filter(({name}) => /french\.(\w+\.)?svg/.test(name)).length"
_SELECTED = "() => getSelection().toString()"
_TOOLS = """() => {
  const box = document.querySelector('#undo').getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2].map(Math.round);
}"""
_PICKED_UP = "() => document.querySelector('#felt .chosen') !== null"
# The point of a pile's top card, or of its empty place; for foundations, of the place offered.
_PLACE = """pile => {
  const cards = [...document.querySelectorAll(`#felt .card[data-pile='${pile}']:not([aria-hidden])`)];
  const top = cards.sort((one, other) => one.dataset.i - other.dataset.i).at(-1);
  const place = pile === 'f' ? document.querySelector('#felt .kind-f.target') : top;
  const found = place ?? document.querySelector(`#slot-${pile}`);
  if (!found) return null;
  const box = found.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2].map(Math.round);
}"""


def wait_for(browser: Browser, function: str, *arguments: Any) -> Any:
    """Wait until a function in the page returns a true value, and return it."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not (found := browser.call(function, *arguments)):
        assert time.monotonic() < end, function
        time.sleep(0.05)
    return found


def click(browser: Browser, x: int, y: int) -> None:
    browser.point(("pointerMove", x, y), ("pointerDown", 0, 0), ("pointerUp", 0, 0))


def play(browser: Browser, token: str, *, drag: bool) -> None:
    """Move one card with the mouse; a drag passes over the tools below the felt."""
    source, target = token.split("-")
    wait_for(browser, _PLACE, source)
    wait_for(browser, _STILL)
    x, y = wait_for(browser, _PLACE, source)  # on a busy machine, the cards may not be drawn yet
    if drag:
        browser.point(("pointerMove", x, y), ("pointerDown", 0, 0), ("pointerMove", x + 12, y + 12))
        below = browser.call(_TOOLS)
        end = browser.call(_PLACE, target)
        browser.point(("pointerMove", *below), ("pointerMove", end[0] - 4, end[1]), ("pointerMove", *end))
        browser.point(("pointerUp", 0, 0))
    else:
        click(browser, x, y)
        if browser.call(_PICKED_UP):  # a card with one place to go has moved already
            click(browser, *wait_for(browser, _PLACE, target))


@pytest.mark.parametrize(
    "opened",
    [
        pytest.param(firefox, marks=pytest.mark.needs("firefox"), id="Firefox"),
        pytest.param(webkit, marks=pytest.mark.needs("webkit"), id="WebKitGTK"),
    ],
)
def test_a_game_is_won_in_other_browsers(
    site: Site, tmp_path: Path, opened: Callable[[Path], AbstractContextManager[Browser]]
) -> None:
    tokens = won_record("stonewall")["tokens"]
    with opened(tmp_path) as browser:
        browser.goto(f"{site.url}/play/stonewall/")
        browser.call(_PRESSED_START)
        wait_for(browser, _CONNECTED)
        for k, token in enumerate(tokens[:MOVES]):
            play(browser, token, drag=k == 1)
            wait_for(browser, _CONFIRMED, k + 1)
        assert browser.call(_SELECTED) == ""
        assert browser.call(_DECKS) == 1
        browser.call(PLAY_ELSEWHERE, [tokens[MOVES:]])
        assert wait_for(browser, _WON) == "Your first Stonewall win"
