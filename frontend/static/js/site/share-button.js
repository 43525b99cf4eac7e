/** Buttons that pass the text of a field to the device's share sheet, if it has one. */

import "./copy-button.js";

if ("share" in navigator)
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-shares]"))) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const field = /** @type {HTMLTextAreaElement} */ (document.getElementById(button.dataset.shares ?? ""));
      // Ignore the error if the player cancels.
      navigator.share({ text: field.value }).catch(() => {});
    });
  }
