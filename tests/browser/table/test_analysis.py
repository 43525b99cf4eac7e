"""Analysis in a replay: request, progress, and use with the keyboard, without colours and by screen readers."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.browser.conftest import Visit
from tests.browser.pages.test_every_page import faults
from tests.browser.table_driver import resigned_practice

DONE: dict[str, Any] = {
    "state": "done",
    "percent": 100,
    "ahead": 0,
    "mine": False,
    "verdicts": [53, 52, -2, -1],
    "turns": [{"n": 1, "to": 3, "better": [["d", 52], ["t0-f", 60]], "unknown": 1}],
}
#: The server's answers in order: no analysis yet, then those after the request.
SAID: list[dict[str, Any]] = [
    {"state": "none", "percent": 0, "ahead": 0, "mine": False},
    {"state": "waiting", "percent": 0, "ahead": 2, "mine": True},
    {"state": "working", "percent": 40, "ahead": 0, "mine": True, "verdicts": [53, -2, -2, -1], "turns": []},
    DONE,
]


AT = "one => { const { x, y, width, height } = one.getBoundingClientRect(); return [x + width / 2, y + height / 2]; }"
PILE_AT = "([x, y]) => document.elementsFromPoint(x, y).find((one) => one.dataset.pile)?.dataset.pile"


def heights(page: Any) -> list[int]:
    return list(page.evaluate("[...document.querySelectorAll('.verdicts > :not(.turn)')].map(one => one.offsetHeight)"))


def test_an_analysis_is_requested_shown_and_read(visit: Visit) -> None:
    page = resigned_practice(visit)
    said = iter(SAID)
    methods: list[str] = []

    def answer(route: Any) -> None:
        methods.append(route.request.method)
        route.fulfill(status=200, content_type="application/json", body=json.dumps(next(said)))

    page.route("**/analysis.json", answer)
    page.goto(page.url.replace("/table/", "/replay/"))
    page.wait_for_selector("#analysis-text:has-text('This game: ')")
    assert not heights(page)
    page.focus("#analyse")
    page.keyboard.press("Enter")
    page.wait_for_selector("#analysis-stop:focus")  # the pressed button disappears
    page.wait_for_selector("#analysis-text:has-text('Waiting for 2 other games')")
    page.wait_for_selector(".verdicts .unknown")
    page.wait_for_selector("#analysis-text:has-text('It can still be won, in 53 moves.')")
    assert methods == ["GET", "POST", "GET", "GET"]
    assert page.evaluate("document.activeElement.id") == "analysis-details"
    # Kinds differ in height or pattern, even without colours.
    page.emulate_media(forced_colors="active")
    patterns = page.evaluate(
        "[...document.querySelectorAll('.verdicts > :not(.turn)')].map(one => getComputedStyle(one).backgroundImage)"
    )
    assert len({*zip(heights(page), patterns, strict=True)}) == 3
    page.emulate_media(forced_colors="none")
    # The turning point, by its button and by the keys.
    assert page.text_content("#analysis-status") == "Lost between moves 2 and 3"
    page.click("#analysis-turn")
    assert page.text_content("#moves") == "1/3"
    chance = "The last chance that we know of: these moves would have won. For one other move, we don't know."
    assert page.text_content("#analysis-text") == chance
    assert page.locator("#better li").first.text_content() == "deal a row: won in 52 moves"
    assert page.is_hidden("#analysis-turn")
    # Arrows show the moves that would have won: a row from the stock, and a card to its foundation.
    assert page.locator("#missed .better").count() == 2
    assert page.locator("#missed .played").count() == 0, "the losing move is not known exactly"
    start = page.eval_on_selector("#missed .better circle", AT)
    assert page.evaluate(PILE_AT, start) == "s"
    assert page.is_visible("#play-on button")
    page.locator("#better").click()
    for key, text in (
        ("ArrowRight", "We don't know if it can be won from here."),
        ("End", "Lost: it can't be won from here."),
        ("Home", "It can still be won, in 53 moves."),
    ):
        page.keyboard.press(key)
        assert page.text_content("#analysis-text") == text
        assert page.text_content("#live").endswith(text)
        assert page.locator("#missed g").count() == 0
        assert page.is_hidden("#better")
    page.keyboard.press("l")
    assert re.match(r"4 of 52 cards up; 0 moves\. Row 1: place 1 ", page.text_content("#live"))
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.click("#analysis-details")
    assert page.locator("#stretches li").all_text_contents() == [
        "After moves 0 to 1: winnable",
        "After move 2: unknown",
        "After move 3: lost",
    ]
    assert faults(page) == []
    # Requested by another player, so there is no stop button.
    said = iter([SAID[2] | {"mine": False}, *[SAID[3]] * 9])
    page.reload()
    page.wait_for_selector("#analysis-progress")
    assert page.is_hidden("#analysis-stop")
