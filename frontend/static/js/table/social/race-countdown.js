/** Countdown before a race's cards are dealt: a number over the empty felt, on the server's clock. */

import { callPlayer } from "../../shared/attention.js";
import { byId } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { say } from "../../shared/announcer.js";

/** @import { ServerClock } from "../../shared/server-clock.js" */

/** Seconds that are announced. */
const SPOKEN = new Set([10, 5, 3, 2, 1]);

export class Starting {
  #startsAt = 0;
  #longest = 1;
  #timer = 0;
  #second = /** @type {number|null} */ (null);

  /** @param {ServerClock} clock */
  constructor(clock) {
    this.clock = clock;
  }

  get waits() {
    return this.#startsAt > 0;
  }

  /** Starts the countdown to the deal. @param {{starts_in: number, now: number}} message */
  wait({ starts_in, now }) {
    if (!this.waits) {
      this.clock.heard(now);
      callPlayer(t("The race is starting"));
    }
    this.#startsAt = now + starts_in;
    this.#longest = Math.max(this.#longest, starts_in);
    byId("starting").hidden = false;
    document.body.dataset.starting = "";
    this.#show();
  }

  /** Ends the countdown, when the cards are dealt or will not come. */
  end() {
    if (!this.waits) return;
    clearTimeout(this.#timer);
    this.#startsAt = 0;
    delete document.body.dataset.starting;
    byId("starting").hidden = true;
  }

  #show() {
    clearTimeout(this.#timer);
    const left = Math.max(0, this.clock.until(this.#startsAt));
    const second = Math.ceil(left / 1000);
    if (second !== this.#second) this.#tell(second);
    byId("starting-ring").style.strokeDashoffset = String(1 - Math.max(0, left - 1000) / this.#longest);
    // Updated at every full second, since the clock may be corrected in the meantime.
    if (left > 0) this.#timer = window.setTimeout(() => this.#show(), left % 1000 || 1000);
  }

  /** @param {number} second */
  #tell(second) {
    const first = this.#second === null;
    this.#second = second;
    const number = byId("starting-number");
    number.textContent = second > 0 ? String(second) : "";
    number.dataset.tick = second % 2 ? "odd" : "even";
    byId("starting").classList.toggle("soon", second <= 3);
    if (second === 0) byId("starting-words").textContent = t("Dealing the cards…");
    if (first && second > 0) say(tn("The race starts in one second.", "The race starts in {n} seconds.", second));
    else if (SPOKEN.has(second)) say(String(second));
  }
}
