/** End of a game: the celebration, then the panel with the result as its headline. */

import { byId, write } from "../../shared/dom.js";
import "../../site/dismiss.js";
import { t } from "../../shared/i18n.js";
import { clockText, durationText } from "../../shared/times.js";
import { loadSummary } from "./end-panel.js";
import { celebrate } from "../drawing/celebration.js";
import { elapsed, isComplete, shown } from "../state/game.js";
import { ghostAt, versusText } from "../social/ghost.js";
import { reasonText } from "./verdict-reasons.js";
import { play } from "./sound.js";

/** @import { State } from "../state/state.js" */

/** Longest wait for the server's headline and main button before the panel opens without them, in ms. */
const WITHIN = 1200;

const panel = () => byId("finish");
/** Resolves when the panel may open. @type {Promise<void>} */
let celebrated = Promise.resolve();

/** Connects the panel's buttons. */
function bind() {
  byId("finish-close").addEventListener("click", () => panel().close());
  byId("finish-open").addEventListener("click", open);
  byId("finish-more")?.addEventListener("click", toggleMenu);
}

function toggleMenu() {
  const menu = byId("finish-menu");
  menu.hidden = !menu.hidden;
  byId("finish-more").setAttribute("aria-expanded", String(!menu.hidden));
}

/**
 * Shows what is known about the end. Called after every message, in any order; each step happens once.
 * @param {State} state
 */
export function showEnd(state) {
  const { played } = state;
  const view = shown(state);
  if (!view) return;
  // In the frame that confirms the last move: the rest of the end is still on its way.
  if (view.won && played) once(state, "celebration", () => win(state));
  if (!isComplete(state)) return;
  once(state, "bind", bind);
  byId("finish-cards").textContent = `${view.cards_up}/${view.goal}`;
  byId("finish-time").textContent = durationText(elapsed(state));
  byId("finish-moves").textContent = String(view.moves);
  document.body.dataset.finished = isWon(state) ? "won" : "over";
  // Each status brings more content.
  once(state, `after ${state.status}`, () => summarize(state));
  showTexts(state);
  once(state, "open", () => Promise.all([celebrated, soon(complete(state))]).then(open));
}

/** Loads what the server says about the game in its present status. @param {State} state */
function summarize(state) {
  state.summary = null;
  state.summarized = loadSummary().then((summary) => {
    if (!summary) return;
    state.summary = summary;
    showTexts(state);
    // The player may have dismissed the hint.
    const hint = byId("finish-race");
    if (hint) hint.hidden = !summary.isTop;
  });
}

/** Resolves when all that the headline needs is there. @param {State} state */
async function complete(state) {
  const [ghost] = await Promise.all([ghostAt(state), state.summarized]);
  state.rival ??= ghost;
  showTexts(state);
}

/**
 * Shows the headline and the verdict. While the panel is open, screen readers read what changes.
 * @param {State} state
 */
function showTexts(state) {
  write(byId("finish-title"), headline(state));
  write(byId("finish-how"), [howText(state), state.summary?.hinted ? t("with hints") : ""].map(added).join(""));
  const { status, summary } = state;
  if (status === "verified" && !summary) return;
  byId("finish-rank").dataset.state = status;
  write(byId("finish-rank"), (status === "verified" && summary?.standing) || rankText(state));
}

/** @param {string} text */
const added = (text) => text && ` · ${text}`;

/** @param {State} state */
const isWon = ({ how, view }) => how === "won" || Boolean(view?.won);

/** @param {string} text */
const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {State} state @returns {string} what happened, in one line */
function headline(state) {
  const { rival, racePlace, summary } = state;
  if (rival) return capitalized(versusText(rival));
  const told = racePlace || summary?.headline;
  if (told) return told;
  if (isWon(state)) return t("Won in {time}", { time: clockText(elapsed(state)) });
  return t("{up} of {goal} cards up", { up: state.view?.cards_up ?? 0, goal: state.view?.goal ?? 0 });
}

/** @param {State} state @returns {string} why the game ended, unless it was won or given up */
function howText({ how, felt }) {
  if (how !== "closed") return "";
  return felt.dataset.race ? t("Time is up") : t("This game has closed");
}

/** @param {State} state @param {string} what @param {() => void} action */
function once({ announced }, what, action) {
  if (announced.has(what)) return;
  announced.add(what);
  action();
}

/** @param {Promise<unknown>} promise @returns {Promise<unknown>} resolves no later than `WITHIN` */
const soon = (promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, WITHIN))]);

/** @param {State} state */
function win(state) {
  play("won");
  celebrated = new Promise((resolve) => celebrate(state, () => resolve()));
}

function open() {
  byId("finish-open").hidden = false;
  if (!panel().open) panel().showModal();
}

/** @param {State} state @returns {string} the verdict; empty for a practice game in order */
function rankText({ status, verdict, felt }) {
  const isRanked = felt.dataset.ranked === "true" || Boolean(felt.dataset.race);
  if (status === "pending") return isRanked ? t("Checking your game…") : "";
  if (status === "verified") return isRanked ? t("Your result counts.") : "";
  // The panel below says why, until when, and what the player can do.
  if (status === "review") return t("Under review");
  const coded = (verdict?.reasons ?? []).filter((/** @type {{code: string}} */ { code }) => code !== "other");
  const reasons = coded.map(reasonText).join(" ");
  return t("Your result doesn't count: {reasons}", { reasons });
}
