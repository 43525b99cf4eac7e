/**
 * The time until the next deals, and the reload that shows them. It goes by the server's clock, which the page was
 * written at, and pages that are open at midnight reload spread over a while.
 */

import { t } from "./i18n.js";
import { momentText } from "./moments.js";

/** The pages reload at a random moment of this time after the new deals have come, in ms. */
const SPREAD = 120000;
/** A moment for the deals to be there, in ms. */
const GRACE = 2000;
/** Where a tab keeps the end that it has reloaded for. */
const RELOADED = "talon.reloaded";

/** @param {number} n */
const two = (n) => String(n).padStart(2, "0");

class Countdown {
  /** How far the server's clock is ahead of this one's, in ms. */
  #ahead;
  #end;
  #reloadAt;
  #figure;

  /** @param {HTMLElement} box */
  constructor(box) {
    const { countdown = "", now = "" } = box.dataset;
    this.#ahead = new Date(now).getTime() - Date.now();
    this.#end = new Date(countdown).getTime();
    this.#reloadAt = this.#end + GRACE + Math.random() * SPREAD;
    this.#figure = box.querySelector("b");
    const local = box.querySelector(".local");
    if (local) local.textContent = t("at {time}", { time: momentText(this.#end) });
    this.#tick();
    setInterval(() => this.#tick(), 1000);
  }

  #tick() {
    const now = Date.now() + this.#ahead;
    const left = Math.max(0, Math.ceil((this.#end - now) / 1000));
    if (this.#figure)
      this.#figure.textContent = `${Math.floor(left / 3600)}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
    if (now >= this.#reloadAt) this.#reload();
  }

  /** Once for every end: should the page come back with the same one, it stays as it is. */
  #reload() {
    this.#reloadAt = Infinity;
    try {
      if (sessionStorage.getItem(RELOADED) === String(this.#end)) return;
      sessionStorage.setItem(RELOADED, String(this.#end));
    } catch {
      return; // Without a memory the page can't tell that it has been here before.
    }
    location.reload();
  }
}

for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-countdown]")))
  new Countdown(box);
