/** Forms that a button of a script sends. */

import { csrfToken } from "./request.js";

/** Sends a form, whose answer is the next page. @param {string} action @param {string[][]} [fields] names and values */
export function sendForm(action, fields = []) {
  const form = Object.assign(document.createElement("form"), { method: "post", action, hidden: true });
  for (const [name, value] of [["csrfmiddlewaretoken", csrfToken()], ...fields])
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  document.body.append(form);
  form.submit();
}
