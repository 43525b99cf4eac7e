/** Requests to this site: each one ends, and may reach the server twice (see docs/protocol.md). */

import { t } from "./i18n.js";

/** Error of a request that got no answer. */
export class NoAnswer extends Error {}

/** Text for a player whose request got no answer. */
export const noAnswer = () => t("No answer. Try again.");

/** The CSRF token from its cookie, or an empty string without one. */
export const csrfToken = () => /(?:^|; )(?:csrftoken|__Host-csrf)=([^;]*)/.exec(document.cookie)?.[1] ?? "";

/**
 * Requests JSON, with the CSRF token that unsafe methods need. Rejects with `NoAnswer` if no attempt is answered,
 * except by a proxy without a server or a busy server.
 * @param {string} address @param {string} [method] @param {object} [body]
 * @param {RequestInit & {within?: number, tries?: number}} [options] with the ms for each attempt, and their number
 * @returns {Promise<Response>} with its whole body
 */
export async function request(address, method = "GET", body, { within = 8000, tries = 2, ...options } = {}) {
  const type = body && { "Content-Type": "application/json" };
  const headers = { Accept: "application/json", "X-CSRFToken": csrfToken(), ...type };
  const controller = new AbortController();
  const { signal } = controller;
  const timer = setTimeout(() => controller.abort(), within);
  const response = await fetch(address, { method, headers, body: body && JSON.stringify(body), signal, ...options })
    .then(async (reply) => {
      await reply.clone().arrayBuffer(); // the body may stall as well
      return reply;
    })
    .catch(() => null);
  clearTimeout(timer);
  if (response && response.status < 502) return response;
  // Seconds; a player waits for no more than five.
  const pause = Number(response?.headers.get("Retry-After") ?? 0.5);
  if (tries < 2 || pause > 5) throw new NoAnswer();
  await new Promise((resolve) => setTimeout(resolve, pause * (1000 + 500 * Math.random())));
  // A lost reply may have changed the CSRF token.
  return request(address, method, body, { within, tries: tries - 1, ...options });
}

/** The JSON at an address. Rejects if the request fails. @param {string} address @param {string} [method] */
export async function requestJson(address, method) {
  const response = await request(address, method);
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}
