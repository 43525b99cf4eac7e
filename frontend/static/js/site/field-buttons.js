/** Buttons that copy the text of a field, or pass it to the device's share sheet, if it has one. */

import { all, byId } from "../shared/dom.js";
import { t } from "../shared/i18n.js";

/** Time for which a button shows the outcome, in ms. */
const SHOWN_FOR = 2500;

for (const button of all("[data-copies]")) {
  const label = button.textContent;
  const field = byId(button.dataset.copies);
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", async () => {
    // If the browser refuses, the selected text can be copied manually.
    field.select();
    const copied = await navigator.clipboard?.writeText(field.value).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? (button.dataset.done ?? t("Copied")) : t("Press Ctrl+C");
    setTimeout(() => (button.textContent = label), SHOWN_FOR);
  });
}

if ("share" in navigator)
  for (const button of all("[data-shares]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const { value } = byId(button.dataset.shares);
      const shared = URL.canParse?.(value) ? { title: document.title, url: value } : { text: value };
      // Ignore the error if the player cancels.
      navigator.share(shared).catch(() => {});
    });
  }
