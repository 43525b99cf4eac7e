/** Playback of moves that play by themselves. */

import { motionReduced } from "../../site/settings.js";

/** @import { Step } from "./open-table.js" */

export class Playback {
  /** @type {Step[]} */ #queue = [];
  #timer = 0;
  #next = () => {};

  /** True while steps are still to come. */
  get running() {
    return this.#queue.length > 0;
  }

  /**
   * Shows steps one after another, the first at once.
   * @param {Step[]} steps @param {number} pace ms between two steps @param {(step: Step) => void} show
   * @param {() => void} done called after the last one
   */
  run(steps, pace, show, done) {
    clearTimeout(this.#timer);
    this.#queue = [...steps];
    this.#next = () => {
      const step = this.#queue.shift();
      if (step) show(step);
      if (this.running) this.#timer = window.setTimeout(this.#next, motionReduced() ? 0 : pace);
      else done();
    };
    this.#next();
  }

  /** Shows the last step at once. */
  skip() {
    clearTimeout(this.#timer);
    this.#queue.splice(0, this.#queue.length - 1);
    this.#next();
  }
}
