"""The client as in production: bundled, hashed, compressed, loaded in parts; and as `make run` serves it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import PATIENCE_MS, PHONE, Site, copied, noted_errors
from tests.browser.table_driver import Mouse, start_game, won_record

#: Names of style sheets and scripts without hashes and without language catalogues.
LOADED = """() => performance.getEntriesByType("resource")
  .map(({ name }) => name.match(/\\/([\\w.-]+?)\\.[0-9a-f]{12}\\.(js|css)$/)).filter(Boolean)
  .map(([, name, kind]) => `${name}.${kind}`)"""
#: Most KiB over the wire until a table's first cards.
FIRST_LOAD_KIB = 54.0


@pytest.fixture
def context(chromium: Any, site: Site, complaints: list[str]) -> Iterator[Any]:
    """A browser with an empty cache that keeps no other copies."""
    context = chromium.new_context(base_url=site.url, viewport=PHONE, service_workers="block")
    context.set_default_timeout(PATIENCE_MS)
    with noted_errors(context, complaints):
        yield context
    context.close()


#: Records when an element is first drawn, and the `Intl` objects created until then.
WATCH = """drawing => {
  window.early = [];
  const watch = (of, name) => {
    const plain = of[name];
    of[name] = new Proxy(plain, {
      apply(...args) { if (!window.drawn) early.push(name); return Reflect.apply(...args); },
      construct(...args) { if (!window.drawn) early.push(name); return Reflect.construct(...args); },
    });
  };
  for (const name of ["NumberFormat", "DateTimeFormat", "PluralRules", "Collator"]) watch(Intl, name);
  watch(Number.prototype, "toLocaleString");
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) watch(Date.prototype, name);
  new MutationObserver((_, all) => {
    if (!document.querySelector(drawing)) return;
    all.disconnect();
    requestAnimationFrame(() => { window.drawn = performance.now(); });
  }).observe(document, {childList: true, subtree: true});
}"""


def deal(page: Any, path: str) -> Mouse:
    page.goto(path)
    return start_game(page)


def wait_loaded(page: Any, *names: str) -> None:
    page.wait_for_function(
        f"names => {{ const all = ({LOADED})(); return names.every(n => all.includes(n)); }}", arg=names
    )


def test_the_table_works_from_the_sources(chromium: Any, prepared: Path, tmp_path: Path, complaints: list[str]) -> None:
    with contextmanager(copied)(prepared, tmp_path, collected=False) as site:
        context = chromium.new_context(base_url=site.url, reduced_motion="reduce")
        page = context.new_page()
        with noted_errors(context, complaints):
            player = deal(page, "/play/labyrinth/")
            player.play(won_record("labyrinth")["tokens"][0])
            player.wait_played()
        loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
        assert f"{site.url}/static/js/table/state/socket.js" in loaded
        context.close()


def test_the_first_load_of_a_daily_table_is_small_and_draws_cards_first(context: Any, chromium: Any) -> None:
    played = context.new_page()
    deal(played, "/play/tarot/")  # the larger deck
    cold = chromium.new_context(storage_state=context.storage_state(), viewport=PHONE, service_workers="block")
    page = cold.new_page()
    page.add_init_script(f"({WATCH})('#felt .card svg *')")
    session = cold.new_cdp_session(page)
    session.send("Network.enable")
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(played.url)
    page.wait_for_selector("#felt .card svg *")
    page.wait_for_load_state("networkidle")
    wait_loaded(page, "daily-players.late.js")
    assert sorted(page.evaluate(LOADED)) == ["at-table.css", "daily-players.late.js", "main.js", "theme.js"]
    assert sum(sizes) / 1024 <= FIRST_LOAD_KIB
    moment = page.evaluate("""performance.getEntriesByType("resource")
      .find(({ name }) => name.includes("/daily-players.late.")).startTime - drawn""")
    assert moment >= 0
    assert page.evaluate("early") == []
    cold.close()


def test_sounds_and_the_end_panel_are_loaded_in_advance(context: Any) -> None:
    page = context.new_page()
    page.add_init_script("localStorage.setItem('talon.settings', JSON.stringify({sound: true}))")
    player, tokens = deal(page, "/play/labyrinth/"), won_record("labyrinth")["tokens"]
    assert not {"finish.late.js", "finish.css", "tones.late.js"} & set(page.evaluate(LOADED))
    player.play(tokens[0])
    player.wait_played()
    wait_loaded(page, "finish.late.js", "finish.css", "tones.late.js")
    player.play_elsewhere(tokens[1:-1])
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    page.evaluate(WATCH, ".celebration .card")
    player.play(tokens[-1])
    page.wait_for_selector(".celebration .card", state="attached")
    page.wait_for_selector("#finish[open] #finish-account")
    assert not [url for url in urls if "/static/js/" in url or "/static/css/" in url]
    assert page.evaluate("window.drawn !== undefined && early") == []


def test_explanations_hint_and_guide_are_loaded_on_demand(context: Any) -> None:
    page = context.new_page()
    page.goto("/rules/stonewall/")
    page.click("text=Play a first game")
    page.wait_for_selector("#guide-say b:has-text('Try')")
    wait_loaded(page, "guide.late.js", "guide.css", "hint.late.js")
    others = {"refusal-texts.late.js", "dialogs.late.js", "command-line.late.js", "peek.late.js"}
    assert not others & set(page.evaluate(LOADED))
    page.evaluate("document.querySelector('#felt .card:not(.movable):not(.down)').focus()")
    page.keyboard.press("f")
    page.wait_for_selector("#notice:not(:empty)")
    wait_loaded(page, "refusal-texts.late.js")
    token = json.loads(page.text_content("#guide-data"))["steps"][0]["token"]
    answer = json.dumps({"state": "answered", "token": token, "why": "way"})
    page.route("**/hint", lambda route: route.fulfill(body=answer, content_type="application/json"))
    page.click("#hint")
    page.wait_for_selector("#notice:has-text('Hint:')")
    page.route("**/can-win", lambda route: route.fulfill(body='{"state": "looking"}', content_type="application/json"))
    page.click("[data-opens=more-dialog]")
    page.click("#can-win")
    page.wait_for_selector("#hint-close:has-text('Stop searching')")
