/** The dialogs of a replay. In one it is shared: by a link to the moment that is shown, or on another site. */

import "../copying.js";
import { bindPicture } from "./picture.js";

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/** @param {{at: number}} replay what is shown when the dialog opens is what the link leads to */
export function bindSharing(replay) {
  for (const opener of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-opens]")))
    opener.addEventListener("click", () => byId(opener.dataset.opens ?? "").showModal());
  bindPicture();
  const button = byId("share");
  if (!button) return;
  button.addEventListener("click", () => {
    const link = /** @type {HTMLInputElement} */ (byId("share-link"));
    link.value = `${location.origin}${link.dataset.address}${replay.at ? `?n=${replay.at}` : ""}`;
    byId("share-dialog").showModal();
  });
}
