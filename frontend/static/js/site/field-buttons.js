/** Buttons that copy the text of a field, or pass it to the device's share sheet, if it has one. */

import { all, byId } from "../shared/dom.js";
import { copy, share } from "../shared/share.js";

for (const button of all("[data-copies]")) {
  const field = byId(button.dataset.copies);
  field.addEventListener("focus", () => field.select());
  button.addEventListener("click", () => copy(field.value, button));
}

if ("share" in navigator)
  for (const button of all("[data-shares]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const { value } = byId(button.dataset.shares);
      share(URL.canParse?.(value) ? { title: document.title, url: value } : { text: value }, value, button);
    });
  }
