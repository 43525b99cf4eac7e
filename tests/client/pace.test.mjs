// The pace beside another player, at equal cards up.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";

globalThis.talonCatalogue = { point: ",", plural: (n) => Number(n !== 1), texts: {} };
const { Pace, leadTexts, spanText } = await import("../../frontend/static/js/table/social/pace.js");

/** The pace beside a game with a number of cards up at each of these times. */
const beside = (points) => new Pace({ name: "", points: Object.entries(points).map(([ms, up]) => [Number(ms), up]) });

test("times are compared at equal cards up", () => {
  const pace = beside({ 0: 4, 5000: 5, 9000: 7, 20000: 10 });
  pace.note(100, 4, true);
  assert.equal(pace.difference(1000, 4), 0);
  pace.note(3000, 5);
  assert.deepEqual(
    [3500, 8500, 12000].map((ms) => pace.difference(ms, 5)),
    [2000, 500, -3000],
  );
  pace.note(12000, 8);
  assert.equal(pace.difference(12000, 8), 8000);
  assert.equal(pace.difference(12000, 11), Infinity, "the other never came so far");
  assert.equal(pace.cardsAt(8000), 5);
});

test("a game already under way has no first time", () => {
  const pace = beside({ 0: 0, 4000: 2 });
  pace.note(3000, 1);
  assert.deepEqual([pace.difference(3000, 1), pace.difference(6000, 1)], [null, -2000]);
});

test("the shown lead follows smoothly", () => {
  const pace = beside({ 0: 0, 10000: 1 });
  pace.note(0, 0, true);
  pace.smoothed(0, 0);
  pace.note(1000, 1);
  const first = pace.smoothed(1000, 1);
  assert.ok(first > 0 && first < pace.smoothed(2000, 1));
  assert.ok(pace.smoothed(60000, 1) > 8900);
});

test("spans are short, with the language's decimal point", () => {
  assert.deepEqual([spanText(-72400, false), spanText(4230, true), spanText(4230, false)], ["1:12", "4,2 s", "4 s"]);
});

test("a lead that rounds to nothing is level", () => {
  assert.deepEqual(leadTexts(-40, true, "Rex"), ["±0", "Level with Rex"]);
  assert.deepEqual(leadTexts(400, false, "Rex"), ["±0", "Level with Rex"]);
  assert.deepEqual(leadTexts(-400, true, "Rex"), ["−0,4 s", "0,4 s behind Rex"]);
});
