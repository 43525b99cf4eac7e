/** Texts for each check and its result. */

import { t, tn } from "../shared/i18n.js";

/** @import { Check, Finding } from "./findings.js" */

/**
 * @typedef {Record<string, string | number>} Values
 */

/** @type {Record<Check, () => string>} */
const TITLES = {
  replays: () => t("It replays"),
  server: () => t("The server replays it too"),
  places: () => t("The places are right"),
  limit: () => t("The time limit was kept"),
  number: () => t("It is the numbered deal"),
  commitment: () => t("The seed matches the commitment"),
  terms: () => t("Game, time limit and start were fixed before"),
  deck: () => t("The seed deals these cards"),
  ledger: () => t("The deal was announced before it opened"),
  chain: () => t("The ledger’s chain is unbroken"),
  head: () => t("The ledger still has the head you noted"),
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
  replays: (v) => t("Every move is legal; {cards_up} of {goal} cards were up after {tokens} moves.", v),
  "replays-won": (v) => t("Every move is legal, and the game was won in {tokens} moves.", v),
  "replays-not": (v) => t("The rules refuse it at move {index}.", v),
  "no-rules": () => t("It was played by a version of the rules that this page does not know."),
  "replays-end": () => t("Its times or its end do not fit its moves."),
  "no-answer": () => t("The server has not replayed it."),
  unproven: () => t("The deal was announced without a winning line, so there is none to replay."),
  lineless: () => t("The file has no winning line to replay."),
  withheld: () => t("The ledger says that a winning line was known, but the file has none."),
  "not-winning": () => t("The line in the file does not win the deal."),
  "another-deal": () => t("The winning line in the file was played on another deal."),
  "race-records": ({ n }) =>
    tn("The record replays to what is stated.", "All {n} records replay to what is stated.", Number(n)),
  "race-record": (v) => t("The record of {whose} does not replay to what is stated.", v),
  "race-undone": (v) => t("{whose} undid a move that revealed a card, which this race doesn't allow.", v),
  "race-deal": (v) => t("The record of {whose} was played on another deal.", v),
  "race-empty": () => t("The file has no record."),
  // The places are right
  places: () => t("Worked out again from the figures stated for everybody, they are those in the file."),
  "places-other": (v) => t("The place of {whose} should be {place}.", v),
  // The time limit was kept
  limit: (v) => t("Nobody played for longer than {limit} s.", v),
  "limit-passed": (v) => t("The clock of {whose} ran past the limit of {limit} s.", v),
  "limit-early": (v) => t("The game of {whose} was closed before the limit of {limit} s.", v),
  // It is the numbered deal
  number: (v) => t("It was played on practice deal number {number}.", v),
  "number-other": () => t("The number named deals other cards: this was played on another deal."),
  // The seed matches the commitment
  commitment: (v) => t("The SHA-256 of the seed is the commitment in the file: {commitment}", v),
  "commitment-other": (v) => t("The SHA-256 of the seed is {commitment}, but the file says {stated}.", v),
  "race-commitment": (v) =>
    t("The commitment in the file is that of its seed, game, time limit and start: {commitment}", v),
  "race-commitment-other": (v) =>
    t("The commitment of this seed, game, time limit and start is {commitment}, but the file says {stated}.", v),
  "terms-open": () =>
    t("A file of version 1 fixes the cards alone: its game, time limit and start may have been changed."),
  "commitment-line": (v) => t("The SHA-256 of the seed stands in line {index} of the ledger: {commitment}", v),
  "commitment-unsaid": (v) => t("The ledger does not announce the SHA-256 of the seed for this deal: {commitment}", v),
  undaily: () => t("No daily deal has this seed. Practice deals and races are not in the ledger."),
  practice: () => t("Practice deals are not announced: their numbers are known to everybody."),
  // The seed deals these cards
  deck: () => t("The cards shuffled in your browser lie in the order that is published for the deal."),
  "deck-other": () => t("The cards shuffled in your browser lie in another order than is published for the deal."),
  "deck-file": () => t("The cards shuffled in your browser lie in the order that the file states."),
  "deck-file-other": () => t("The cards shuffled in your browser lie in another order than the file states."),
  "deck-none": () => t("No order of the cards is published for this deal."),
  // The deal was announced before it opened
  announced: (v) =>
    [
      t("Line {index} of the ledger, written {published}; the deal opened {opens}.", v),
      t("When it was written is the ledger’s own word: a head noted before the opening proves it."),
    ].join(" "),
  late: (v) =>
    t(
      "Line {index} of the ledger was written only {published}: the deal opened {opens}. Normal on a site’s first day.",
      v,
    ),
  "deal-unsaid": () => t("The file is not of the deal that the link names."),
  unannounced: () => t("The ledger has no line for this deal."),
  elsewhere: (v) => t("The file says line {index}, but the deal stands in line {found} of the ledger.", v),
  "announced-other": (v) => t("Line {index} of the ledger announces another seed or other rules for this deal.", v),
  "no-line": () => t("Without a line of the ledger there is nothing to compare."),
  "undaily-line": () => t("Only daily deals are announced in the ledger."),
  race: () => t("The commitment of a race is shown in its room before the start, not in the ledger."),
  broken: () => t("The ledger’s chain is broken before it comes to this deal."),
  // The ledger’s chain is unbroken
  chain: (v) => t("Every line follows from the one before, up to line {index}. Note its hash: {hash}", v),
  unreadable: (v) => t("Line {index} cannot be read.", v),
  misplaced: (v) => t("Another line stands in the place of line {index}.", v),
  unchained: (v) => t("Line {index} does not follow from the line before.", v),
  misnamed: (v) => t("The hash given for line {index} is not that of what it says.", v),
  empty: () => t("The ledger has no line yet."),
  "no-ledger": () => t("The ledger could not be read."),
  // The ledger still has the head you noted
  head: ({ index, after }) =>
    tn(
      "It is line {index}; one line has followed since.",
      "It is line {index}; {n} lines have followed since.",
      Number(after),
      { index },
    ),
  "head-gone": () => t("No line has this hash, or not in this place: what you noted has been changed or left out."),
  "no-head": () => t("You have given none. A hash noted today shows tomorrow whether anything before it has changed."),
};

/** @param {Finding} finding */
export const sentenceOf = ({ says, values }) => SENTENCES[says](values ?? {});

/** Keys of all sentences, for the tests. */
export const SAID = Object.keys(SENTENCES);
