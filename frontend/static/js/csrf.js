/** The token that a changing request must carry, from the cookie under its plain or its https name. */

const NAMES = new Set(["csrftoken", "__Host-csrf"]);

/** @returns {string} the token, empty where there is no cookie yet */
export function csrfToken() {
  for (const pair of document.cookie.split("; ")) {
    const [name, value = ""] = pair.split("=");
    if (NAMES.has(name)) return decodeURIComponent(value);
  }
  return "";
}
