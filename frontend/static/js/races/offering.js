/** Loads what offers rematches, for players who have raced lately. */

import { raced } from "./raced.js";

/** Offers rematches of the last race in this browser, if there has been one lately. */
export async function offerLastRematch() {
  if (!raced()) return;
  const { listen } = await import("./rematch.js");
  listen();
}
