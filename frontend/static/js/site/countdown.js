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
/** Session-storage key of the latest deadline that this tab has reloaded for, in Unix ms. */
const RELOADED = "talon.reloaded";

/** @param {number} n */
const two = (n) => String(n).padStart(2, "0");

/** @param {HTMLElement} box */
function start(box) {
  const { countdown = "", now = "" } = box.dataset;
  /** Milliseconds that the server's clock is ahead of this one's. */
  const ahead = new Date(now).getTime() - Date.now();
  const end = new Date(countdown).getTime();
  let reloadAt = end + GRACE + Math.random() * SPREAD;
  const [figure, local] = [box.querySelector("b"), box.querySelector(".local")];
  if (local) local.textContent = "· " + t("at {time}", { time: momentText(end) });
  const tick = () => {
    const now = Date.now() + ahead;
    const left = Math.max(0, Math.ceil((end - now) / 1000));
    if (figure) figure.textContent = `${Math.floor(left / 3600)}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
    if (now < reloadAt) return;
    reloadAt = Infinity;
    reload(end);
  };
  tick();
  setInterval(tick, 1000);
}

/** Reloads once per deadline, so a page that comes back outdated does not reload again. @param {number} end Unix ms. */
function reload(end) {
  // Without storage the page cannot tell that it has already reloaded.
  tryStorage(() => {
    if (Number(sessionStorage.getItem(RELOADED)) >= end) return;
    sessionStorage.setItem(RELOADED, String(end));
    location.reload();
  });
}

for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-countdown]"))) start(box);
