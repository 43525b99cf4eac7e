/** Illegal moves: the cards lift a little and fall back, and the page's host explains the reason. */

import { motionReduced } from "../../site/settings.js";
import { plays } from "../state/game.js";
import { topOf } from "../drawing/pieces.js";

/** @import { State } from "../state/state.js" */
/** @import { Pile } from "../state/types.js" */

const NUDGE = [
  { transform: "none" },
  { transform: "translateY(-7%) rotate(-1.2deg)", offset: 0.35 },
  { transform: "translateY(-4%) rotate(1deg)", offset: 0.6 },
  { transform: "none" },
];
const NUDGE_MS = 280;

/** @param {State} state @param {Pile} pile @param {number} count cards from its top @param {Pile|""} [to] */
export function refuse(state, pile, count, to = "") {
  if (!plays(state) || state.view?.won) return;
  nudge(state, pile, count);
  state.host.why?.(pile, count, to);
}

/** Lets cards lift and fall back. @param {State} state @param {Pile} pile @param {number} count from its top */
export function nudge(state, pile, count) {
  if (motionReduced()) return;
  for (const { element } of topOf(state, pile, count))
    element.firstElementChild?.animate(NUDGE, { duration: NUDGE_MS, easing: "ease-out" });
}
