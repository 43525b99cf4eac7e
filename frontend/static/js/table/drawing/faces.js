/** Card elements: faces, backs and accessible names. */

import { part } from "../../shared/dom.js";
import { artworkAt } from "./artwork.js";
import { cardName, deckOf, pileName, suitOf } from "./cards.js";

/** @import { CardRect, View } from "../state/types.js" */

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
  small = false;

  /** @param {Record<string, string>} sprites addresses by deck */
  constructor(sprites) {
    this.sprites = sprites;
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
    const dressed = symbols.join();
    if (element.dataset.dressed === dressed) return;
    element.dataset.dressed = dressed;
    if (code === null) delete element.dataset.suit;
    else element.dataset.suit = suitOf(code, view.game);
    const face = /** @type {HTMLElement} */ (element.firstElementChild);
    face.replaceChildren(...(code === null ? [] : [this.artwork(view).picture("0 0 100 140", "", symbols)]));
  }

  /** @param {{game: string}} view a view or a deal */
  artwork(view) {
    return artworkAt(this.sprites[deckOf(view.game)]);
  }

  /** @param {string} code @param {boolean} [mirror] @returns {string[]} */
  #symbols(code, mirror) {
    if (this.small) return [`${code}-${mirror ? "d" : "c"}`];
    return [code, `${code}-${mirror ? "j" : "i"}`];
  }
}
