/** Offline page, shown instead of a page that cannot load. Polls the server and continues when it is reachable. */

import { Backoff } from "../shared/backoff.js";
import { request } from "../shared/request.js";
import { applySettings } from "../site/settings.js";

const FIRST_WAIT = 3000;
const LONGEST_WAIT = 30000;
/** A small file that no service worker caches. */
const ASKED_FOR = "/robots.txt";
/** Path of the offline pages themselves; at any other path they replace another page. */
const OWN_PLACE = "/offline/";

applySettings();

const line = /** @type {HTMLElement} */ (document.getElementById("offline"));
const backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
let timer = 0;

/** Reloads, except during a lesson, where it only shows a message. */
function back() {
  if ("reloads" in line.dataset) return location.reload();
  for (const words of /** @type {NodeListOf<HTMLElement>} */ (line.querySelectorAll("[data-line]")))
    words.hidden = words.dataset.line !== "back";
}

function lookLater() {
  clearTimeout(timer);
  timer = window.setTimeout(look, backoff.lost());
}

async function look() {
  clearTimeout(timer);
  const answer = await request(ASKED_FOR, "HEAD", undefined, { cache: "no-store", tries: 1 }).catch(() => null);
  if (answer?.ok) back();
  else lookLater();
}

/** Leads back to the form that was not sent, with its contents if the browser still has them. */
function leadBack() {
  const from = document.referrer.startsWith(`${location.origin}/`) ? document.referrer : "/";
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("[data-return]"))) {
    link.href = from;
    // A form that posts to its own page may have replaced it in the history.
    if (history.length < 2 || from === location.href) continue;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      history.back();
    });
  }
}

leadBack();
if (!location.pathname.startsWith(OWN_PLACE)) {
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("[data-again]")))
    link.href = location.pathname + location.search;
  addEventListener("online", look);
  lookLater();
}
