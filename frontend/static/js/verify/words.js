/** Texts for each check and its result. */

import { t, tn } from "../shared/i18n.js";

/** @import { Check, Finding } from "./findings.js" */

/**
 * @typedef {Record<string, string | number>} Values
 */

/** @type {Record<Check, () => string>} */
const TITLES = {
  replays: () => t("The moves are legal"),
  server: () => t("The server agrees"),
  places: () => t("The places are right"),
  limit: () => t("The time limit was kept"),
  number: () => t("It is the deal with that number"),
  commitment: () => t("The seed matches the seal"),
  terms: () => t("Game, time limit and start were fixed in advance"),
  deck: () => t("The seed deals these cards"),
  ledger: () => t("The deal was announced before it opened"),
  chain: () => t("The ledger is unbroken"),
  head: () => t("The ledger still contains your hash"),
};

/** @param {Check} check */
export const titleOf = (check) => TITLES[check]();

/** @param {Finding["state"]} state */
export function stateOf(state) {
  if (state === "passed") return t("passed");
  return state === "failed" ? t("failed") : t("could not be checked");
}

/** @type {Record<string, (values: Values) => string>} */
const SENTENCES = {
  // It replays
  replays: (v) => t("Every move is legal: {cards_up} of {goal} cards up after {tokens} moves.", v),
  "replays-won": (v) => t("Every move is legal, and the game was won in {tokens} moves.", v),
  "replays-not": (v) => t("Move {index} is not legal.", v),
  "no-rules": () => t("This page doesn't know this record's version of the rules."),
  "replays-end": () => t("Its times or its ending don't fit its moves."),
  "no-answer": () => t("The server didn't replay it."),
  unproven: () => t("The deal was announced without a solution, so there is nothing to replay."),
  lineless: () => t("The file has no solution to replay."),
  withheld: () => t("The ledger says a solution was known, but the file has none."),
  "not-winning": () => t("The solution in the file doesn't win."),
  "another-deal": () => t("The solution in the file belongs to another deal."),
  "race-records": ({ n }) =>
    tn("The record gives the stated result.", "All {n} records give the stated results.", Number(n)),
  "race-record": (v) => t("{whose}'s record doesn't give the stated result.", v),
  "race-undone": (v) => t("{whose} undid a move that turned up a card. This race doesn't allow that.", v),
  "race-deal": (v) => t("{whose}'s record belongs to another deal.", v),
  "race-empty": () => t("The file has no record."),
  // The places are right
  places: () => t("Computed again from everyone's results, they match the file."),
  "places-other": (v) => t("{whose}'s place should be {place}.", v),
  // The time limit was kept
  limit: (v) => t("No one played for longer than {limit} s.", v),
  "limit-passed": (v) => t("{whose}'s clock ran past the limit of {limit} s.", v),
  "limit-early": (v) => t("{whose}'s game was closed before the limit of {limit} s.", v),
  // It is the numbered deal
  number: (v) => t("It was played on practice deal number {number}.", v),
  "number-other": () => t("The number given deals other cards. This was played on another deal."),
  // The seed matches the commitment
  commitment: (v) => t("The SHA-256 of the seed is the seal in the file: {commitment}", v),
  "commitment-other": (v) => t("The SHA-256 of the seed is {commitment}, but the file says {stated}.", v),
  "race-commitment": (v) => t("The seal in the file fits its seed, game, time limit and start: {commitment}", v),
  "race-commitment-other": (v) =>
    t("The seal of this seed, game, time limit and start is {commitment}, but the file says {stated}.", v),
  "terms-open": () => t("A version 1 file seals only the cards. Its game, time limit and start may have been changed."),
  "commitment-line": (v) => t("The SHA-256 of the seed is in line {index} of the ledger: {commitment}", v),
  "commitment-unsaid": (v) => t("The ledger does not announce the SHA-256 of the seed for this deal: {commitment}", v),
  undaily: () => t("No daily game has this seed. Practice deals and races are not in the ledger."),
  practice: () => t("Practice deals are not announced: everyone knows their numbers."),
  // The seed deals these cards
  deck: () => t("The cards shuffled in your browser are in the published order."),
  "deck-other": () => t("The cards shuffled in your browser are not in the published order."),
  "deck-file": () => t("The cards shuffled in your browser are in the order in the file."),
  "deck-file-other": () => t("The cards shuffled in your browser are not in the order in the file."),
  "deck-none": () => t("No card order is published for this deal."),
  // The deal was announced before it opened
  announced: (v) =>
    [
      t("Line {index} of the ledger, written {published}; the deal opened {opens}.", v),
      t("That date is the ledger's own claim. A hash noted before the opening proves it."),
    ].join(" "),
  late: (v) => t("Line {index} was written {published}, but the deal opened {opens}. Normal on a site's first day.", v),
  "deal-unsaid": () => t("The file doesn't belong to the deal in the link."),
  unannounced: () => t("The ledger has no line for this deal."),
  elsewhere: (v) => t("The file says line {index}, but the deal is in line {found} of the ledger.", v),
  "announced-other": (v) => t("Line {index} of the ledger announces another seed or other rules for this deal.", v),
  "no-line": () => t("Without a ledger line there is nothing to compare."),
  "undaily-line": () => t("Only daily games are announced in the ledger."),
  race: () => t("A race's seal is shown in its room before the start, not in the ledger."),
  broken: () => t("The ledger is broken before this deal."),
  // The ledger’s chain is unbroken
  chain: (v) => t("Every line follows from the one before, up to line {index}. Note its hash: {hash}", v),
  unreadable: (v) => t("Line {index} cannot be read.", v),
  misplaced: (v) => t("Another line is in the place of line {index}.", v),
  unchained: (v) => t("Line {index} does not follow from the line before.", v),
  misnamed: (v) => t("The hash of line {index} doesn't fit its content.", v),
  empty: () => t("The ledger has no line yet."),
  "no-ledger": () => t("The ledger could not be read."),
  // The ledger still has the head you noted
  head: ({ index, after }) =>
    tn(
      "It is line {index}. One line was added since.",
      "It is line {index}. {n} lines were added since.",
      Number(after),
      { index },
    ),
  "head-gone": () => t("No line has this hash, or not in this place. The line you noted was changed or removed."),
  "no-head": () => t("You gave no hash. Note one today, and tomorrow it shows whether anything before it has changed."),
};

/** @param {Finding} finding */
export const sentenceOf = ({ says, values }) => SENTENCES[says](values ?? {});

/** Keys of all sentences, for the tests. */
export const SAID = Object.keys(SENTENCES);
