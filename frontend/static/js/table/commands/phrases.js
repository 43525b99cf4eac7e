/** Commands in the player's language, and which of them a text means. */

import { t } from "../../shared/i18n.js";
import { rankName } from "../drawing/cards.js";

/**
 * @typedef {object} Command
 * @property {string} id
 * @property {string} phrases ways to say it, separated by " | ", the usual one first
 * @property {string} about for the list of commands; empty if it is not listed
 *
 * @typedef {{card?: string, place?: string, pile?: string}} Slots names in a command, as `words` gives them
 */

/** @returns {Command[]} in the order in which they are tried */
export const commands = () => [
  // Translators: ways to say one command, separated by |. They may differ in number, but not in their placeholders.
  { id: "moves", phrases: t("what can I move | what can I do | moves"), about: t("every move you can make") },
  {
    id: "options",
    phrases: t("where can {card} go | what can {card} do | options for {card}"),
    about: t("the moves of one card"),
  },
  { id: "where", phrases: t("where is {card} | find {card}"), about: t("where a card is") },
  {
    id: "count",
    phrases: t("how many cards are in {pile} | how many cards are on {pile} | count {pile}"),
    about: t("the size of a pile"),
  },
  {
    id: "read",
    phrases: t("read {pile} | what is in {pile} | what is on {pile}"),
    about: t("the cards of a pile, from the bottom; or of the piles, the foundations, the reserve, the table"),
  },
  {
    id: "move",
    phrases: t("move {card} to {place} | move {card} on {place} | move {card} onto {place} | put {card} on {place}"),
    about: t("makes a move"),
  },
  { id: "move", phrases: t("{card} to {place}"), about: "" },
  { id: "up", phrases: t("move {card} up | send {card} up | {card} up"), about: t("moves a card to its foundation") },
  { id: "up", phrases: t("{card} to the foundation"), about: "" },
  { id: "play", phrases: t("move {card} | play {card}"), about: t("the same, if there is only one place to go") },
  { id: "draw", phrases: t("draw | deal | turn over"), about: t("draws, deals a row, or turns the waste over") },
  { id: "draw", phrases: t("draw a card"), about: "" },
  { id: "draw", phrases: t("deal a row"), about: "" },
  { id: "draw", phrases: t("turn the waste over"), about: "" },
  { id: "upwards", phrases: t("build up"), about: "" },
  { id: "downwards", phrases: t("build down"), about: "" },
  { id: "undo", phrases: t("undo | take it back"), about: t("takes back the last move") },
  { id: "redo", phrases: t("redo | make it again"), about: t("makes the undone move again") },
  { id: "hint", phrases: t("hint | help me"), about: t("one good move, where hints are allowed") },
  { id: "finish", phrases: t("finish | finish the game"), about: t("plays the rest, when offered") },
  { id: "changed", phrases: t("what changed | what has changed | what happened"), about: t("the latest moves") },
  { id: "repeat", phrases: t("repeat | say that again"), about: t("the last answer again") },
  { id: "score", phrases: t("score | how many cards are up"), about: t("cards up, moves, and facts about the game") },
  { id: "time", phrases: t("time | how long have I played"), about: t("the time on the clock") },
  { id: "ahead", phrases: t("who is ahead | who is leading"), about: t("how you compare with the others") },
  { id: "pause", phrases: t("pause | resume"), about: t("pauses or resumes a practice game") },
  { id: "resign", phrases: t("give up | end the game"), about: t("asks whether to give up") },
  { id: "commands", phrases: t("commands | help | what can I say"), about: t("this list") },
  { id: "close", phrases: t("close | close the commands"), about: t("closes the command line, as Esc does") },
];

/** @param {Command} command @returns {string[]} */
export const waysOf = ({ phrases }) => phrases.split(" | ");

/** @param {string} text @returns {string} without case, accents and punctuation */
const plain = (text) =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/œ/g, "oe")
    .replace(/ß/g, "ss")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** @param {string} word @returns {string} without endings of plurals and cases, in any of the languages */
const stem = (word) => word.replace(/(?<=...)e?s$/, "").replace(/(?<=...)(?:e?n|e)$/, "");

const RANKS = [..."23456789T"];

/** The player's language, prepared once. */
class Language {
  /** Words that carry no meaning in a command. */
  // Translators: articles and other words that a command is understood without.
  fillers = new Set(plain(t("a an the my of please is are s")).split(" "));
  numbers = new Map(
    // Translators: numbers as words, in order, from one. Don't leave one out.
    plain(t("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"))
      .split(" ")
      .map((word, k) => [word, String(k + 1)]),
  );

  constructor() {
    RANKS.forEach((rank, k) => this.numbers.set(plain(rankName(rank)), String(k + 2)));
    this.pile = plain(t("pile {number}", { number: "" }));
    this.patterns = commands().flatMap((command) =>
      waysOf(command).map((way) => ({ id: command.id, pattern: this.pattern(way) })),
    );
  }

  /** @param {string} text @returns {string} its words in a form in which equal ones look equal */
  words(text) {
    return plain(text)
      .split(" ")
      .map((word) => (word === "tableau" ? this.pile : word))
      .filter((word) => !this.fillers.has(word))
      .map((word) => this.numbers.get(word) ?? stem(word))
      .join(" ");
  }

  /** @param {string} way to say a command */
  pattern(way) {
    const parts = way.split(/\{(\w+)\}/).map((part, k) => (k % 2 ? `(?<${part}>.+)` : this.words(part)));
    return new RegExp(`^${parts.filter(Boolean).join(" ")}$`);
  }
}

/** @type {Language|null} */
let language = null;
const spoken = () => (language ??= new Language());

/** @param {string} text @returns {string} */
export const words = (text) => spoken().words(text);

/** @param {string} text @returns {{id: string, slots: Slots}[]} the commands it may mean, likeliest first */
export function readings(text) {
  const said = words(text);
  return spoken().patterns.flatMap(({ id, pattern }) => {
    const match = pattern.exec(said);
    return match ? [{ id, slots: { ...match.groups } }] : [];
  });
}
