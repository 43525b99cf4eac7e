/** Others shown at the table: racers, players of the same daily deal, or a ghost. */

import { byId } from "../../shared/dom.js";
import { lazily, painted } from "../../shared/lazy.js";

/** @import { State } from "../state/state.js" */
/** @import { View } from "../state/types.js" */

/**
 * @typedef {object} Opponents
 * @property {(message: any) => void} wait the cards will be dealt shortly
 * @property {(view: View) => void} drawn the table has been drawn
 * @property {(code: string) => void} refused
 */

/** @type {Opponents} */
const NOBODY = { wait: () => {}, drawn: () => {}, refused: () => {} };

/**
 * Forwards all messages in order to a module that loads when the first cards are visible.
 * @param {State} state @returns {Opponents}
 */
export function opponentsAt(state) {
  const place = byId("lanes");
  if (!place) return NOBODY;
  /** @type {Promise<Opponents>|null} */
  let coming = null;
  const come = async () => {
    await painted();
    return place.dataset.kind === "race"
      ? new (await import("./race.js")).RaceTable(state, place)
      : new (await import("./daily-players.js")).DayTable(state, place);
  };
  const tell = (/** @type {(opponents: Opponents) => void} */ what) => lazily(() => (coming ??= come()), what);
  return {
    wait: (message) => tell((opponents) => opponents.wait(message)),
    drawn: (view) => tell((opponents) => opponents.drawn(view)),
    refused: (code) => tell((opponents) => opponents.refused(code)),
  };
}
