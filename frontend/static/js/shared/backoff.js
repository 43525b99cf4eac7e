/** Exponential backoff with jitter for lost connections: waits grow, and clients do not retry all at once. */

const GROWTH = 1.8;
/** A connection open for this long, in ms, counts as stable. */
const STEADY_AFTER = 10000;
/** All clients of a stopping server reconnect within this time, in ms. */
const HANDED_OVER_WITHIN = 500;

/** Jitter: randomizes a wait by up to a quarter. @param {number} wait ms @returns {number} */
export const spread = (wait) => wait * (0.75 + Math.random() / 2);

export class Backoff {
  #wait;
  #steady = 0;

  /** @param {number} first ms @param {number} longest ms */
  constructor(first, longest) {
    this.first = first;
    this.longest = longest;
    this.#wait = first;
  }

  /** Notes an open connection; once it is stable, the wait is reset. */
  stands() {
    this.#steady ||= window.setTimeout(() => this.reset(), STEADY_AFTER);
  }

  /** Notes a lost connection. @returns {number} ms to wait */
  lost() {
    clearTimeout(this.#steady);
    this.#steady = 0;
    const wait = this.#wait;
    this.#wait = Math.min(wait * GROWTH, this.longest);
    return spread(wait);
  }

  /** Notes an orderly shutdown with a successor already running. @returns {number} ms to wait: short and random */
  handedOver() {
    this.lost();
    this.reset();
    return Math.random() * HANDED_OVER_WITHIN;
  }

  reset() {
    this.#wait = this.first;
  }
}
