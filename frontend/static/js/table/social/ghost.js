/** Outcome against a rival: the ghost raced against, or another racer. */

import { point, t, tn } from "../../shared/i18n.js";
import { requestJson } from "../../shared/request.js";
import { elapsed } from "../state/game.js";
import { spanText } from "./pace.js";

/** @import { State } from "../state/state.js" */

/**
 * @typedef {object} Score
 * @property {number} cardsUp
 * @property {number|null} ms null if times are not compared
 *
 * @typedef {object} Rival
 * @property {string} name
 * @property {Score} own the player's score
 * @property {Score} theirs
 * @property {number} [ahead] places that the player is ahead of the rival, for scores that have places
 */

/** @param {number} ms @returns {string} `9 seconds`, `0.4 s`, `0.016 s` or `1:12` */
function leadText(ms) {
  const seconds = Math.round(ms / 1000);
  if (ms < 100) return `${(ms / 1000).toFixed(3).replace(".", point)} s`;
  return seconds >= 1 && seconds < 60 ? tn("one second", "{n} seconds", seconds) : spanText(ms, true);
}

/** The outcome in one line. More cards up wins, then less time, unless places decide. @param {Rival} rival */
export function versusText({ name, own, theirs, ahead }) {
  const cards = own.cardsUp - theirs.cardsUp;
  const ms = own.ms === null || theirs.ms === null || cards ? 0 : theirs.ms - own.ms;
  const lead = ahead ?? (cards || ms);
  if (lead === 0) return t("Level with {name}", { name });
  const time = leadText(Math.abs(ms));
  if (lead > 0) {
    if (cards > 0) return tn("You beat {name} by one card", "You beat {name} by {n} cards", cards, { name });
    return ms > 0 ? t("You beat {name} by {time}", { name, time }) : t("You beat {name}", { name });
  }
  if (cards < 0) return tn("{name} was one card ahead", "{name} was {n} cards ahead", -cards, { name });
  return ms < 0 ? t("{name} was {time} faster", { name, time }) : t("{name} was ahead", { name });
}

/** @param {State} state of a finished game @returns {Promise<Rival|null>} its ghost, if it has one */
export async function ghostAt(state) {
  const { felt, view } = state;
  const address = felt.dataset.ghost;
  if (!address || !view) return null;
  const line = await requestJson(address).catch(() => null);
  if (!line) return null;
  const [ms, cardsUp] = line.points[line.points.length - 1];
  const own = { cardsUp: view.cards_up, ms: Math.round(elapsed(state)) };
  return { name: line.own ? t("your best game") : line.name, own, theirs: { cardsUp, ms } };
}
