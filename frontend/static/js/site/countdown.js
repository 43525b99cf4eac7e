/**
 * Countdown to the next deals, and the reload that shows them. It uses the server's clock, from the time in the page.
 * Pages open at midnight reload at random moments to spread the load.
 */

import { t } from "../shared/i18n.js";
import { momentText } from "./local-times.js";
import { tryStorage } from "./settings.js";

/** The page reloads at a random moment within this time after the new deals, in ms. */
const SPREAD = 120000;
/** Time for the server to publish the deals, in ms. */
const GRACE = 2000;
/** Session-storage key of the deadline that this tab has already reloaded for. */
const RELOADED = "talon.reloaded";

/** @param {number} n */
const two = (n) => String(n).padStart(2, "0");

class Countdown {
  /** Milliseconds that the server's clock is ahead of this one's. */
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

  /** Reloads once per deadline, so a page that comes back with the same one does not reload again. */
  #reload() {
    this.#reloadAt = Infinity;
    // Without storage the page cannot tell that it has already reloaded.
    tryStorage(() => {
      if (sessionStorage.getItem(RELOADED) === String(this.#end)) return;
      sessionStorage.setItem(RELOADED, String(this.#end));
      location.reload();
    });
  }
}

for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-countdown]")))
  new Countdown(box);
