/** Estimate of the server's clock: page time, with an offset from the ping with the shortest round trip of the last. */

import { pageTime } from "./clock.js";

const SAMPLES = 5;

export class ServerClock {
  /** @type {{trip: number, ahead: number}[]} */ #samples = [];
  #guess = Date.now() - pageTime();

  /** Notes the time in a frame as an estimate until the first pong. @param {number} now */
  heard(now) {
    this.#guess = now - pageTime();
  }

  /** Notes a pong. @param {{t: number, now: number}} pong its `t` is the page time when the ping was sent */
  answered({ t, now }) {
    const arrived = pageTime();
    const trip = Math.max(0, arrived - t);
    this.#samples = [...this.#samples.slice(1 - SAMPLES), { trip, ahead: now + trip / 2 - arrived }];
  }

  /** Turns the pongs into an estimate until the next one: this page's clock may have jumped since. */
  reset() {
    this.#guess = this.#ahead;
    this.#samples = [];
  }

  /** @returns {number} ms since 1970 at the server */
  now() {
    return pageTime() + this.#ahead;
  }

  /** @param {number} at ms since 1970 @returns {number} ms until then; negative if it is past */
  until(at) {
    return at - this.now();
  }

  get #ahead() {
    if (this.#samples.length === 0) return this.#guess;
    return this.#samples.reduce((best, sample) => (sample.trip < best.trip ? sample : best)).ahead;
  }
}
