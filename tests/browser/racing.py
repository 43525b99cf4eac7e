"""Races created beside the server that a browser uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.conftest import Site
from tests.browser.table_driver import won_record

#: Seconds that the tests of a countdown take.
MIN_SECONDS_LEFT = 4

# Seconds of the countdown that a table shows: null before it shows any, 0 once the cards are dealt.
_SECONDS_LEFT = """() => {
  if (document.querySelector("#felt .card")) return 0;
  const shown = document.querySelector("#starting-number").textContent;
  return /^\\d+$/.test(shown) ? Number(shown) : null;
}"""


def race_soon(site: Site, *names: str, variant: str = "stonewall", seconds: float = 8, **settings: Any) -> Any:
    """Create a race of these players whose cards are dealt in this many seconds, and return it as JSON."""
    settings = {"limit_s": 600, "free_undo": True, "public": False, **settings}
    seed = won_record(variant)["seed"]
    return site.control.ask("race", names=names, variant=variant, seed=seed, seconds=seconds, **settings)


def race_in_countdown(site: Any, *names: str, arrive: Callable[[dict[str, Any]], list[Any]]) -> tuple[Any, list[Any]]:
    """Return a race and its racers' pages, all of which arrived before the start.

    A busy machine may need longer to open the pages than the countdown takes, so it is doubled with each new race.
    """
    for seconds in (12, 24, 48, 96, 192):
        race = race_soon(site, *(f"{name}{seconds}" for name in names), seconds=seconds)
        pages = arrive(race)
        for page in pages:
            page.wait_for_function(f"() => ({_SECONDS_LEFT})() !== null")
        if all(page.evaluate(_SECONDS_LEFT) >= MIN_SECONDS_LEFT for page in pages):
            return race, pages
    raise AssertionError("no page arrived before the start of its race")
