/** Lazy loader of rematch offers, for players who have raced recently. */

import { raced } from "./last-race.js";

/** Offers rematches of the browser's last race, if it was recent. */
export async function offerLastRematch() {
  if (!raced()) return;
  const { listen } = await import("./rematch.js");
  listen();
}
