// The room of a heat: it has one race, and a seat for everyone.
import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.mjs";

const elements = new Map();
function element() {
  const box = { dataset: {}, textContent: "", hidden: true, children: [], classList: { toggle() {} } };
  const append = (...content) => box.children.push(...content);
  const toggleAttribute = (_, on) => (box.hidden = on);
  return Object.assign(box, { append, replaceChildren: append, toggleAttribute, contains() {}, setAttribute() {}, addEventListener() {} });
}
const byId = (id) => elements.get(id) ?? elements.set(id, element()).get(id);
const none = (id) => id === "live" || id === "commitment-short";
Object.assign(document, {
  getElementById: (id) => (none(id) ? null : byId(id)),
  createElement: element,
  querySelector: () => null,
  querySelectorAll: () => [],
  activeElement: null,
});
Object.assign(globalThis, { matchMedia: () => new EventTarget(), Image: element, setInterval: () => 0 });
const { seatsText } = await import("../../frontend/static/js/races/room/heading.js");
const { Seats } = await import("../../frontend/static/js/races/room/seats.js");
const { Stage } = await import("../../frontend/static/js/races/room/stage.js");

const seat = { entrant: 1, name: "Rex", player: null, rating: null, avatar: "" };
const race = { number: 1, game: "plot", seats: [seat], lanes: [[1, 0, 0, "ready", false, null, null]] };
const HEAT = { kind: "heat", seats: 1024, to_come: null, running: null, last: null };
const socket = (room) => ({
  room: { ...HEAT, ...room },
  you: { to_come: null, running: null, table: null, answer_by: null },
  clock: { until: () => 0 },
  at: () => null,
});

test("the players are counted, not the seats", () => {
  const room = { ...HEAT, to_come: race };
  assert.equal(seatsText(room, race), "1 player here");
  new Seats(socket(room)).show();
  assert.deepEqual(byId("seats").children.map(({ dataset }) => dataset.key), ["1"]);
  assert.equal(seatsText({ kind: "public", seats: 4 }, race), "4 seats");
});

/** The sentence of a room that a visitor sees, and whether it offers the next race. */
function seen(room) {
  new Stage(socket(room), null, true).show();
  return [byId("stage-text").textContent, !byId("next-race").hidden];
}

test("after the race, the room leads to the next one", () => {
  assert.deepEqual(seen({ to_come: { ...race, state: "open" } }), ["Join this race", false]);
  assert.deepEqual(seen({ running: { ...race, state: "racing" } }), ["A race is on", false]);
  assert.deepEqual(seen({ last: { ...race, state: "finished" } }), ["The race is over", true]);
  assert.deepEqual(seen({ last: { ...race, state: "void" } }), ["This race didn't take place", true]);
});
