/** Loads what offers rematches, for players who have raced lately. */

import { raced, remember } from "./raced.js";

/** Offers rematches of the last race in this browser, if there has been one lately. */
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
