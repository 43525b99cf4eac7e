/** Slots for piles, with the number of cards in piles that do not show them. */

import { pileText, sizeOf } from "./cards.js";
import { move } from "./motion.js";

/** @import { Faces } from "./faces.js" */
/** @import { Layout, Pile, Slot, View } from "../state/types.js" */

const EMBLEMS = { wands: "W", cups: "C", swords: "S", pentacles: "P", trumps: "M" };

export class Slots {
  /** @type {Map<Pile, HTMLElement>} */ elements = new Map();
  /** @type {Map<Pile, HTMLElement>} */ #tallies = new Map();

  /** @param {HTMLElement} felt @param {Faces} faces */
  constructor(felt, faces) {
    this.felt = felt;
    this.faces = faces;
  }

  /** @param {Layout} layout @param {View} view @param {Set<Pile>} filled piles that show a card */
  draw(layout, view, filled) {
    const wanted = new Set(layout.slots.map((slot) => slot.pile));
    for (const [pile, element] of this.elements)
      if (!wanted.has(pile)) {
        element.remove();
        this.elements.delete(pile);
      }
    for (const slot of layout.slots) {
      const element = this.elements.get(slot.pile) ?? this.#create(slot.pile);
      this.#sign(element, slot.sign ?? "", view);
      this.#dress(element, slot, view, filled);
      if (this.#hasTally(slot.pile, view)) this.#tally(slot, sizeOf(view, slot.pile), layout.h);
    }
  }

  /** @param {Pile} pile @returns {HTMLElement} */
  #create(pile) {
    const element = document.createElement("div");
    element.id = `slot-${pile}`;
    element.className = `slot kind-${pile[0]}`;
    element.dataset.pile = pile;
    element.setAttribute("role", "button");
    element.tabIndex = -1;
    this.elements.set(pile, element);
    this.felt.prepend(element);
    return element;
  }

  /** Draws the sign of an empty slot. @param {HTMLElement} element @param {string} sign @param {View} view */
  #sign(element, sign, view) {
    if (element.dataset.sign === sign) return;
    element.dataset.sign = sign;
    const emblem = EMBLEMS[/** @type {"cups"} */ (sign)];
    if (emblem) element.replaceChildren(this.faces.artwork(view).picture("-11 -11 22 22", "emblem", [emblem]));
    else
      element.replaceChildren(
        Object.assign(document.createElement("span"), { className: "sign", textContent: signText(sign) }),
      );
  }

  /** @param {HTMLElement} element @param {Slot} slot @param {View} view @param {Set<Pile>} filled */
  #dress(element, slot, view, filled) {
    const { pile } = slot;
    const size = sizeOf(view, pile);
    const [stock, waste, reserve] = [pile[0] === "s", pile[0] === "w", pile === "r"];
    element.classList.toggle("dim", Boolean(slot.dim));
    element.classList.toggle("back", (stock && size > 0) || (reserve && (view.under[pile] ?? 0) > 0));
    element.classList.toggle("paper", waste && size > 0);
    element.classList.toggle("deep", size > 3 && (stock || waste || reserve) && view.game !== "braid");
    element.classList.toggle("filled", filled.has(pile));
    const label = pileText(view, pile);
    if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
    const at = `${slot.x} ${slot.y} ${slot.w} ${slot.h}`;
    if (element.dataset.at === at) return;
    element.dataset.at = at;
    move(element, slot.x, slot.y, 0);
    element.style.width = `${slot.w}px`;
    element.style.height = `${slot.h}px`;
  }

  /** @param {Pile} pile @param {View} view */
  #hasTally(pile, view) {
    return pile[0] === "s" || pile[0] === "w" || (pile === "r" && view.game === "plot");
  }

  /**
   * Shows the number of cards in a pile over its lower edge.
   * @param {Slot} slot
   * @param {number} size
   * @param {number} h of a card
   */
  #tally({ pile, x, y, w, foot }, size, h) {
    let element = this.#tallies.get(pile);
    if (!element) {
      element = Object.assign(document.createElement("span"), { className: "tally" });
      element.setAttribute("aria-hidden", "true");
      this.#tallies.set(pile, element);
      this.felt.append(element);
    }
    const text = String(size);
    if (element.textContent !== text) element.textContent = text;
    element.hidden = size === 0;
    move(element, x + w / 2, foot ?? y + h, 0);
  }
}

/** @param {string} sign */
function signText(sign) {
  if (sign === "T") return "10";
  return sign.length <= 2 ? sign : "";
}
