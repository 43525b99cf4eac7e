/** A page that is shown for want of a connection: looks out for it, and goes on when it is back. */

import { Backoff } from "./backoff.js";
import { applySettings } from "./settings.js";

const FIRST_WAIT = 3000;
const LONGEST_WAIT = 30000;
/** A small file that no worker keeps. */
const ASKED_FOR = "/robots.txt";
/** Where these pages are themselves; anywhere else they stand for another page. */
const OWN_PLACE = "/offline/";

applySettings();

const line = /** @type {HTMLElement} */ (document.getElementById("offline"));
const backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);
let timer = 0;

/** A lesson in play is not taken away: it is only told of. */
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
  const answer = await fetch(ASKED_FOR, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.ok) back();
  else lookLater();
}

/** Back to the form that was not sent, with what was written in it where the browser still has that. */
function leadBack() {
  const from = document.referrer.startsWith(`${location.origin}/`) ? document.referrer : "/";
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("[data-return]"))) {
    link.href = from;
    // A form that is sent to its own page may have taken its place in the history.
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
