/** Texts about the places in a race: the player's own, the leader's, and the outcome against a rival. */

import { t } from "../../shared/i18n.js";
import { ordinal } from "../../races/ordinal.js";

/** @import { Rival } from "./ghost.js" */
/** @import { Racer } from "./rank-strip.js" */

/** @param {Racer[]} racers @returns {number} the number of racers with a place */
export const countPlaced = (racers) => racers.filter(({ place }) => place !== null).length;

/**
 * The player's place, as the headline of the end of their game.
 * @param {Racer} racer @param {{place: string, n: number}} values @param {boolean} final
 */
export function placeText({ place, state }, values, final) {
  if (place === null || state === "disqualified") return "";
  if (place === 1 && state === "won") return t("You won the race");
  return final ? t("{place} of {n}", values) : t("{place} of {n} so far", values);
}

/**
 * The player's place and, if another racer has more cards up or puzzles solved, the leader. Empty without a place.
 * @param {Racer[]} racers by place @param {number} mine entrant @param {(leader: Racer) => string} leadText
 */
export function standingText(racers, mine, leadText) {
  const me = racers.find(({ entrant }) => entrant === mine);
  if (!me || me.place === null) return "";
  const where = t("You're {place}", { place: ordinal(me.place) });
  const [leader] = racers;
  return leader.cardsUp > me.cardsUp ? `${where}. ${leadText(leader)}` : `${where}.`;
}

/**
 * The winner's runner-up or, in a race of two, the winner.
 * @param {Racer[]} racers by place @param {number} mine entrant
 * @returns {Rival|null} null unless both have a place that their games have earned
 */
export function rivalOf([first, second, third], mine) {
  const isMine = first.entrant === mine;
  const [me, rival] = isMine ? [first, second] : [second, first];
  if (!me || !rival || (third && !isMine)) return null;
  if ([me, rival].some(({ place, state }) => place === null || state === "disqualified")) return null;
  // Times decide among winners only.
  const [own, theirs] = [me, rival].map(({ cardsUp, state, ms }) => ({ cardsUp, ms: state === "won" ? ms : null }));
  return { name: rival.name, own, theirs, ahead: Number(rival.place) - Number(me.place) };
}
