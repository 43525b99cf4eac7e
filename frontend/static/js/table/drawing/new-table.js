/** State of a table together with the parts that draw it. */

import { newState } from "../state/state.js";
import { Faces } from "./faces.js";
import { Slots } from "./slots.js";

/** @import { Host } from "../state/state.js" */

/** @param {HTMLElement} felt @param {Host} host */
export function newTable(felt, host) {
  const faces = new Faces({ french: felt.dataset.french ?? "", tarot: felt.dataset.tarot ?? "" });
  return newState(felt, host, faces, new Slots(felt, faces));
}
