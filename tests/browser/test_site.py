"""What the site's pages do by themselves: the calendar's keys, who is playing, lessons, the hint dialog."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Visit = Callable[..., Any]


def test_arrow_keys_walk_over_the_days_that_have_deals(visit: Visit) -> None:
    page = visit("/deals/")
    # Today alone has deals here: two more days of its month get links.
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


def test_home_keeps_saying_who_is_playing(visit: Visit) -> None:
    page = visit("/verify/")
    asked: list[dict[str, str]] = []
    told = {
        "players": 3,
        "names": [{"name": "Minos", "player": "7f2c7a5e-0000-4000-8000-000000000000"}],
        "deals": {"plot": {"now": 3, "begun": 7, "names": ["Minos"]}},
    }

    def answer(route: Any) -> None:
        asked.append(route.request.headers)
        route.fulfill(body=json.dumps(told), content_type="application/json")

    page.route("**/playing.json", answer)
    page.clock.install()
    page.goto("/")
    plot = page.locator(".deal:has-text('The Plot') .seated")
    assert not plot.is_visible()
    page.clock.run_for(20_100)
    plot.wait_for()
    assert plot.inner_text().split("\n") == ["3 playing now", "Minos …", "7 today"]
    assert page.locator("#playing").inner_text().replace("\n", " ").startswith("3 players at the tables now Minos")
    assert page.locator("#playing a").get_attribute("href") == "/players/7f2c7a5e-0000-4000-8000-000000000000/"
    assert "cookie" not in asked[0]
