/**
 * Estimate of the server's clock. It runs on this machine's monotonic clock, which is never adjusted, with an offset
 * from the ping with the shortest round trip of the last five.
 */

const KEPT = 5;

export class ServerClock {
  /** @type {{trip: number, ahead: number}[]} */ #samples = [];
  #guess = Date.now() - performance.now();

  /** Notes the time in a frame as an estimate until the first pong. @param {number} now */
  heard(now) {
    this.#guess = now - performance.now();
  }

  /** Notes a pong. @param {{t: number, now: number}} pong its `t` is `performance.now()` when the ping was sent */
  answered({ t, now }) {
    const arrived = performance.now();
    const trip = Math.max(0, arrived - t);
    this.#samples = [...this.#samples.slice(1 - KEPT), { trip, ahead: now + trip / 2 - arrived }];
  }

  /** @returns {number} ms since 1970 at the server */
  now() {
    return performance.now() + this.#ahead;
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
