/** Polling of JSON that is the same for all visitors, so its requests need no cookies. */

/**
 * Polls while the page is visible.
 * @param {string} address @param {number} interval ms @param {(data: any) => void} take
 */
export function poll(address, interval, take) {
  let requestedAt = Date.now();
  const request = async () => {
    if (document.visibilityState !== "visible") return;
    requestedAt = Date.now();
    // Without an answer, the previous data stays until the next poll.
    const response = await fetch(address, { credentials: "omit" }).catch(() => null);
    if (response?.ok) take(await response.json());
  };
  setInterval(request, interval);
  document.addEventListener("visibilitychange", () => Date.now() - requestedAt > interval && request());
}
