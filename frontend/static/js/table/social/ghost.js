/** Comparison of a finished game with the ghost raced against: one sentence of the end panel. */

import { byId } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { requestJson } from "../../shared/request.js";
import { elapsed } from "../state/game.js";
import { spanText } from "./pace.js";

/** @import { PaceLine } from "./pace.js" */
/** @import { State } from "../state/state.js" */

/**
 * The outcome as text. More cards up wins, then less time.
 * @param {PaceLine & {own?: boolean}} line
 * @param {number} cardsUp @param {number} ms
 */
function outcomeText({ name, own, points }, cardsUp, ms) {
  const [end, theirs] = points[points.length - 1];
  const cards = cardsUp - theirs;
  const time = spanText(end - ms, true);
  const ghost = own ? t("your best game") : name;
  if (cards > 0) return tn("You beat {ghost} by one card.", "You beat {ghost} by {n} cards.", cards, { ghost });
  if (cards < 0) return tn("{ghost} stays ahead by one card.", "{ghost} stays ahead by {n} cards.", -cards, { ghost });
  if (ms === end) return t("Level with {ghost}.", { ghost });
  return ms < end
    ? t("You beat {ghost} by {time}.", { ghost, time })
    : t("{ghost} stays ahead by {time}.", { ghost, time });
}

/** Shows the result of racing a ghost in the end panel. @param {State} state of a finished game */
export async function showGhost(state) {
  const address = state.felt.dataset.ghost;
  const place = byId("finish-ghost");
  if (!address || !place || !state.view) return;
  const line = await requestJson(address).catch(() => null);
  if (!line) return;
  const text = outcomeText(line, state.view.cards_up, Math.round(elapsed(state)));
  place.textContent = text.charAt(0).toUpperCase() + text.slice(1);
  place.hidden = false;
}
