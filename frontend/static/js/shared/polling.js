/** Polling of JSON that is the same for all visitors, so its requests need no cookies. */

import { onWake, pageTime } from "./clock.js";

/**
 * Polls while the page is visible.
 * @param {string} address @param {number} interval ms @param {(data: any) => void} take
 */
export function poll(address, interval, take) {
  let requestedAt = pageTime();
  const request = async () => {
    if (document.visibilityState !== "visible") return;
    requestedAt = pageTime();
    // Without an answer, the previous data stays until the next poll.
    const response = await fetch(address, { credentials: "omit" }).catch(() => null);
    if (response?.ok) take(await response.json());
  };
  setInterval(request, interval);
  onWake(() => pageTime() - requestedAt > interval && request());
}
