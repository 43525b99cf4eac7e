/** Playback of a replay, at an even pace or in the original timing, at any speed. */

import { motionReduced } from "../../site/settings.js";

/** Interval between moves at speed 1, in ms. */
const PACE = 620;
/** Interval between updates during playback, in ms. */
const TICK = 50;

export class Playback {
  speed = 1;
  /** True if it keeps the original timing. */
  real = false;
  #ms = 0;
  #timer = 0;
  #since = 0;

  /**
   * @param {number[]} clock when each move was made, in ms since the deal
   * @param {(at: number, ms: number|null) => void} show receives the number of moves made and, in the original timing,
   *   the time
   * @param {() => void} changed called when playback starts or stops
   */
  constructor(clock, show, changed) {
    this.clock = clock;
    this.show = show;
    this.changed = changed;
  }

  get running() {
    return this.#timer !== 0;
  }

  /** Continues after `at` moves. @param {number} at */
  seek(at) {
    this.#ms = this.#due(at);
  }

  start() {
    this.#since = performance.now();
    this.#timer = window.setInterval(() => this.#tick(), TICK);
    this.changed();
  }

  stop() {
    if (!this.running) return;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.changed();
  }

  #tick() {
    const now = performance.now();
    this.#ms += (now - this.#since) * this.speed;
    this.#since = now;
    const at = this.#reached();
    this.show(at, this.real ? Math.min(this.#ms, this.clock.at(-1) ?? 0) : null);
    if (at === this.clock.length) this.stop();
  }

  /** @param {number} at @returns {number} the playback time at which the first `at` moves have been made */
  #due(at) {
    if (at === 0) return 0;
    return this.real ? this.clock[at - 1] : at * PACE * (motionReduced() ? 2 : 1);
  }

  /** @returns {number} the number of moves made by now */
  #reached() {
    let [low, high] = [0, this.clock.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#due(middle) <= this.#ms) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
