/** Buttons that hand the text of a field to the device's own way of sharing, where it has one. */

import "./copying.js";

if ("share" in navigator)
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-shares]"))) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const field = /** @type {HTMLTextAreaElement} */ (document.getElementById(button.dataset.shares ?? ""));
      // Whoever sends it away again has decided so.
      navigator.share({ text: field.value }).catch(() => {});
    });
  }
