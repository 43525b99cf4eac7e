"""Races follow the server's clock, whatever the player's clock shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.browser.racing import long_enough, race_soon, sign_in

Visit = Callable[..., Any]

#: A clock three hours fast that is set back by a day during the countdown.
_WRONG = """
const right = Date.now;
let wrong = 3 * 3600e3;
Date.now = () => right() + wrong;
window.setClock = () => { wrong = -86400e3; };
"""


def test_a_wrong_and_changing_clock_makes_no_difference(visit: Visit, chromium: Any, site: Any) -> None:
    countdown = long_enough(visit)
    race = race_soon(site, "Kephalos", "Prokris", seconds=countdown)
    pages = []
    for racer, script in zip(race["racers"], (_WRONG, ""), strict=True):
        context = chromium.new_context(base_url=site.url, service_workers="block")
        context.set_default_timeout(60_000)
        context.add_init_script(script)
        sign_in(context, site, racer["session"])
        pages.append(visit(racer["table"], context=context))
    for page in pages:
        page.wait_for_selector("#starting", state="visible")
    shown = pages[0].evaluate(
        "() => { window.setClock(); return Number(document.querySelector('#starting-number').textContent); }"
    )
    assert 0 < shown <= math.ceil(countdown)
    for page in pages:
        page.wait_for_selector("#felt .card")
        page.wait_for_selector("#starting", state="hidden")
        page.wait_for_function("() => /^0:[0-5][0-9]/.test(document.querySelector('#clock').textContent)")
