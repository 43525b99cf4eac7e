/** How long to wait before a lost connection is tried again: longer every time, and never all clients at once. */

const GROWTH = 1.8;
/** A connection that has stood this long, in ms, was a good one. */
const STEADY_AFTER = 10000;
/** All clients of a server that stops come back within this time, in ms. */
const HANDED_OVER_WITHIN = 500;

/** Makes the same wait differ between clients. @param {number} wait ms @returns {number} */
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

  /** The connection stands; when it has for a while, the next wait is a short one. */
  stands() {
    this.#steady ||= window.setTimeout(() => this.reset(), STEADY_AFTER);
  }

  /** The connection is lost. @returns {number} ms to wait */
  lost() {
    clearTimeout(this.#steady);
    this.#steady = 0;
    const wait = this.#wait;
    this.#wait = Math.min(wait * GROWTH, this.longest);
    return spread(wait);
  }

  /** The server stops in order, and another is there. @returns {number} ms to wait: little, yet not the same for all */
  handedOver() {
    this.lost();
    this.reset();
    return Math.random() * HANDED_OVER_WITHIN;
  }

  reset() {
    this.#wait = this.first;
  }
}
