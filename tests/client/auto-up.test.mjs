// The time before an automatic move.
import assert from "node:assert/strict";
import { test } from "node:test";
import { advance } from "./page.mjs";

globalThis.matchMedia = () => new EventTarget();
globalThis.talonCatalogue = {
  point: ",",
  plural: (n) => Number(n !== 1),
  texts: {},
};
const { settings } = await import("../../frontend/static/js/site/settings.js");
const { moveUpLater } = await import("../../frontend/static/js/table/state/auto-up.js");

const slots = [0, 3, 20].map((x, n) => ({ pile: `t${n}`, x: 100 * x, y: 0 }));

/** The ms after a move from t0 until the card of a pile moves up. */
function waited(pile, line = "t0-f") {
  settings.auto_up = "safe";
  const state = {
    ...{
      n: 1,
      undone: [],
      pending: [],
      safe: [`${pile}-f`],
      layout: { w: 100, slots },
    },
    felt: { dataset: { autoPace: "450 1100" } },
  };
  const played = [];
  moveUpLater(state, { play: (token) => played.push(token), playOut: () => {} }, line);
  for (let ms = 0; ms <= 1200; ms += 5) {
    if (played.length > 0) return ms;
    advance(5);
  }
  return Infinity;
}

test("the farther a card lies from the last, the later it moves, within the range", () => {
  for (let n = 0; n < 20; n++) {
    const [same, near, far] = ["t0", "t1", "t2"].map((pile) => waited(pile));
    assert.ok(450 <= same && same < near && near < far && far <= 1105, `${same} ${near} ${far}`);
  }
});

test("after an undo, no card moves", () => assert.equal(waited("t1", "u"), Infinity));
