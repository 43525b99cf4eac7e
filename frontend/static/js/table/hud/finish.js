/** End of a game: the celebration, then the panel, which shows the rank when it arrives. */

import { byId } from "../../shared/dom.js";
import "../../site/dismiss.js";
import { t } from "../../shared/i18n.js";
import { durationText } from "../../shared/times.js";
import { showAfter } from "./end-panel.js";
import { say } from "./announce.js";
import { celebrate } from "../drawing/celebration.js";
import { elapsed, isComplete } from "../state/game.js";
import { showGhost } from "../social/ghost.js";
import { reasonText } from "./verdict-reasons.js";
import { share } from "./share-text.js";
import { play } from "./sound.js";

/** @import { State } from "../state/state.js" */

const panel = () => byId("finish");
/** Resolves when the panel may open. @type {Promise<void>} */
let celebrated = Promise.resolve();

/** Connects the panel's buttons. @param {State} state */
function bind(state) {
  byId("share").addEventListener("click", () => share(state, byId("share")));
  byId("finish-close").addEventListener("click", () => panel().close());
  byId("finish-open").addEventListener("click", open);
}

/**
 * Shows what is known about the end. Called after every message, in any order; each step happens once.
 * @param {State} state
 */
export function showEnd(state) {
  const { view, how, played } = state;
  if (!view) return;
  // In the frame that confirms the last move: the rest of the end is still on its way.
  if (view.won && played) once(state, "celebration", () => win(state));
  if (!isComplete(state)) return;
  once(state, "bind", () => bind(state));
  const won = how === "won" || view.won;
  const title = won ? t("You won!") : how === "closed" ? closedText(state) : t("Game over");
  byId("finish-title").textContent = title;
  byId("finish-cards").textContent = `${view.cards_up}/${view.goal}`;
  byId("finish-time").textContent = durationText(elapsed(state));
  byId("finish-moves").textContent = String(view.moves);
  once(state, "open", () => celebrated.then(open));
  // Each status brings more content.
  once(state, `after ${state.status}`, () => {
    state.standing = null;
    showAfter((standing, isTop) => showStanding(state, standing, isTop));
  });
  showRank(state);
  document.body.dataset.finished = won ? "won" : "over";
  announce(state, `${title} ${t("{up} of {goal} cards up", { up: view.cards_up, goal: view.goal })}`);
  once(state, "ghost", () => showGhost(state));
  byId("finish-appeal").hidden = state.status !== "review" && state.status !== "rejected";
  const today = byId("finish-today");
  if (today) today.hidden = !won;
}

/**
 * @param {State} state @param {string} standing the overall place, as text; empty if there is none
 * @param {boolean} isTop whether the place is worth confirming in a race
 */
function showStanding(state, standing, isTop) {
  state.standing = standing;
  showRank(state);
  // The player may have dismissed the hint.
  const hint = byId("finish-race");
  if (hint) hint.hidden = !isTop;
}

/**
 * Shows the rank once the server has put it into words. While the panel is open, screen readers read the changed line;
 * before that it is announced.
 * @param {State} state
 */
function showRank(state) {
  const { status, standing, verdict } = state;
  if (status === "verified" && standing === null) return;
  const line = byId("finish-rank");
  const text = (status === "verified" && standing) || rankText(state);
  line.dataset.state = status;
  if (line.textContent === text) return;
  line.textContent = text;
  if (verdict && !panel().open) announce(state, text);
}

/** @param {State} state @param {string} what @param {() => void} action */
function once({ announced }, what, action) {
  if (announced.has(what)) return;
  announced.add(what);
  action();
}

/** Announces the texts that have not been announced yet. @param {State} state @param {string[]} texts */
function announce({ announced }, ...texts) {
  const fresh = texts.filter((text) => text && !announced.has(text));
  for (const text of fresh) announced.add(text);
  if (fresh.length > 0) say(fresh.join(" "));
}

/** @param {State} state */
function win(state) {
  play("won");
  celebrated = new Promise((resolve) => celebrate(state, () => resolve()));
}

function open() {
  byId("finish-open").hidden = false;
  if (!panel().open) panel().showModal();
}

/** @param {State} state @returns {string} */
const closedText = ({ felt }) => (felt.dataset.race ? t("Time is up") : t("The deal has closed"));

/** @param {State} state @returns {string} */
function rankText({ status, verdict, felt }) {
  const ranked = felt.dataset.ranked === "true" || Boolean(felt.dataset.race);
  if (status === "pending") return ranked ? t("Your game is being verified…") : t("Checking the record…");
  if (status === "verified" && verdict?.rank)
    return verdict.ladder === "newcomers"
      ? t("Verified: rank {rank} of the newcomers", { rank: verdict.rank })
      : t("Verified: rank {rank}", { rank: verdict.rank });
  if (status === "verified") return ranked ? t("Verified") : t("Practice game: not ranked");
  // The text below already says that a person reviews it.
  const coded = (verdict?.reasons ?? []).filter((/** @type {{code: string}} */ { code }) => code !== "other");
  const reasons = coded.map(reasonText).join(" ");
  if (status === "review")
    return t("Under review: {reasons} A person will look at this game before it is ranked.", { reasons });
  return t("The record could not be verified: {reasons}", { reasons });
}
