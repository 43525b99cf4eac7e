/** Polling of JSON that is the same for all visitors: its requests have no cookies, so the page cache may answer. */

import { onWake, pageTime } from "./clock.js";
import { request } from "./request.js";

/**
 * Polls while the page is visible.
 * @param {string} address @param {number} interval ms @param {(data: any) => void} take
 * @returns {() => void} asks at once
 */
export function poll(address, interval, take) {
  let requestedAt = pageTime();
  const ask = async () => {
    if (document.visibilityState !== "visible") return;
    requestedAt = pageTime();
    // Without an answer, the previous data stays until the next poll.
    const options = { credentials: /** @type {const} */ ("omit"), headers: {}, within: interval, tries: 1 };
    const response = await request(address, "GET", undefined, options).catch(() => null);
    if (response?.ok) take(await response.json());
  };
  setInterval(ask, interval);
  onWake(() => pageTime() - requestedAt > interval && ask());
  return ask;
}
