/** Who else is at the cards: the others in a race, or at the same daily deal, or a ghost. */

import { late } from "./late.js";

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

/** @param {State} state @returns {Company} which hears all in its order, once its module is there */
export function companyAt(state) {
  const place = document.getElementById("lanes");
  if (!place) return NOBODY;
  /** @type {Promise<Company>} */
  const coming =
    place.dataset.kind === "race"
      ? import("./race.js").then(({ RaceTable }) => new RaceTable(state, place))
      : import("./day.js").then(({ DayTable }) => new DayTable(state, place));
  const tell = (/** @type {(company: Company) => void} */ what) => late(() => coming, what);
  return {
    wait: (message) => tell((company) => company.wait(message)),
    drawn: (view) => tell((company) => company.drawn(view)),
    refused: (code) => tell((company) => company.refused(code)),
  };
}
