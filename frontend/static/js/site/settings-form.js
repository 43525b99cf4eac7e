/** Form of the settings, on a page of its own and at the table. */

import { onSettings, setSetting, settings } from "./settings.js";

/** Connects a form whose fields are named after the settings. @param {HTMLFormElement} form */
export function bindSettings(form) {
  const named = /** @type {any[]} */ ([...form.querySelectorAll("[name]")]);
  const fields = named.filter(({ name }) => name in settings);
  const show = () => {
    for (const field of fields) {
      const value = settings[/** @type {keyof typeof settings} */ (field.name)];
      if (field.type === "checkbox") field.checked = value;
      else if (field.type === "radio") field.checked = field.value === value;
      else field.value = value;
    }
  };
  show();
  onSettings(show);
  for (const field of fields)
    field.addEventListener("change", () =>
      setSetting(field.name, /** @type {never} */ (field.type === "checkbox" ? field.checked : field.value)),
    );
}
