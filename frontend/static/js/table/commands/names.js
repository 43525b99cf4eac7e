/**
 * What the names in a command stand for, among the cards and piles that the player can see. Names are looked up in the
 * form that `words` gives them.
 */

import { t } from "../../shared/i18n.js";
import { cardName, pileName } from "../drawing/cards.js";
import { sizeOf } from "../state/cards.js";
import { words } from "./phrases.js";

/** @import { Card, Pile, View } from "../state/types.js" */

/**
 * @typedef {object} Source cards that a command may move
 * @property {Pile} pile
 * @property {number|null} count cards from its top; null for any
 */

/** The parts of a trump's name: "the Sun", "trump 19". Other names have only the first. */
const PARTS = /^(.*?)(?: \((.*?)(?:,.*)?\))?$/;

/** @param {Card} card @param {string} game @returns {string} without a trump's number and value */
export const shortName = (card, game) => PARTS.exec(cardName(card, game))?.[1] ?? "";

/** @param {Card} card @param {string} game @returns {string[]} all its names; a trump also goes by its number */
function namesOf(card, game) {
  const name = cardName(card, game);
  const [, short = "", number = ""] = PARTS.exec(name) ?? [];
  return [name, short, number || short, `${short} ${number}`].map(words);
}

/** Cards by their names, for each game. @type {Map<string, Map<string, Card>>} */
const decks = new Map();

/** @param {string} game @returns {Map<string, Card>} every card of its deck, by its names */
function deckOf(game) {
  const deck =
    decks.get(game) ?? new Map(cardsOf(game).flatMap((card) => namesOf(card, game).map((name) => [name, card])));
  decks.set(game, deck);
  return deck;
}

/** @param {string} game @returns {Card[]} */
function cardsOf(game) {
  const [ranks, suits] = game === "tarot" ? ["A23456789TPNQK", "WCSP"] : ["A23456789TJQK", "SHDC"];
  const trumps = game === "tarot" ? [...Array(22).keys()].map((number) => `M${number}`) : [];
  return [...[...ranks].flatMap((rank) => [...suits].map((suit) => rank + suit)), ...trumps];
}

export class Names {
  /** @type {{card: Card, pile: Pile, count: number}[]} the cards in sight */ #cards;
  /** @type {Pile[]} */ #piles;

  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.#piles = Object.keys(view.piles);
    this.#cards = this.#piles.flatMap((pile) =>
      view.piles[pile].flatMap((card, k, { length }) => (card ? [{ card, pile, count: length - k }] : [])),
    );
  }

  /** @param {string} name @returns {Card|undefined} the card it names, in sight or not */
  card(name) {
    return deckOf(this.view.game).get(name);
  }

  /** @param {Card|undefined} card @returns {{pile: Pile, count: number}[]} where it can be seen */
  seen(card) {
    return this.#cards.filter((one) => one.card === card);
  }

  /** @param {string} name @returns {Pile[]} one pile, or all that the name stands for; empty if it is unknown */
  piles(name) {
    const { view } = this;
    const one = this.#piles.filter((pile) => words(pileName(pile, view)) === name);
    if (one.length > 0) return one;
    /** @type {[string, (pile: Pile) => boolean][]} */
    const groups = [
      [t("the table"), () => true],
      [t("the foundations"), (pile) => pile[0] === "f"],
      [t("the reserve"), (pile) => pile[0] === "r"],
      [t("the piles"), (pile) => pile[0] === "t" && !["braid", "labyrinth"].includes(view.game)],
      [t("the cells"), (pile) => pile[0] === "t" && view.game === "braid"],
      [t("the rows"), (pile) => pile[0] === "t" && view.game === "labyrinth"],
    ];
    const group = groups.find(([group]) => words(group) === name);
    if (group) return this.#piles.filter(group[1]);
    // The first part of a name: "row 2" of the labyrinth, "foundation 3" of the braid.
    return this.#piles.filter((pile) => words(pileName(pile, view).split(", ")[0]) === name);
  }

  /** @param {string} name @returns {Source[]|null} null if it is unknown; empty for a card that is not in sight */
  sources(name) {
    const card = this.card(name);
    if (card) return this.seen(card);
    const from = this.#cards.filter((one) => words(this.from(one.card, one.pile)) === name);
    if (from.length > 0) return from;
    const piles = this.piles(name).map((pile) => ({ pile, count: null }));
    return piles.length > 0 ? piles : null;
  }

  /** @param {string} name @returns {("f"|Pile)[]} where a card may be put; empty if it is unknown */
  places(name) {
    const { view } = this;
    if (name === words(t("the foundation"))) return ["f"];
    if (name === words(t("an empty pile"))) return this.#piles.filter((one) => one[0] === "t" && !sizeOf(view, one));
    const seen = this.seen(this.card(name));
    const tops = seen.filter(({ count }) => count === 1);
    const piles = seen.length > 0 ? (tops.length > 0 ? tops : seen).map(({ pile }) => pile) : this.piles(name);
    return piles.map((pile) => (pile[0] === "f" ? "f" : pile));
  }

  /** @param {Card} card @param {Pile} pile @returns {string} "seven of cups from pile 3" */
  from(card, pile) {
    return t("{card} from {place}", { card: shortName(card, this.view.game), place: pileName(pile, this.view) });
  }

  /** @param {Pile} from @param {number} count of its top cards @returns {string} as a command can name them */
  source(from, count) {
    const card = this.view.piles[from]?.at(-count);
    if (!card) return pileName(from, this.view);
    return this.seen(card).length > 1 ? this.from(card, from) : shortName(card, this.view.game);
  }

  /** @param {"f"|Pile} to @param {boolean} alike whether all empty piles are interchangeable @returns {string} */
  place(to, alike) {
    const { view } = this;
    if (to === "f") return t("the foundation");
    const card = view.piles[to]?.at(-1);
    if (!card && alike) return t("an empty pile");
    const alone = card && this.seen(card).filter(({ count }) => count === 1).length === 1;
    return card && alone ? shortName(card, view.game) : pileName(to, view);
  }
}
