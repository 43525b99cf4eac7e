/**
 * The server's clock. It is counted on this machine's monotonic clock, which nobody sets, and how far the two are apart
 * is taken from the ping with the least round trip of the last five.
 */

const KEPT = 5;

export class ServerClock {
  /** @type {{trip: number, ahead: number}[]} */ #samples = [];
  #guess = Date.now() - performance.now();

  /** A frame says what time it was when it left: good enough until a ping has come back. @param {number} now */
  heard(now) {
    this.#guess = now - performance.now();
  }

  /** A ping has come back. @param {{t: number, now: number}} pong its `t` is `performance.now()` when it left */
  answered({ t, now }) {
    const arrived = performance.now();
    const trip = Math.max(0, arrived - t);
    this.#samples = [...this.#samples.slice(1 - KEPT), { trip, ahead: now + trip / 2 - arrived }];
  }

  /** @returns {number} ms since 1970 at the server */
  now() {
    return performance.now() + this.#ahead;
  }

  /** @param {number} at ms since 1970 @returns {number} ms until then; negative when it is past */
  until(at) {
    return at - this.now();
  }

  get #ahead() {
    if (this.#samples.length === 0) return this.#guess;
    return this.#samples.reduce((best, sample) => (sample.trip < best.trip ? sample : best)).ahead;
  }
}
