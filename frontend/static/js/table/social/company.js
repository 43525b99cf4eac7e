/** Others shown at the table: racers, players of the same daily deal, or a ghost. */

import { byId } from "../../shared/dom.js";
import { late, painted } from "../state/late.js";

/** @import { State } from "../state/state.js" */
/** @import { View } from "../state/types.js" */

/**
 * @typedef {object} Company
 * @property {(message: any) => void} wait the cards will be dealt shortly
 * @property {(view: View) => void} drawn the table has been drawn
 * @property {(code: string) => void} refused
 */

/** @type {Company} */
const NOBODY = { wait: () => {}, drawn: () => {}, refused: () => {} };

/**
 * Forwards all messages in order to a module that loads when the first cards are visible.
 * @param {State} state @returns {Company}
 */
export function companyAt(state) {
  const place = byId("lanes");
  if (!place) return NOBODY;
  /** @type {Promise<Company>|null} */
  let coming = null;
  const come = async () => {
    await painted();
    return place.dataset.kind === "race"
      ? new (await import("./race.js")).RaceTable(state, place)
      : new (await import("./daily-players.js")).DayTable(state, place);
  };
  const tell = (/** @type {(company: Company) => void} */ what) => late(() => (coming ??= come()), what);
  return {
    wait: (message) => tell((company) => company.wait(message)),
    drawn: (view) => tell((company) => company.drawn(view)),
    refused: (code) => tell((company) => company.refused(code)),
  };
}
