/** Texts of a puzzle: the task, the outcome of a move, and the text to share. */

import { t, tn } from "../../shared/i18n.js";
import { cardName } from "../drawing/cards.js";

/** @import { View } from "../state/types.js" */
/** @import { Loss } from "./loss-display.js" */
/** @import { Progress } from "./puzzle.js" */

/**
 * @typedef {{state: string, label: string, words: string}} Outcome
 * @typedef {{asks: "win"|"loss", turns: number, goal: number, choices: number}} Aim kind of move to find, number of
 *   turns, cards that must go up, and different moves at the first turn
 * @typedef {{own: number|null, provisional: boolean, puzzle: number|null, seen_in: string|null}} Ratings
 */

/** Cards named after a wrong move; more would be hard to follow. */
const NAMED = 2;

/** @param {Progress} progress @param {Ratings} ratings @param {Aim} aim @returns {Outcome} */
export function task(progress, ratings, aim) {
  const { label, words, state } = nextTurn(progress, aim);
  return { state, label, words: [words, unratedText(progress, ratings)].filter(Boolean).join(" ") };
}

/** @param {Progress} progress @param {Aim} aim @returns {Outcome} */
function nextTurn({ turn }, { asks, turns, goal, choices: n }) {
  if (turn > 0) {
    const words = tn("One more move to find.", "{n} more moves to find.", turns - turn);
    return { state: "right", label: t("Right!"), words };
  }
  const how = t("Tap a card to see where it can go; tap it again, or drag it, to play.");
  if (asks === "loss") {
    const others = t("You have {n} moves with cards. After any other, all {goal} cards can still go up.", { n, goal });
    const words = [others, t("Drawing never loses here."), how].join(" ");
    return { state: "try", label: t("One of your moves loses. Which?"), words };
  }
  const words = [t("all {goal} cards must go up, and of your {n} moves only one still gets you there.", { goal, n })];
  const more = turns - 1;
  if (more > 0) words.push(tn("Find it, and then one more like it.", "Find it, and then {n} more like it.", more));
  words.push(how);
  return { state: "try", label: t("Your move:"), words: words.join(" ") };
}

/** The end of the game after a wrong move. @param {View} view the last one @returns {Outcome} */
export function afterWrong({ cards_up: up, goal, won }) {
  if (won) return { state: "done", label: t("The game is won."), words: "" };
  const words = t("After this move, this is as far as a good game gets: {up} of {goal} cards up.", { up, goal });
  return { state: "lost", label: t("No more cards fit."), words };
}

/**
 * @param {Progress} progress @param {number|null} streak days @param {Ratings} ratings @param {number|null} left
 * @returns {Outcome}
 */
export function ending(progress, streak, ratings, left) {
  const { state, label, words } = result(progress, streak);
  const puzzle = ratings.puzzle === null ? "" : t("This puzzle is rated {n}.", { n: ratings.puzzle });
  const rating = ratingText(progress, ratings) || (progress.review ? "" : unratedText(progress, ratings));
  return { state, label, words: [words, puzzle, rating, leftText(left)].filter(Boolean).join(" ") };
}

/** Says that a puzzle seen elsewhere is not rated, or nothing. @param {Progress} progress @param {Ratings} ratings */
function unratedText({ rating_change: change, review }, { seen_in: place }) {
  if (review) return t("This is a review: one mistake ends it, and it isn't rated.");
  if (!place || change !== null) return "";
  if (place === "streak") return t("You've seen this puzzle in a streak, so it isn't rated.");
  if (place === "storm") return t("You've seen this puzzle in a storm, so it isn't rated.");
  return t("You've seen this puzzle in a race, so it isn't rated.");
}

/** @param {number|null} left number of new puzzles, if there are few */
function leftText(left) {
  if (left === null) return "";
  return tn("One new puzzle left; more come every night.", "{n} new puzzles left; more come every night.", left);
}

/** @param {Progress} progress @param {number|null} streak days @returns {Outcome} */
function result({ solved, mistakes, late }, streak) {
  if (!solved) {
    const words = t("Watch the win. Tomorrow, this puzzle is in your review.");
    return { state: "lost", label: t("Not solved."), words };
  }
  const clean = mistakes === 0 ? t("Without a mistake.") : tn("With one mistake.", "With {n} mistakes.", mistakes);
  if (late) return { state: "done", label: t("Solved!"), words: `${clean} ${t("It was too late for your streak.")}` };
  const days = streak ? ` ${tn("Your streak: one day.", "Your streak: {n} days.", streak)}` : "";
  return { state: "done", label: t("Solved!"), words: clean + days };
}

/** The player's rating and its change by the try, or nothing. @param {Progress} progress @param {Ratings} ratings */
function ratingText({ rating_change: change }, { own, provisional }) {
  if (change === null) return "";
  const points = change > 0 ? `+${change}` : change < 0 ? `−${-change}` : "±0";
  return t("Your puzzle rating: {rating} ({change}).", { rating: `${own}${provisional ? "?" : ""}`, change: points });
}

/** The lacking cards that a refusal names. @param {Loss} loss */
export const lacking = ({ lacks = [] }) => lacks.slice(0, NAMED);

/** @param {string} game @param {Loss} loss @param {Progress} progress @param {Ratings} ratings @returns {Outcome} */
export function refusal(game, loss, progress, ratings) {
  const { mistakes, tries_left: left } = progress;
  const { moves: n } = loss;
  const reasons = n ? [t("With it, the game can be won in {n} moves.", { n })] : [];
  if (loss.most_up !== undefined) {
    const values = { n: loss.most_up, goal: loss.goal ?? 0 };
    reasons.push(t("After it, at most {n} of {goal} cards can reach the foundations.", values));
  }
  if (loss.ends?.length) {
    const cards = loss.ends.slice(0, NAMED).map((card) => cardName(card, game));
    reasons.push(t("The foundations would stop at: {cards}.", { cards: cards.join(", ") }));
  }
  if (loss.best_up !== undefined) {
    const { games = 0, best_up: up, goal = 0 } = loss;
    const best = { games, up, goal };
    reasons.push(t("From there, our computer tried {games} times, and its best was {up} of {goal} cards up.", best));
    const cards = lacking(loss).map((card) => cardName(card, game));
    if (cards.length > 0) reasons.push(t("It never got to: {cards}.", { cards: cards.join(", ") }));
  }
  if (reasons.length === 0) reasons.push(t("After it, the game can't be won."));
  if (mistakes === 1) reasons.push(ratingText(progress, ratings));
  if (left !== null && left > 0) reasons.push(tn("One try left.", "{n} tries left.", left));
  const label = n ? t("That move wins.") : t("That move loses.");
  return { state: "refused", label, words: reasons.filter(Boolean).join(" ") };
}

/** @param {DOMStringMap} puzzle @param {Progress} progress @param {number|null} streak @param {string} address */
export function resultText({ title, day, number = "" }, { turn, mistakes }, streak, address) {
  const marks = "🟥".repeat(mistakes) + "🟩".repeat(turn);
  const name = day ? t("Daily puzzle {number}", { number }) : t("Puzzle {number}", { number });
  const days = streak && streak > 1 ? ` · ${tn("streak: one day", "streak: {n} days", streak)}` : "";
  return [`Talon · ${name} · ${title}`, `${marks}${days}`, address].join("\n");
}
