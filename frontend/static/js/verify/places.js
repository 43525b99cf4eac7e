/** Places in a race, computed from the stated results: docs/records.md, "Races". */

/** @import { TalonRecord } from "./documents.js" */

/**
 * @typedef {object} Entrant
 * @property {number} id
 * @property {string | null} name
 * @property {string} state
 * @property {number | null} place
 * @property {number | null} cards_up
 * @property {number | null} elapsed_ms
 * @property {number | null} tokens
 * @property {number | null} [progress_ms] since version 3
 * @property {TalonRecord | null} record
 * @property {boolean} [in_review] since version 2
 */

/** The sort key of an entrant: less is better, and equal keys share a place. @param {Entrant} entrant */
function keyOf({ state, cards_up, elapsed_ms, tokens, progress_ms = null }) {
  if (state === "disqualified") return [3];
  if (cards_up === null || elapsed_ms === null || tokens === null) return [2];
  if (state === "won") return [0, elapsed_ms, tokens];
  return progress_ms === null ? [1, -cards_up, elapsed_ms, tokens] : [1, -cards_up, progress_ms, -tokens];
}

/** @param {number[]} one @param {number[]} other */
function isBefore(one, other) {
  const k = one.findIndex((value, k) => value !== other[k]);
  return k >= 0 && one[k] < (other[k] ?? -Infinity);
}

/** @param {Entrant} entrant */
const isPlaced = ({ state, in_review: inReview }) => state !== "absent" && !inReview;

/** @param {Entrant[]} entrants @returns {(number | null)[]} the place of each from 1, or null */
export function placesOf(entrants) {
  const keys = entrants.filter(isPlaced).map(keyOf);
  return entrants.map((entrant) => {
    if (!isPlaced(entrant)) return null;
    const key = keyOf(entrant);
    return 1 + keys.filter((other) => isBefore(other, key)).length;
  });
}
