/** Queue page for newcomers: shows the place, and continues when it is their turn. */

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
    const response = await fetch(page.dataset.address ?? "", { headers: { Accept: "application/json" } });
    if (!response.ok) return RETRY;
    const { let_in, place, wait } = await response.json();
    if (let_in) {
      location.reload();
      return LOADING; // it may take a while, and must not be requested again in the meantime
    }
    write("queue-place", String(place));
    write("queue-wait", wait);
    return 0;
  } catch {
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
