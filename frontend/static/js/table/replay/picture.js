/** Animated picture of a game: a worker draws it, and the page polls for it. */

import { csrfToken } from "../../shared/csrf.js";
import { t } from "../../shared/i18n.js";

/** Polling interval in ms, and the number of polls. */
const GLANCE = 700;
const GLANCES = 60;

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/** Connects the button that requests the picture. */
export function bindPicture() {
  const place = /** @type {HTMLElement|null} */ (byId("picture"));
  const button = /** @type {HTMLButtonElement|null} */ (byId("picture-make"));
  if (!place || !button) return;
  button.addEventListener("click", async () => {
    button.disabled = true;
    say(t("The picture is being drawn …"));
    const url = await drawn(place.dataset.address ?? "").catch(() => "");
    button.disabled = false;
    if (!url) return say(t("The picture could not be drawn. Try again in a while."));
    button.hidden = true;
    say("");
    show(url);
  });
}

/** @param {string} address @returns {Promise<string>} the picture's address; empty if it does not arrive */
async function drawn(address) {
  let answer = await ask(address, "POST");
  for (let glance = 0; !answer.url && glance < GLANCES; glance++) {
    await new Promise((go) => setTimeout(go, GLANCE));
    answer = await ask(address, "GET");
  }
  return answer.url ?? "";
}

/** @param {string} address @param {"POST"|"GET"} method @returns {Promise<{url?: string}>} */
async function ask(address, method) {
  const response = await fetch(address, {
    method,
    headers: method === "POST" ? { "X-CSRFToken": csrfToken() } : {},
  });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

/** @param {string} text */
function say(text) {
  const line = byId("picture-text");
  line.textContent = text;
  line.hidden = !text;
}

/** @param {string} url */
function show(url) {
  const image = Object.assign(document.createElement("img"), { src: url, alt: t("The whole game, move by move") });
  const shown = byId("picture-shown");
  shown.replaceChildren(image);
  shown.hidden = false;
  const save = /** @type {HTMLAnchorElement} */ (byId("picture-save"));
  save.href = url;
  save.download = save.dataset.name ?? "";
  save.hidden = false;
  save.focus();
  offerSharing(url, save.download).catch(() => {});
}

/** Offers sharing in browsers that can share files. @param {string} url @param {string} name */
async function offerSharing(url, name) {
  if (!navigator.canShare) return;
  const file = new File([await (await fetch(url)).blob()], name, { type: "image/gif" });
  if (!navigator.canShare({ files: [file] })) return;
  const button = /** @type {HTMLButtonElement} */ (byId("picture-share"));
  button.hidden = false;
  button.addEventListener("click", () => navigator.share({ files: [file] }).catch(() => {}));
}
