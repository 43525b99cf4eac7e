/** Card elements: faces, backs and accessible names. */

import { part } from "../../shared/dom.js";
import { settings } from "../../site/settings.js";
import { artworkAt } from "./artwork.js";
import { cardName, pileName } from "./cards.js";
import { deckOf, suitOf } from "../state/cards.js";
import { small } from "../../games/card-spacing.js";

/** @import { CardRect, View } from "../state/types.js" */

const [CIRCLE, SQUARE] = ["M-10 0a10 10 0 1 0 20 0a10 10 0 1 0-20 0z", "M-9-9H9V9H-9z"];
const [LOZENGE, TRIANGLE] = ["M0-11L10 0L0 11L-10 0z", "M0-11L10 9H-10z"];
/**
 * Suit shapes for colour-blind players, no wider than an emblem.
 * @type {Record<string, string>}
 */
const BADGES = {
  spades: TRIANGLE,
  hearts: CIRCLE,
  diamonds: LOZENGE,
  clubs: SQUARE,
  swords: TRIANGLE,
  cups: CIRCLE,
  pentacles: LOZENGE,
  wands: SQUARE,
};

let serial = 0;

/** @returns {HTMLElement} a blank card */
export function blankCard() {
  return Object.assign(part("div", "card", part("div", "face")), {
    id: `card-${serial++}`,
    role: "button",
    tabIndex: -1,
  });
}

export class Faces {
  /** True for small cards, which show one emblem and a larger index. */
  #small = false;
  /** True if the index shows the shape of the suit. */
  #badges = false;

  /** @param {Record<string, string>} sprites addresses by deck */
  constructor(sprites) {
    this.sprites = sprites;
  }

  /** Adapts to the settings. @param {number} w card width in pixels @returns {boolean} whether all faces change */
  adapt(w) {
    const [isSmall, badges] = [small(w), settings.card_face === "colours"];
    const changes = isSmall !== this.#small || badges !== this.#badges;
    this.#small = isSmall;
    this.#badges = badges;
    return changes;
  }

  /**
   * Draws a card's face or back, and labels it with its name and pile.
   * @param {HTMLElement} element @param {CardRect} rect @param {View} view
   */
  dress(element, rect, view) {
    const { code } = rect;
    element.setAttribute("aria-label", `${cardName(code, view.game)}, ${pileName(rect.pile, view)}`);
    element.dataset.pile = rect.pile;
    element.dataset.i = String(rect.i);
    element.classList.toggle("down", code === null);
    const symbols = code === null ? [] : this.#symbols(code, rect.mirror);
    const suit = code === null ? undefined : suitOf(code, view.game);
    const badge = this.#badges && suit ? BADGES[suit] : undefined;
    const dressed = (badge ? ["badge", ...symbols] : symbols).join();
    if (element.dataset.dressed === dressed) return;
    element.dataset.dressed = dressed;
    if (suit) element.dataset.suit = suit;
    else delete element.dataset.suit;
    const face = /** @type {HTMLElement} */ (element.firstElementChild);
    face.replaceChildren(...(code === null ? [] : [this.artwork(view).picture("0 0 100 140", "", symbols, badge)]));
  }

  /** @param {{game: string}} view a view or a deal */
  artwork(view) {
    return artworkAt(this.sprites[deckOf(view.game)]);
  }

  /** @param {string} code @param {boolean} [mirror] @returns {string[]} */
  #symbols(code, mirror) {
    if (this.#small) return [`${code}-${mirror ? "d" : "c"}`];
    return [code, `${code}-${mirror ? "j" : "i"}`];
  }
}
