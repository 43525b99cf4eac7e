/**
 * Countdown to the next deals, and the reload that shows them. It uses the server's clock, from the time in the page.
 * Pages open at midnight reload at random moments to spread the load; a page that returns later reloads at once.
 *
 * A page about today has a line with its day (`_new_day.html`). When the day is over, the page says so, and hides its
 * words about today (base.css) until it is loaded again.
 */

import { onWake } from "../shared/clock.js";
import { t } from "../shared/i18n.js";
import { request } from "../shared/request.js";
import { ServerClock } from "../shared/server-clock.js";
import { clockText } from "../shared/times.js";
import { momentText } from "./local-times.js";
import { tryStorage } from "./settings.js";

const DAY = 86400000;
/** Random time after the new deals at which this page reloads, in ms. */
const SPREAD = Math.random() * 120000;
/** Time for the server to publish the deals, in ms. */
const GRACE = 2000;
/** Shortest time between two reloads: a page that comes back outdated does not reload again. In ms. */
const RELOADS_EVERY = 300000;
/** Session-storage key of the time of this tab's last reload here, in Unix ms. */
const RELOADED = "talon.reloaded";
/** Difference from this machine's time above which the time in the page is checked, as it may be a copy's, in ms. */
const ODD = 60000;

const clock = new ServerClock();
const { title } = document;

/** Asks the server for the time. @returns {Promise<boolean>} whether it has answered */
async function calibrate() {
  const options = /** @type {const} */ ({ cache: "no-store", credentials: "omit", tries: 1 });
  const response = await request("/playing.json", "HEAD", undefined, options).catch(() => null);
  const date = Date.parse(response?.headers.get("Date") ?? "");
  // A date in whole seconds is half a second old on average.
  if (date) clock.heard(date + 500);
  return Boolean(date);
}

/**
 * @param {HTMLElement} box a countdown, or the line with the day of the page
 * @returns {() => void} to be called when the page returns
 */
function start(box) {
  const { countdown = "", day } = box.dataset;
  const end = day ? Date.parse(day) + DAY : Date.parse(countdown);
  let reloadAt = end + GRACE + SPREAD;
  const [figure, local] = [box.querySelector("b"), box.querySelector(".local")];
  if (local) local.textContent = "· " + t("at {time}", { time: momentText(end) });
  const tick = async () => {
    const now = clock.now();
    if (figure) figure.textContent = clockText(Math.ceil((end - now) / 1000) * 1000);
    if (day) markOutdated(now >= end);
    if (now < reloadAt) return;
    reloadAt = Infinity;
    if ((await calibrate()) && clock.now() >= end) reload();
    else reloadAt = Math.max(end, clock.now()) + GRACE + SPREAD;
  };
  tick();
  setInterval(tick, 1000);
  return () => {
    if (clock.now() >= end) reloadAt = end + GRACE;
    tick();
  };
}

/** @param {boolean} isOutdated whether the day of the page is over */
function markOutdated(isOutdated) {
  document.documentElement.toggleAttribute("data-outdated", isOutdated);
  document.title = isOutdated ? `${t("New games are out")} · Talon` : title;
}

/** Reloads the page, unless it has just been reloaded or has a game on it. */
function reload() {
  if (document.body.classList.contains("at-table")) return;
  // Without storage the page cannot tell that it has already reloaded.
  tryStorage(() => {
    if (clock.now() - Number(sessionStorage.getItem(RELOADED)) < RELOADS_EVERY) return;
    sessionStorage.setItem(RELOADED, String(clock.now()));
    location.reload();
  });
}

const boxes = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-countdown], .new-day"));
if (boxes.length) {
  clock.heard(Date.parse(boxes[0].dataset.now ?? ""));
  const returns = [...boxes].map(start);
  const check = () => calibrate().then(() => returns.forEach((callback) => callback()));
  onWake(check);
  if (Math.abs(clock.until(Date.now())) > ODD) check();
}
