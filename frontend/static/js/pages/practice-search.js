/** Progress of a practice deal search: polls the server and starts the game when a deal is found. */

const GLANCE = 700;

/** @param {HTMLElement} page */
async function look(page) {
  const bar = /** @type {HTMLProgressElement} */ (document.getElementById("looking-progress"));
  bar.value = Math.min(bar.max, bar.value + GLANCE / 1000);
  try {
    const response = await fetch(page.dataset.address ?? "", { headers: { Accept: "application/json" } });
    if (response.ok && show(await response.json())) return;
  } catch {
    // The next poll may succeed.
  }
  lookSoon(page);
}

/** @param {{state: string, tried: number}} found @returns {boolean} whether the search is over */
function show({ state, tried }) {
  if (state === "looking") {
    /** @type {HTMLElement} */ (document.getElementById("looking-tried")).textContent = String(tried);
    return false;
  }
  if (state === "found") /** @type {HTMLFormElement} */ (document.getElementById("looking-start")).submit();
  else location.reload();
  return true;
}

/** Schedules the next poll only after an answer, however long that takes. @param {HTMLElement} page */
function lookSoon(page) {
  window.setTimeout(() => look(page), GLANCE);
}

const place = document.getElementById("looking");
if (place) lookSoon(place);
