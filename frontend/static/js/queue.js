/** The queue of newcomers: shows the place, and goes on when it is their turn. */

/** Seconds until the next question when an answer has not come, and when the page that was waited for has not. */
const AGAIN = 5;
const LOADING = 60;

/**
 * @typedef {object} Standing
 * @property {boolean} let_in
 * @property {number} place
 * @property {number} retry_after seconds
 * @property {string} wait how long it will take, in words
 */

/** @param {HTMLElement} page @returns {Promise<number>} seconds until the next question */
async function ask(page) {
  try {
    const response = await fetch(page.dataset.address ?? "", { headers: { Accept: "application/json" } });
    if (response.ok) return show(await response.json());
  } catch {
    // The next question may get through.
  }
  return AGAIN;
}

/** @param {Standing} standing */
function show(standing) {
  if (standing.let_in) {
    location.reload();
    return LOADING; // it may take its time, and must not be asked for anew meanwhile
  }
  write("queue-place", String(standing.place));
  write("queue-wait", standing.wait); // is read out, and therefore written only when it has changed
  return standing.retry_after;
}

/** @param {string} id @param {string} text */
function write(id, text) {
  const place = /** @type {HTMLElement} */ (document.getElementById(id));
  if (place.textContent !== text) place.textContent = text;
}

/** One question after the other, however long an answer takes. @param {HTMLElement} page @param {number} seconds */
function askIn(page, seconds) {
  window.setTimeout(async () => askIn(page, await ask(page)), seconds * 1000);
}

const page = document.getElementById("queue");
if (page) askIn(page, 1);
