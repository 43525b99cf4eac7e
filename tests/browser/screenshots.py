"""Take the README's screenshots again: ``python -m tests.browser.screenshots`` (needs Chromium and Pillow).

The deals are certified, and the table is played along its winning line.
"""

from __future__ import annotations

import io
import sys
import tempfile
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import ViewportSize, sync_playwright

from tests.browser.conftest import ARGUMENTS, ROOT, SOUND_ANSWERED, serve
from tests.browser.table_driver import Mouse, sign_up
from tests.requirements import CHROMIUM

OUT = ROOT / "docs" / "screenshots"
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
#: Share of the winning line played at the table.
SHARE = 0.6
#: Timeout in ms, generous for a busy machine.
PATIENCE_MS = 180_000


def save(page: Any, name: str) -> None:
    """Save a screenshot as a small WebP file."""
    image = import_module("PIL.Image")  # needed by no test, so Pillow is no dependency
    picture = image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.save(OUT / f"{name}-1440.webp", quality=74, method=6)


def take(page: Any, line: list[str]) -> None:
    """Play part of today's Tarot Solitaire as a new player, and save the table and the home page."""
    sign_up(page, "Ariadne")
    page.goto("/play/tarot/")
    page.click("text=Deal the cards")
    player = Mouse(page)
    player.start()
    for token in line[: round(SHARE * len(line))]:
        player.play(token)
        player.wait_played(over=True)
    page.wait_for_timeout(300)
    save(page, "tarot")
    page.goto("/")
    page.wait_for_load_state("networkidle")
    save(page, "home")


def main() -> int:
    """Take both screenshots on a temporary site."""
    with tempfile.TemporaryDirectory() as var, contextmanager(serve)(Path(var), certified=True) as site:
        line = site.control.ask("winning_lines")["tarot"]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            context = browser.new_context(base_url=site.url, viewport=VIEWPORT, reduced_motion="reduce")
            context.set_default_timeout(PATIENCE_MS)
            context.add_init_script(SOUND_ANSWERED)
            take(context.new_page(), line)
            browser.close()
    return 0


if __name__ == "__main__":
    if not CHROMIUM:
        pytest.exit("Chromium is missing")
    sys.exit(main())
