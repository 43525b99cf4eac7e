/** Who else is at the cards: the others in a race, or at the same daily deal, or a ghost. */

import { DayTable } from "./day.js";
import { RaceTable } from "./race.js";

/** @import { State } from "./state.js" */
/** @import { View } from "./types.js" */

/**
 * @typedef {object} Company
 * @property {(message: any) => void} wait the cards are dealt in a while
 * @property {(view: View) => void} drawn the table has been drawn
 * @property {(code: string) => void} refused
 */

/** @type {Company} */
const NOBODY = { wait: () => {}, drawn: () => {}, refused: () => {} };

/** @param {State} state @returns {Company} */
export function companyAt(state) {
  const place = document.getElementById("lanes");
  if (!place) return NOBODY;
  return place.dataset.kind === "race" ? new RaceTable(state, place) : new DayTable(state, place);
}
