/** The queue of newcomers: shows the place, and continues when it is their turn. */

/** Seconds until the next question when no answer came, and when the page that was waited for did not. */
const RETRY = 5;
const LOADING = 60;

/**
 * Ask the server, which answers as soon as there is news.
 * @param {HTMLElement} page
 * @returns {Promise<number>} seconds until the next question
 */
async function ask(page) {
  try {
    const response = await fetch(page.dataset.address ?? "", { headers: { Accept: "application/json" } });
    if (!response.ok) return RETRY;
    const { let_in, place, wait } = await response.json();
    if (let_in) {
      location.reload();
      return LOADING; // it may take its time, and must not be asked for again meanwhile
    }
    write("queue-place", String(place));
    write("queue-wait", wait);
    return 0;
  } catch {
    return RETRY;
  }
}

/** Change a text only if it is new: a screen reader reads changes out. @param {string} id @param {string} text */
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
