/** Queue page for newcomers: asks again by itself, and continues when they may. */

import { t } from "../shared/i18n.js";
import { request } from "../shared/request.js";

const page = document.getElementById("queue");
const wait = document.getElementById("queue-wait");

/** Shows a text only if it differs: screen readers announce changes. @param {string} text */
function show(text) {
  if (wait && wait.textContent !== text) wait.textContent = text;
}

async function ask() {
  try {
    const response = await request("/queue/", "GET", undefined, { tries: 1 });
    const answer = await response.json();
    if (answer.let_in) {
      location.reload();
      return;
    }
    show(answer.wait);
  } catch {
    show(t("Connecting…"));
  }
  askLater();
}

function askLater() {
  // Not all at once.
  window.setTimeout(ask, Number(page?.dataset.retryAfter) * (750 + 500 * Math.random()));
}

if (page) askLater();
