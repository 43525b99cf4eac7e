/** Slots for piles, with the number of cards in piles that do not show them. */

import { part, write } from "../../shared/dom.js";
import { pileText } from "./cards.js";
import { sizeOf } from "../state/cards.js";
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
    // In a storm, the game before may have had other piles.
    for (const [pile, tally] of this.#tallies) tally.hidden = !wanted.has(pile) || !this.#hasTally(pile, view);
    for (const slot of layout.slots) {
      const element = this.elements.get(slot.pile) ?? this.#create(slot.pile);
      this.#sign(element, slot.sign ?? "", view);
      this.#dress(element, slot, view, filled);
      if (this.#hasTally(slot.pile, view)) this.#tally(slot, sizeOf(view, slot.pile), layout.h);
    }
  }

  /** @param {Pile} pile @returns {HTMLElement} */
  #create(pile) {
    const element = part("div", `slot kind-${pile[0]}`);
    Object.assign(element, { id: `slot-${pile}`, role: "button", tabIndex: -1 });
    element.dataset.pile = pile;
    this.elements.set(pile, element);
    this.felt.prepend(element);
    return element;
  }

  /** Draws the sign of an empty slot. @param {HTMLElement} element @param {string} sign @param {View} view */
  #sign(element, sign, view) {
    if (element.dataset.sign === sign) return;
    element.dataset.sign = sign;
    const emblem = EMBLEMS[/** @type {"cups"} */ (sign)];
    element.replaceChildren(
      emblem
        ? this.faces.artwork(view).picture("-11 -11 22 22", "emblem", [emblem])
        : part("span", "sign", signText(sign)),
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

  /** Shows a pile's size over its lower edge. @param {Slot} slot @param {number} size @param {number} h of a card */
  #tally({ pile, x, y, w, foot }, size, h) {
    let element = this.#tallies.get(pile);
    if (!element) {
      element = Object.assign(part("span", "tally"), { ariaHidden: "true" });
      this.#tallies.set(pile, element);
      this.felt.append(element);
    }
    write(element, String(size));
    element.hidden = size === 0;
    move(element, x + w / 2, foot ?? y + h, 0);
  }
}

/** @param {string} sign */
function signText(sign) {
  if (sign === "T") return "10";
  return sign.length <= 2 ? sign : "";
}
