"""The celebration of a win: how the cards move, in every game and on every screen."""

from __future__ import annotations

import json
import subprocess

import pytest

from games.rules import CATALOGUE, Record
from tests.browser.table_driver import won_record
from tests.control import ROOT

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
