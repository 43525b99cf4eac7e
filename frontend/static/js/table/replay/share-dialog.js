/** Dialogs of a replay, including the share dialog with a link to the current position and code for other sites. */

import "../../site/copy-button.js";
import { bindPicture } from "./picture.js";

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/** @param {{at: number}} replay the link leads to its position when the dialog opens */
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
