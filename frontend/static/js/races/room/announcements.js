/** Screen-reader announcements of a race page: places at most every ten seconds, everything else at once. */

import { part } from "../../shared/dom.js";

const EVERY = 10000;

export class Herald {
  #last = 0;
  #waiting = 0;
  #text = "";
  #said = "";

  /** @param {HTMLElement} region with aria-live */
  constructor(region) {
    this.region = region;
  }

  /** Announces a text now; the places wait, so that they don't replace it. @param {string} text */
  say(text) {
    // A new node is read out even if the words are the same as before.
    if (!text) return;
    this.#last = performance.now();
    this.region.replaceChildren(part("p", "", text));
  }

  /** Announces the places, at most once in ten seconds. @param {string} text */
  standing(text) {
    this.#text = text;
    if (this.#waiting || !text || text === this.#said) return;
    const wait = Math.max(0, this.#last + EVERY - performance.now());
    this.#waiting = window.setTimeout(() => this.#speak(), wait);
  }

  #speak() {
    this.#waiting = 0;
    if (this.#text === this.#said) return;
    this.#said = this.#text;
    this.say(this.#text);
  }
}
