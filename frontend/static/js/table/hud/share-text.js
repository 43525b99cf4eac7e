/** Shareable text of a finished game: the result, without revealing any cards. */

import { byId } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { shareText } from "../../shared/share.js";
import { durationText } from "../../shared/times.js";
import { elapsed } from "../state/game.js";

/** @import { State } from "../state/state.js" */
/** @import { View } from "../state/types.js" */

/** @param {State} state @param {View} view @returns {string} */
function resultText(state, view) {
  const { title, day, race } = state.felt.dataset;
  const filled = Math.round((view.cards_up / view.goal) * 10);
  const rank = state.racePlace || state.summary?.place;
  const place = rank ? ` · ${rank}` : "";
  const hints = state.summary?.hinted ? ` · ${t("with hints")}` : "";
  return [
    `Talon · ${title}${day ? ` ${day}` : ""}`,
    `${"🟩".repeat(filled)}${"⬜".repeat(10 - filled)} ${view.cards_up}/${view.goal}`,
    `⏱ ${durationText(elapsed(state))} · ${tn("one move", "{n} moves", view.moves)}${place}${hints}`,
    race ? byId("finish-result").href : `${location.origin}/`,
  ].join("\n");
}

/** Shares the result of a game. @param {State} state @param {HTMLElement} button */
export const share = async (state, button) => state.view && shareText(resultText(state, state.view), button);
