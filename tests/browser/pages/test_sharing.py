"""Sharing on every page: cancelled, refused, and on a home network without https, where browsers offer neither way."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from tests.browser.conftest import PHONE, ROOT, Visit
from tests.browser.table_driver import give_up, practise

#: A device whose sharing and clipboard fail with the error of this name; "missing" as on http://.
_DEVICE = """
Object.assign(window, {sharing: "", clipboard: "", shared: 0, copied: []});
const attempt = (how, done) => how ? Promise.reject(new DOMException("no", how)) : Promise.resolve(done());
Object.defineProperty(Navigator.prototype, "share", {configurable: true,
  get: () => sharing === "missing" ? undefined : async () => { shared++; await attempt(sharing, () => {}); }});
Object.defineProperty(Navigator.prototype, "clipboard", {configurable: true,
  get: () => clipboard === "missing" ? undefined : {writeText: (text) => attempt(clipboard, () => copied.push(text))}});
"""
_SELECTED = "({activeElement: field}) => field.value?.slice(field.selectionStart, field.selectionEnd)"


def phone(visit: Visit) -> Any:
    page = visit(**PHONE, has_touch=True, is_mobile=True)
    page.add_init_script(_DEVICE)
    return page


def room(page: Any) -> tuple[Any, str]:
    page.goto("/races/")
    page.get_by_role("button", name="Open a room").click()
    page.wait_for_url(re.compile(r"/races/[0-9a-z]{10}/"))
    return page.locator("#invite [data-shares]"), page.url


def finished_game(page: Any) -> tuple[Any, str]:
    practise(page)
    give_up(page)
    page.wait_for_selector("#finish[open]")
    return page.locator("#finish #share"), "Talon · Labyrinth"


@pytest.mark.parametrize("show", [room, finished_game])
def test_a_text_can_be_shared_or_copied_whatever_the_device_says(
    visit: Visit, show: Callable[[Any], tuple[Any, str]]
) -> None:
    page = phone(visit)
    button, text = show(page)
    dialog = page.locator("dialog[open]", has=page.get_by_label("Text to share"))

    def press(sharing: str, clipboard: str) -> None:
        page.evaluate("moods => Object.assign(window, moods, {shared: 0, copied: []})", {
            "sharing": sharing, "clipboard": clipboard,
        })  # fmt: skip
        button.click()

    for quiet in ("AbortError", "InvalidStateError"):
        press(quiet, "")
        page.wait_for_function("() => shared === 1")
        sync_api.expect(button).to_have_text("Share")
        assert page.evaluate("copied") == []

    for no in ("NotAllowedError", "missing"):
        press(no, "")
        sync_api.expect(button).to_have_text("Copied")
        assert button.get_attribute("aria-live") == "polite"
        assert page.evaluate("copied")[0].startswith(text)
        button.click()  # once more while it says so
        sync_api.expect(button).to_have_text("Share")

    for no, denied in (("missing", "missing"), ("NotAllowedError", "NotAllowedError")):
        press(no, denied)
        sync_api.expect(dialog).to_be_visible()
        assert page.evaluate(_SELECTED, page.evaluate_handle("document")).startswith(text)
        dialog.get_by_role("button", name="Close").click()
        sync_api.expect(dialog).to_have_count(0)
        sync_api.expect(button).to_have_text("Share")


def test_one_module_shares_and_copies_for_all_pages() -> None:
    scripts: list[Path] = [*(ROOT / "frontend/static/js").rglob("*.js")]
    using = [path.name for path in scripts if re.search(r"navigator\.(?:share\(|clipboard)", path.read_text())]
    assert using == ["share.js"]
