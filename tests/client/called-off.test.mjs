// A table that is not found: a race that has been called off says why itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";

const elements = new Map();
const element = () => ({ setAttribute() {}, dataset: {}, textContent: "", hidden: true });
const byId = (id) => elements.get(id) ?? elements.set(id, element()).get(id);
Object.assign(document, { getElementById: (id) => (id === "live" ? null : byId(id)), body: element() });
Object.assign(globalThis, { matchMedia: () => new EventTarget(), setTimeout: () => 0 });
const { receive } = await import("../../frontend/static/js/table/controller.js");
const { showConnection } = await import("../../frontend/static/js/table/hud/hud.js");
await import("../../frontend/static/js/table/hud/refusal-texts.js");

/** What a table says when it is not found and its connection is refused. */
async function said(dataset) {
  elements.clear();
  const state = { status: "playing", view: null, felt: { dataset }, host: { draw() {} }, pending: [], undone: [] };
  receive(state, null, { type: "error", code: "not_found" });
  showConnection("refused", state);
  await new Promise((resolve) => setImmediate(resolve));
  return [byId("notice"), byId("lost")].map(({ hidden }) => !hidden);
}

test("a race that is called off does not look like a lost game", async () => {
  assert.deepEqual(await said({ race: "1" }), [false, false]);
  assert.deepEqual(await said({}), [true, true]);
});
