/** Queue page for newcomers: shows the place, and continues when it is their turn. */

import { t } from "../shared/i18n.js";
import { request } from "../shared/request.js";

/** Time within which the server must answer, in ms: it does when there is news, or after 20 seconds. */
const WITHIN = 30000;
/** Seconds until the next request after a failed one, and after a reload that has not finished. */
const RETRY = 5;
const LOADING = 60;

/**
 * Polls the server, which answers as soon as there is news.
 * @param {HTMLElement} page
 * @returns {Promise<number>} seconds until the next request
 */
async function ask(page) {
  try {
    const response = await request(page.dataset.address ?? "", "GET", undefined, { within: WITHIN, tries: 1 });
    const { let_in, place, wait } = await response.json();
    if (let_in) {
      location.reload();
      return LOADING; // it may take a while, and must not be requested again in the meantime
    }
    write("queue-place", String(place));
    write("queue-wait", wait);
    return 0;
  } catch {
    write("queue-wait", t("Connecting…"));
    return RETRY;
  }
}

/** Changes a text only if it differs: screen readers announce changes. @param {string} id @param {string} text */
function write(id, text) {
  const place = /** @type {HTMLElement} */ (document.getElementById(id));
  if (place.textContent !== text) place.textContent = text;
}

/** @param {HTMLElement} page @param {number} seconds */
function askAfter(page, seconds) {
  window.setTimeout(async () => askAfter(page, await ask(page)), seconds * 1000);
}

const page = document.getElementById("queue");
if (page) askAfter(page, 0);
