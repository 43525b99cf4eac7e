/** Requests to this site. */

const CSRF_COOKIES = ["csrftoken", "__Host-csrf"];

/** @returns {string} the CSRF token from its cookie, or an empty string without one */
export function csrfToken() {
  const cookies = document.cookie.split("; ").map((pair) => pair.split("="));
  return decodeURIComponent(cookies.find(([name]) => CSRF_COOKIES.includes(name))?.[1] ?? "");
}

/**
 * Requests JSON, with the CSRF token that unsafe methods need.
 * @param {string} address @param {string} [method] @param {object} [body] @param {RequestInit} [options]
 */
export function request(address, method = "GET", body, options) {
  const type = body && { "Content-Type": "application/json" };
  const headers = { Accept: "application/json", "X-CSRFToken": csrfToken(), ...type };
  return fetch(address, { method, headers, body: body && JSON.stringify(body), ...options });
}

/** The JSON at an address. Rejects if the request fails. @param {string} address @param {string} [method] */
export async function requestJson(address, method) {
  const response = await request(address, method);
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}
