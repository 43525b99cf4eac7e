"""The end of a game in the browser: the celebration, which a key ends, and the end panel."""

from __future__ import annotations

import json
import re
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from games.rules import CATALOGUE, Record
from tests.browser.conftest import MOVING, PHONE, ROOT, Visit
from tests.browser.pages.test_every_page import faults
from tests.browser.table_driver import give_up, practise, start_game, won_record

#: Acts the last scene of every view on every screen; returns each card, and how it looks at start, middle and end.
_ACT = """
import {readFileSync} from "node:fs";
Object.assign(globalThis, {document: {documentElement: {dataset: {}}}, matchMedia: () => ({addEventListener() {}})});
const [drawing, views, sizes] = JSON.parse(readFileSync(0, "utf8"));
const {LENGTH, scene} = await import(`${drawing}/celebration-scenes.js`);
const {layout} = await import(`${drawing}/layout.js`);
const act = (view, width, height) => {
  const table = layout(view, width, height, false);
  return scene(view, table, {width, height}).map(({code, path}) => [code, ...[0, LENGTH / 2, LENGTH].map(ms => {
    const {x, y, opacity} = path(ms);
    const isOutside = Math.max(-x - table.h, x - width, y - height) > 0;
    return opacity === 0 || isOutside ? "hidden" : opacity === 1 ? "shown" : "fading";
  })]);
};
process.stdout.write(JSON.stringify(views.map(view => sizes.map(size => act(view, ...size)))));
"""
CAST = {"braid": {20}, "labyrinth": {40}, "tarot": {22}, "plot": {48}, "stonewall": set(range(40, 53))}


@pytest.mark.needs("node")
def test_every_variant_has_a_last_scene_that_leaves_no_card() -> None:
    views = []
    for variant in CATALOGUE:
        record = Record.from_json(won_record(variant))
        table = record.open_table()
        for token in record.tokens:
            table.push(token)
        views.append(table.view())
    sizes = [(1400, 760), (380, 690), (700, 330), (2500, 1280)]
    arguments = json.dumps([(ROOT / "frontend/static/js/table/drawing").as_uri(), views, sizes])
    node = ["node", "--input-type=module", "-e", _ACT]
    done = subprocess.run(node, input=arguments, capture_output=True, text=True, check=True)
    for view, scenes in zip(views, json.loads(done.stdout), strict=True):
        for size, scene in zip(sizes, scenes, strict=True):
            assert len(scene) in CAST[view["game"]], (view["game"], size)
            assert {tuple(looks) for _, *looks in scene} == {("hidden", "shown", "hidden")}, (view["game"], size)
            assert view["game"] != "tarot" or {code for code, *_ in scene} == {f"M{number}" for number in range(22)}


def test_a_key_ends_the_celebration_and_the_panel_reopens(visit: Visit) -> None:
    page = visit("/play/labyrinth/", **PHONE, **MOVING, fresh=True)
    player, tokens = start_game(page), won_record("labyrinth")["tokens"]
    player.play_elsewhere(tokens[:-1])
    page.clock.install()
    page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))
    player.play(tokens[-1])
    player.wait_played(over=True)
    page.wait_for_selector(".celebration", state="attached")
    page.clock.run_for(1_000)
    assert page.locator(".celebration .card").count() == 40  # the labyrinth's five rows
    assert page.is_hidden("#finish")
    page.keyboard.press("x")
    page.clock.run_for(50)
    page.wait_for_selector("#finish[open]")
    page.clock.resume()
    assert page.locator(".celebration").count() == 0
    assert page.evaluate("document.activeElement.id") == "finish-title"
    page.wait_for_selector("#finish-main #finish-account")
    # A game won this fast is under review, and counts as played for its player.
    page.wait_for_selector("#finish-after .today:has-text('1 of 9 played today')")
    assert faults(page, colours_only=False) == []
    page.focus("#finish-more")
    page.keyboard.press("Enter")
    assert page.is_visible("#finish-menu #finish-next")
    page.keyboard.press("Enter")
    assert page.is_hidden("#finish-next")
    page.click("#finish-close")
    page.click("#finish-open")
    assert page.is_visible("#finish-account")
    page.reload()  # a reloaded table shows the same
    page.wait_for_selector("#finish[open] #finish-account")
    assert page.text_content("#finish-title") == "Your first Labyrinth win"
    assert page.locator(".celebration").count() == 0


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844), (844, 390)])
def test_headline_and_main_button_need_no_scrolling(visit: Visit, width: int, height: int) -> None:
    page = visit("/play/labyrinth/", width=width, height=height)
    start_game(page)
    give_up(page)
    page.wait_for_selector("#finish[open] #finish-next")
    assert re.fullmatch(r"\d+ of 52 cards up", page.text_content("#finish-title"))
    assert "you can see where it went wrong" in page.text_content("#finish-main")
    for selector in ("#finish-title", "#finish-next", "#finish-more"):
        box = page.locator(selector).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= height
    tops = page.locator("#finish-actions > *").evaluate_all("all => all.map(one => one.getBoundingClientRect().top)")
    assert len(set(tops)) == 1
    assert page.locator("#finish .button:visible:not(.secondary)").count() == 1


def test_a_lost_practice_game_leads_to_its_analysis(visit: Visit) -> None:
    page = visit()
    player = practise(page)
    player.play("d")
    player.wait_played()
    with page.expect_response(lambda response: response.url.endswith("/hint") and response.status == 200):
        page.click("#hint")
    give_up(page)
    page.wait_for_selector("#finish[open] #finish-how:has-text('with hints')")
    with page.expect_request(lambda request: "/analysis" in request.url and request.method == "POST"):
        page.click("#finish-lost")
