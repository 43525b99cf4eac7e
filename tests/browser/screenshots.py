"""Regenerate docs/screenshots: ``python -m tests.browser.screenshots`` (needs Chromium and Pillow).

The deals are certified, and the tables are played along their winning lines.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, ROOT, SOUND_ANSWERED, Site, serve
from tests.browser.table_driver import Mouse, Player, sign_up
from tests.requirements import CHROMIUM

OUT = ROOT / "docs" / "screenshots"
SIZES = {"1440": (1440, 900), "820": (820, 1180), "390": (390, 844)}
#: Share of the winning line played at each table.
TABLES = {"braid": 0.5, "labyrinth": 0.4, "tarot": 0.6, "plot": 0.6, "stonewall": 0.4}
#: Timeout in ms, generous for a busy machine.
PATIENCE_MS = 180_000
TODAY = datetime.now(UTC).date().isoformat()
PAGES = {
    "home": "/",
    "opening": "/play/tarot/",
    "rules": "/rules/tarot/",
    "practice": "/practice/",
    "archive": "/deals/",
    "boards": "/boards/",
    "board": f"/boards/{TODAY}/labyrinth/",
    "profile": "/players/me/",
    "settings": "/players/me/settings/",
    "sign-in": "/accounts/login/",
}


def keep(page: Any, name: str) -> None:
    """Save a screenshot as a small WebP file."""
    image = import_module("PIL.Image")  # needed by no test, so Pillow is no dependency
    picture = image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.save(OUT / f"{name}.webp", quality=74, method=6)


@contextmanager
def site() -> Iterator[Site]:
    """A server on a temporary directory."""
    with tempfile.TemporaryDirectory() as var:
        yield from serve(Path(var), certified=True)


def play(page: Any, variant: str, line: list[str], share: float = 1, *, thinks: bool = False) -> None:
    """Open today's deal of a variant and play the first part of its winning line, with `thinks` at a human pace."""
    page.goto(f"/play/{variant}/")
    page.click("text=Deal the cards")
    player = Mouse(page)
    player.start()
    for k, token in enumerate(line[: round(share * len(line))]):
        player.play(token)
        player.wait_played(over=True)
        if thinks:
            page.wait_for_timeout(350 + k * k * 137 % 700)


@contextmanager
def visitor(browser: Any, url: str) -> Iterator[Any]:
    """A page in its own browser context."""
    with browser.new_context(base_url=url, reduced_motion="reduce") as context:
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(SOUND_ANSWERED)
        yield context.new_page()


def take(browser: Any, url: str, lines: dict[str, list[str]]) -> None:
    """Take all tables and pages at every size in the light theme; tables at the largest size also in the dark one."""
    for name, share in {"Minos": 0.25, "Daedalus": 0.6, "Icarus": 0.15}.items():
        with visitor(browser, url) as page:
            sign_up(page, name)
            play(page, "labyrinth", lines["labyrinth"], share, thinks=True)
            page.keyboard.press("r")
            page.click("#resign-dialog button.danger")
            page.wait_for_selector("#finish-rank[data-state=verified]", state="attached")
    with visitor(browser, url) as page, visitor(browser, url) as guest:
        sign_up(page, "Ariadne")
        play(page, "labyrinth", lines["labyrinth"], thinks=True)
        page.wait_for_selector("#finish-rank[data-state=verified]", state="attached")
        page.wait_for_load_state("networkidle")
        keep(page, "won-1440")
        _take_all(page, guest, lines)


def _take_all(page: Any, guest: Any, lines: dict[str, list[str]]) -> None:
    """Take tables and pages of a player and of a guest."""
    tables = {}
    for variant, share in TABLES.items():
        if variant == "labyrinth":
            continue
        play(page, variant, lines[variant], share)
        tables[variant] = page.url
    play(guest, "labyrinth", lines["labyrinth"], TABLES["labyrinth"])
    tables["labyrinth"] = guest.url
    for size, (width, height) in SIZES.items():
        for variant in TABLES:
            shown = guest if variant == "labyrinth" else page
            shown.set_viewport_size({"width": width, "height": height})
            shown.goto(tables[variant])
            Player(shown).start()
            shown.wait_for_selector("#felt .card")
            shown.wait_for_timeout(300)
            keep(shown, f"{variant}-{size}")
        for name, path in PAGES.items():
            shown = guest if name in {"opening", "sign-in"} else page
            shown.set_viewport_size({"width": width, "height": height})
            shown.goto(path)
            shown.wait_for_load_state("networkidle")
            shown.wait_for_timeout(300)
            keep(shown, f"{name}-{size}")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="dark")
    for name, path in {"home-dark": "/", "tarot-dark": tables["tarot"]}.items():
        page.goto(path)
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(500)
        keep(page, name)


def main() -> int:
    """Take all screenshots."""
    OUT.mkdir(parents=True, exist_ok=True)
    with site() as found, sync_playwright() as playwright:
        lines = found.control.ask("winning_lines")
        take(playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS), found.url, lines)
    return 0


if __name__ == "__main__":
    if not CHROMIUM:
        pytest.exit("Chromium is missing")
    sys.exit(main())
