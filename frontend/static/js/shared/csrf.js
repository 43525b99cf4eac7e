/** CSRF token for unsafe requests, read from the cookie under its plain or its https name. */

const NAMES = new Set(["csrftoken", "__Host-csrf"]);

/** @returns {string} the token, or an empty string without a cookie */
export function csrfToken() {
  for (const pair of document.cookie.split("; ")) {
    const [name, value = ""] = pair.split("=");
    if (NAMES.has(name)) return decodeURIComponent(value);
  }
  return "";
}
