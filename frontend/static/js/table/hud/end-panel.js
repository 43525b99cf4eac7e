/** Parts of the end panel that the server renders for the game's own player. */

import { all, byId } from "../../shared/dom.js";
import { request } from "../../shared/request.js";
import { localise } from "../../site/local-times.js";

/**
 * @typedef {object} Summary what the server says about a finished game; texts are empty if they do not apply
 * @property {string} headline
 * @property {string} standing the verdict in a sentence
 * @property {string} place
 * @property {boolean} isTop whether the place is worth confirming in a race
 * @property {boolean} hinted
 */

/** Number of the last request; an earlier one's answer may arrive later and is outdated. */
let requests = 0;

/**
 * Loads the server's part and puts its buttons among the panel's own. Without an answer the panel does without.
 * @returns {Promise<Summary|null>} null if a later request will answer
 */
export async function loadSummary() {
  const number = ++requests;
  const place = byId("finish-after");
  const text = await request(place?.dataset.address ?? "", "GET", undefined, { headers: { Accept: "text/html" } })
    .then((response) => (response.ok ? response.text() : ""))
    .catch(() => "");
  if (number !== requests) return null;
  const found = new DOMParser().parseFromString(text, "text/html").body;
  localise(found);
  const { headline = "", standing = "", ...data } = found.querySelector("div")?.dataset ?? {};
  if (text) keepingFocus(() => fill(place, found));
  return { headline, standing, place: data.place ?? "", isTop: "topPlace" in data, hinted: "hinted" in data };
}

/** @param {HTMLElement} place @param {HTMLElement} found */
function fill(place, found) {
  for (const part of all("[data-into]", found)) {
    byId(part.dataset.into)?.replaceChildren(...part.childNodes);
    part.remove();
  }
  place.replaceChildren(...found.childNodes);
}

/** @param {() => void} change */
function keepingFocus(change) {
  const id = document.activeElement?.id;
  change();
  if (id) byId(id)?.focus({ preventScroll: true });
}
