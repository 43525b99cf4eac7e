/** What a race's page says to those who do not see it: places at most every ten seconds, the rest at once. */

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

  /** Says it now. @param {string} text */
  say(text) {
    // A fresh node is read even where the words are the same as before.
    if (text) this.region.replaceChildren(Object.assign(document.createElement("p"), { textContent: text }));
  }

  /** Says where the race stands, when ten seconds have passed since it was said last. @param {string} text */
  standing(text) {
    this.#text = text;
    if (this.#waiting || !text || text === this.#said) return;
    const wait = Math.max(0, this.#last + EVERY - performance.now());
    this.#waiting = window.setTimeout(() => this.#speak(), wait);
  }

  #speak() {
    this.#waiting = 0;
    if (this.#text === this.#said) return;
    this.#last = performance.now();
    this.#said = this.#text;
    this.say(this.#text);
  }
}
