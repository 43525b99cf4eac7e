/** Verdicts on a replay's positions, drawn as a band under its seek bar and described in words. */

import { part } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { moveText } from "../hud/announce.js";
import { imagine } from "../state/moves.js";

/** @import { Token, View } from "../state/types.js" */

/**
 * The verdict on the position after each number of moves: moves to a win, or a negative code.
 * @typedef {number} Verdict
 * @typedef {"won"|"lost"|"unknown"} Kind
 * @typedef {{from: number, to: number, kind: Kind}} Stretch consecutive positions of one kind
 * @typedef {{n: number, to: number, better: [Token, number][], unknown: number}} Turn where a game was lost
 */

const LOST = -1;

/** @param {Verdict} verdict @returns {Kind} */
const kindOf = (verdict) => (verdict >= 0 ? "won" : verdict === LOST ? "lost" : "unknown");

/** @param {Verdict[]} verdicts @returns {Stretch[]} */
export function stretchesOf(verdicts) {
  /** @type {Stretch[]} */
  const found = [];
  verdicts.forEach((verdict, n) => {
    const kind = kindOf(verdict);
    const last = found.at(-1);
    if (last?.kind === kind) last.to = n;
    else found.push({ from: n, to: n, kind });
  });
  return found;
}

/**
 * Draws each position's part of the band below the bar's thumb position; kinds differ in height and pattern as well as
 * in colour.
 * @param {HTMLElement} band @param {Verdict[]} verdicts @param {Turn[]} turns
 */
export function drawBand(band, verdicts, turns) {
  const length = Math.max(1, verdicts.length - 1);
  const place = (/** @type {number} */ n) => `${(100 * Math.max(0, Math.min(length, n))) / length}%`;
  const parts = stretchesOf(verdicts).map(({ from, to, kind }) => {
    const stretch = part("span", kind);
    stretch.style.left = place(from - 0.5);
    stretch.style.right = `calc(100% - ${place(to + 0.5)})`;
    return stretch;
  });
  const marks = turns.map(({ to }) => {
    const mark = part("span", "turn");
    mark.style.left = place(to);
    return mark;
  });
  band.replaceChildren(...parts, ...marks);
}

/** @param {Verdict} verdict @param {number} at moves made @returns {string} the verdict on a position, as text */
export function verdictText(verdict, at) {
  if (verdict === 0) return t("Won.");
  if (verdict > 0) return tn("It can still be won, in one move.", "It can still be won, in {n} moves.", verdict);
  if (verdict !== LOST) return t("We don't know if it can be won from here.");
  return at === 0 ? t("This deal can't be won.") : t("Lost: it can't be won from here.");
}

/** @param {Stretch} stretch @returns {string} */
export function stretchText({ from, to, kind }) {
  const where = from === to ? t("After move {n}", { n: from }) : t("After moves {from} to {to}", { from, to });
  const what = { won: t("winnable"), lost: t("lost"), unknown: t("unknown") };
  return `${where}: ${what[kind]}`;
}

/** @param {Turn} turn @returns {string} */
export const turnText = ({ n, to }) =>
  n + 1 === to ? t("Lost with move {n}", { n: to }) : t("Lost between moves {from} and {to}", { from: n + 1, to });

/**
 * The text at the last position that could be won.
 * @param {Turn} turn @param {number} named number of better moves named below
 */
export function chanceText({ n, to, better, unknown }, named) {
  const exact = n + 1 === to;
  const one = exact
    ? t("The win slipped away here. This move would have kept it.")
    : t("The last chance that we know of: this move would have won.");
  const many = exact
    ? t("The win slipped away here. These moves would have kept it.")
    : t("The last chance that we know of: these moves would have won.");
  const none = exact ? t("The win slipped away here.") : t("The last chance that we know of.");
  const parts = [better.length > 1 ? many : better.length === 1 ? one : none];
  const more = better.length - named;
  if (more > 0) parts.push(tn("One more would have won, too.", "{n} more would have won, too.", more));
  if (unknown > 0) parts.push(tn("For one other move, we don't know.", "For {n} other moves, we don't know.", unknown));
  return parts.join(" ");
}

/** @param {View} view @param {Token} token a possible move @returns {string} */
export function moveName(view, token) {
  if (token !== "d") return moveText(view, imagine(view, token), token);
  return view.game === "labyrinth" ? t("deal a row") : t("draw from the stock");
}

/** @param {View} view @param {Token} token a better move, which was not made @param {number} moves @returns {string} */
export const betterText = (view, token, moves) =>
  tn("{move}: won in one move", "{move}: won in {n} moves", moves, { move: moveName(view, token) });
