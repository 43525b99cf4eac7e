/** Buttons that show the password in a field. Without scripts they stay hidden. */

import { all, byId } from "../shared/dom.js";

for (const button of all("[data-unmasks]")) {
  const field = byId(button.dataset.unmasks);
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = field.type === "password";
    field.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
  });
  // Browsers offer to remember only what was typed into a password field.
  field.form?.addEventListener("submit", () => (field.type = "password"));
}
