/** Requests to this site: each one ends, and may reach the server twice (see docs/protocol.md). */

import { t } from "./i18n.js";

const CSRF_COOKIES = ["csrftoken", "__Host-csrf"];
/** Time within which each attempt must be answered, and shortest and longest wait before the next one, in ms. */
const [WITHIN, PAUSE, LONGEST_PAUSE] = [8000, 500, 5000];
/** Statuses of a proxy without a server, and of a server that is busy or starting. */
const UNAVAILABLE = [502, 503, 504];

/** Error of a request that got no answer. */
export class NoAnswer extends Error {}

/** Text for a player whose request got no answer. */
export const noAnswer = () => t("No answer. Try again.");

/** @returns {string} the CSRF token from its cookie, or an empty string without one */
export function csrfToken() {
  const cookies = document.cookie.split("; ").map((pair) => pair.split("="));
  return decodeURIComponent(cookies.find(([name]) => CSRF_COOKIES.includes(name))?.[1] ?? "");
}

/**
 * Requests JSON, with the CSRF token that unsafe methods need. Rejects with `NoAnswer` if no attempt is answered.
 * @param {string} address @param {string} [method] @param {object} [body]
 * @param {RequestInit & {within?: number, tries?: number}} [options] with the ms for each attempt, and their number
 * @returns {Promise<Response>} with its whole body
 */
export async function request(address, method = "GET", body, { within = WITHIN, tries = 2, ...options } = {}) {
  const type = body && { "Content-Type": "application/json" };
  const headers = { Accept: "application/json", "X-CSRFToken": csrfToken(), ...type };
  const init = { method, headers, body: body && JSON.stringify(body), ...options };
  for (let left = tries - 1; ; left--) {
    const response = await attempt(address, init, within);
    if (response && !UNAVAILABLE.includes(response.status)) return response;
    const pause = 1000 * Number(response?.headers.get("Retry-After")) || PAUSE;
    if (left === 0 || pause > LONGEST_PAUSE) throw new NoAnswer(address);
    await new Promise((resolve) => setTimeout(resolve, pause * (1 + Math.random() / 2)));
  }
}

/** @param {string} address @param {RequestInit} init @param {number} within ms @returns {Promise<Response|null>} */
async function attempt(address, init, within) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), within);
  try {
    const response = await fetch(address, { ...init, signal: controller.signal });
    const body = await response.arrayBuffer();
    return new Response(response.status === 204 ? null : body, response);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** The JSON at an address. Rejects if the request fails. @param {string} address @param {string} [method] */
export async function requestJson(address, method) {
  return (await checked(request(address, method))).json();
}

/** The page at an address. Rejects if the request fails. @param {string} address @returns {Promise<Document>} */
export async function requestPage(address) {
  const page = await checked(request(address, "GET", undefined, { headers: { Accept: "text/html" } }));
  return new DOMParser().parseFromString(await page.text(), "text/html");
}

/** @param {Promise<Response>} coming */
async function checked(coming) {
  const response = await coming;
  if (!response.ok) throw new Error(String(response.status));
  return response;
}
