// The client's connection by itself: what it makes of close codes, silence and signals.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { advance, dispatch, sockets } from "./page.mjs";
import { Backoff } from "../../frontend/static/js/shared/backoff.js";
import { Connection } from "../../frontend/static/js/shared/connection.js";

const SIGNALS = ["online", "focus", "click", "keydown"];
const statuses = [];
let connection;

const last = () => sockets.at(-1);
const state = () => [sockets.length, statuses.at(-1)];

function arrives() {
  last().opens();
  last().says({ type: "view" });
}

beforeEach(() => {
  sockets.length = statuses.length = 0;
  connection = new Connection("/ws/play/1/", {
    hello: () => ({ type: "hello" }),
    message: () => {},
    status: (status) => statuses.push(status),
  });
  arrives();
});
afterEach(() => {
  connection.close();
  document.hidden = false;
});

for (const [code, status] of [
  [4400, "refused"],
  [4401, "signed-out"],
  [4403, "refused"],
  [4404, "refused"],
  [4406, "refused"],
  [4410, "refused"],
])
  test(`the final code ${code} ends the connection`, () => {
    last().ends(code);
    assert.deepEqual(state(), [1, status]);
    advance(60_000);
    SIGNALS.forEach(dispatch);
    assert.deepEqual(state(), [1, status]);
  });

for (const [code, status] of [
  [1006, "lost"],
  [1011, "lost"],
  [1013, "lost"],
  [4303, "waiting"],
  [4301, "lost"],
  [4308, "lost"],
  [4408, "lost"],
  [4409, "crowded"],
  [4429, "crowded"],
])
  test(`the code ${code} is retried`, () => {
    last().ends(code);
    assert.deepEqual(state(), [1, status]);
    advance(1_100);
    assert.equal(sockets.length, 2);
  });

/** Loses nine connections in a row. @param {number} code @returns {number[]} the waits before the next ones, in ms */
function waitsAfter(code) {
  const waits = [];
  for (let k = 0; k < 9; k++) {
    last().opens();
    last().ends(code);
    const count = sockets.length;
    let waited = 0;
    while (sockets.length === count && waited < 20_000) {
      advance(200);
      waited += 200;
    }
    waits.push(waited);
  }
  return waits;
}

test("a page in view comes back soon after any outage, a hidden one in its own time", () => {
  assert.equal(Math.max(...waitsAfter(1006)), 2000);
  document.hidden = true;
  assert.equal(Math.max(...waitsAfter(1006)), 15_000);
});

test("a crowded server is asked ever more slowly", () => {
  const waits = waitsAfter(4409);
  assert.deepEqual(
    waits,
    waits.toSorted((one, other) => one - other),
  );
  assert.deepEqual([waits[0], waits.at(-1)], [400, 15_000]);
});

test("a replaced page takes its place back only when used", () => {
  last().ends(4411);
  advance(60_000);
  dispatch("online");
  assert.deepEqual(state(), [1, "replaced"], "two pages would fight");
  for (const [n, signal] of ["focus", "click", "keydown"].entries()) {
    dispatch(signal);
    assert.deepEqual(state(), [n + 2, "connecting"]);
    arrives();
    last().ends(4411);
  }
  dispatch("visibilitychange");
  assert.equal(sockets.length, 5);
});

for (const signal of ["online", "visibilitychange"])
  test(`a page woken by ${signal} gives a silent connection two seconds`, () => {
    dispatch(signal);
    assert.deepEqual(last().sent, ["hello", "ping"]);
    last().says({ type: "pong" });
    advance(2_100);
    assert.deepEqual(state(), [1, "open"]);
    dispatch(signal);
    advance(1_900);
    assert.deepEqual(state(), [1, "open"]);
    advance(200);
    assert.deepEqual(state(), [2, "connecting"]);
    advance(100);
    dispatch(signal); // while it is being opened
    advance(2_100);
    assert.equal(sockets.length, 3);
    last().ends(1006);
    dispatch(signal); // while it waits
    assert.equal(sockets.length, 4);
  });

test("a silent connection is lost within eight seconds", () => {
  advance(4_100);
  assert.deepEqual(last().sent, ["hello", "ping"]);
  advance(3_300);
  assert.deepEqual(state(), [1, "open"]);
  advance(200);
  assert.deepEqual(state(), [1, "lost"]);
  advance(500);
  assert.deepEqual(state(), [2, "connecting"]);
});

test("a slow network gets longer to open and to answer", () => {
  last().ends(1006);
  advance(500);
  assert.equal(sockets.length, 2);
  advance(2_000);
  assert.equal(statuses.at(-1), "lost");
  advance(800);
  assert.equal(sockets.length, 3);
  advance(3_000);
  arrives();
  advance(4_000);
  assert.deepEqual(last().sent, ["hello", "ping"]);
  advance(5_500);
  assert.deepEqual(state(), [3, "open"]);
  advance(1_500);
  assert.notEqual(statuses.at(-1), "open");
});

test("a closed connection listens to nothing", (context) => {
  const signals = [];
  for (const target of [globalThis, document]) {
    const add = target.addEventListener;
    context.mock.method(target, "addEventListener", (type, listener, options) => {
      signals.push(options?.signal);
      add.call(target, type, listener, options);
    });
  }
  new Connection("/ws/play/2/", { hello: () => ({}), message: () => {}, status: () => {} }).close();
  assert.ok(signals.length);
  assert.ok(signals.every((signal) => signal?.aborted));
  sockets.length = 1;
  statuses.length = 0;
  connection.close();
  [...SIGNALS, "visibilitychange"].forEach(dispatch);
  last().ends(1006);
  advance(60_000);
  assert.deepEqual([sockets.length, statuses, last().readyState], [1, [], 3]);
});

test("retries slow down until a connection lasts", () => {
  const backoff = new Backoff(100, 1000);
  const waits = Array.from({ length: 7 }, () => {
    backoff.stands();
    return Math.round(backoff.lost());
  });
  assert.deepEqual(waits, [100, 180, 324, 583, 1000, 1000, 1000]);
  backoff.stands();
  advance(20_000);
  assert.equal(backoff.lost(), 100);
});
