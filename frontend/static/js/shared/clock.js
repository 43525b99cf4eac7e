/**
 * Clocks of a page, and the moments at which they and the rest of the page may be out of date.
 *
 * While a machine sleeps, `performance.now()` may stand still. A system clock set forward looks the same from here, so
 * the callbacks of `onWake` ask the server, which has the last word.
 */

/** Difference between the steps of both clocks that counts as a sleep, in ms. */
const JUMP = 1000;
/** Interval of the comparison, and its delay after which a visible page must have been suspended, in ms. */
const [TICK, GAP] = [500, 5000];

const difference = () => Date.now() - performance.now();

let offset = difference();
let slept = 0;
let tickedAt = performance.now();
/** @type {Set<() => void>} */
const callbacks = new Set();
const wake = () => callbacks.forEach((callback) => callback());

/** Monotonic time that includes the machine's sleep. @returns {number} ms */
export function pageTime() {
  const jump = difference() - offset;
  if (Math.abs(jump) > JUMP) {
    offset += jump;
    slept += Math.max(0, jump);
    wake();
  }
  return performance.now() + slept;
}

/**
 * Calls back whenever the page may have missed something: it is seen again, restored, back on the network, or was
 * suspended, or the system clock was set.
 * @param {() => void} callback @returns {() => void} ends it
 */
export function onWake(callback) {
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

setInterval(() => {
  const gap = performance.now() - tickedAt;
  tickedAt += gap;
  pageTime();
  if (gap > GAP && !document.hidden) wake();
}, TICK);
document.addEventListener("visibilitychange", () => document.hidden || wake());
addEventListener("pageshow", (event) => event.persisted && wake());
addEventListener("online", wake);
