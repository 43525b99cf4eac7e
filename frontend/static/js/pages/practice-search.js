/** Progress of a practice deal search: polls the server and starts the game when a deal is found. */

import { byId } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { requestJson } from "../shared/request.js";

const POLL_EVERY = 700;
const page = byId("looking");

async function poll() {
  const bar = byId("looking-progress");
  bar.value = Math.min(bar.max, bar.value + POLL_EVERY / 1000);
  // Without an answer, the next poll may succeed.
  const { state, tried = t("Connecting…") } = await requestJson(page.dataset.address).catch(() => ({}));
  if (state === "found") return byId("looking-start").submit();
  if (state && state !== "looking") return location.reload();
  byId("looking-tried").textContent = String(tried);
  setTimeout(poll, POLL_EVERY);
}

if (page) setTimeout(poll, POLL_EVERY);
