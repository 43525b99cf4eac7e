/** Outcome against a rival: the ghost raced against, or another racer. */

import { t, tn } from "../../shared/i18n.js";
import { requestJson } from "../../shared/request.js";
import { elapsed } from "../state/game.js";
import { spanText } from "./pace.js";

/** @import { State } from "../state/state.js" */

/**
 * @typedef {object} Score
 * @property {number} cardsUp
 * @property {number} ms
 *
 * @typedef {object} Rival
 * @property {string} name
 * @property {Score} own the player's score
 * @property {Score} theirs
 */

/** @param {number} ms @returns {string} `9 seconds`, `0.4 s` or `1:12` */
function leadText(ms) {
  const seconds = Math.round(ms / 1000);
  return seconds >= 1 && seconds < 60 ? tn("one second", "{n} seconds", seconds) : spanText(ms, true);
}

/** The outcome in one line. More cards up wins, then less time. @param {Rival} rival @returns {string} */
export function versusText({ name, own, theirs }) {
  const cards = own.cardsUp - theirs.cardsUp;
  const time = leadText(Math.abs(own.ms - theirs.ms));
  if (cards > 0) return tn("You beat {name} by one card", "You beat {name} by {n} cards", cards, { name });
  if (cards < 0) return tn("{name} was one card ahead", "{name} was {n} cards ahead", -cards, { name });
  if (own.ms === theirs.ms) return t("Level with {name}", { name });
  return own.ms < theirs.ms
    ? t("You beat {name} by {time}", { name, time })
    : t("{name} was {time} faster", { name, time });
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
