/** Lazy loader of rematch offers, for players who have raced recently. */

import { raced, remember } from "./raced.js";

/** Offers rematches of the browser's last race, if it was recent. */
export async function offerLastRematch() {
  if (!raced()) return;
  const { listen } = await import("./rematch.js");
  listen();
}

/** Offers rematches of the race that has just been run here, and on the pages to come. @param {string} code */
export function offerRematches(code) {
  if (raced()?.code !== code) remember(code);
  void offerLastRematch();
}
