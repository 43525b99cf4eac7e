/**
 * Brings the page's card elements in line with a layout. An element keeps its card: what moved is found by comparing the layout
 * with the elements that stand, and the style sheet's transitions do the rest, so a new position may come at any moment.
 */

import { t, tn } from "../i18n.js";
import { motionReduced } from "../settings.js";
import { small } from "./layouts/grid.js";
import { cardName, deckOf, pileName, sizeOf, suitOf } from "./cards.js";

/** @import { CardRect, Layout, Pile, Slot, View } from "./types.js" */

const SVG = "http://www.w3.org/2000/svg";
const LEAVE_AFTER = 340;
const SETTLE_AFTER = 330;

/**
 * @typedef {object} Piece a card on the felt
 * @property {HTMLElement} element
 * @property {CardRect} rect
 */

export class Renderer {
  /** @type {Piece[]} */ pieces = [];
  /** @type {Map<Pile, HTMLElement>} */ slots = new Map();
  /** @type {Map<Pile, HTMLElement>} */ tallies = new Map();
  /** @type {Layout|null} */ layout = null;
  /** @type {View|null} */ view = null;
  #serial = 0;
  #width = 0;

  /** @param {HTMLElement} felt @param {Record<string, string>} sprites by deck */
  constructor(felt, sprites) {
    this.felt = felt;
    this.sprites = sprites;
  }

  /**
   * @param {View} view
   * @param {Layout} layout
   * @param {{deal?: boolean, jump?: boolean, source?: Pile|null}} [how] deal: cards come out of the stock one after the other;
   *   jump: no animation (a resize); source: the pile the last move took its cards from
   */
  draw(view, layout, { deal = false, jump = false, source = null } = {}) {
    const before = this.view;
    this.view = view;
    this.layout = layout;
    if (this.#width !== layout.w) {
      this.#width = layout.w;
      this.felt.style.setProperty("--cw", `${layout.w}px`);
      this.felt.style.setProperty("--ch", `${layout.h}px`);
    }
    this.felt.classList.toggle("small", small(layout.w));
    this.felt.classList.toggle("still", jump || motionReduced());
    this.#drawSlots(layout, view);
    const { kept, gone } = this.#match(layout.cards, source);
    const entering = new Set(layout.cards.flatMap((rect, k) => (kept[k] ? [] : [this.#enter(rect, deal)])));
    // One reflow for all new cards: they start from where they have been put, not from nowhere.
    if (entering.size > 0) void this.felt.offsetWidth;
    const fresh = [...entering];
    this.pieces = layout.cards.map((rect, k) => this.#place(kept[k] ?? /** @type {Piece} */ (fresh.shift()), rect, { deal, order: k, entered: !kept[k] }));
    for (const piece of gone) this.#leave(piece, before);
    this.#describe();
    if (jump) void this.felt.offsetWidth;
  }

  /** @param {Element|null} element @returns {Piece|undefined} */
  pieceOf(element) {
    const card = element?.closest(".card");
    return card ? this.pieces.find((piece) => piece.element === card) : undefined;
  }

  /**
   * What belongs at a point of the felt, wherever a card in motion may be: the hand need not wait for the animation.
   * @param {number} x pixels @param {number} y
   * @returns {{piece: Piece|null, pile: Pile|null}}
   */
  at(x, y) {
    const { w = 0, h = 0, slots = [] } = this.layout ?? {};
    const covers = (/** @type {{x: number, y: number}} */ place) => x >= place.x && x < place.x + w && y >= place.y && y < place.y + h;
    const piece = this.pieces.filter(({ rect }) => covers(rect)).reduce((/** @type {Piece|null} */ top, one) => (top && top.rect.z > one.rect.z ? top : one), null);
    return { piece, pile: piece?.rect.pile ?? slots.find(covers)?.pile ?? null };
  }

  /** @param {Pile} pile @param {number} count @returns {Piece[]} its uppermost cards, bottom first */
  top(pile, count) {
    const size = this.view ? sizeOf(this.view, pile) : 0;
    return this.pieces.filter(({ rect }) => rect.pile === pile && rect.i >= size - count);
  }

  /** @param {Pile} pile @returns {HTMLElement|undefined} what stands for a pile: its top card or its empty place */
  face(pile) {
    return this.top(pile, 1)[0]?.element ?? this.slots.get(pile);
  }

  /**
   * Which old piece becomes which new rectangle.
   * @param {CardRect[]} rects @param {Pile|null} source
   */
  #match(rects, source) {
    const free = new Set(this.pieces);
    /** @type {(Piece|null)[]} */
    const kept = rects.map((rect) => {
      for (const piece of free) {
        const old = piece.rect;
        if (old.pile !== rect.pile || old.i !== rect.i) continue;
        if (old.code !== rect.code && old.code !== null && rect.code !== null) continue;
        free.delete(piece);
        return piece;
      }
      return null;
    });
    rects.forEach((rect, k) => {
      if (kept[k] || rect.code === null) return;
      const same = [...free].filter((piece) => piece.rect.code === rect.code);
      const piece = same.find((one) => one.rect.pile === source) ?? same.find((one) => one.rect.pile !== rect.pile) ?? same[0];
      if (piece) {
        free.delete(piece);
        kept[k] = piece;
      }
    });
    return { kept, gone: free };
  }

  /**
   * A new card, put where it comes from: the stock, or its own place where it fades in.
   * @param {CardRect} rect @param {boolean} deal @returns {Piece}
   */
  #enter(rect, deal) {
    const element = this.#create();
    const stock = deal || this.#comesFromStock(rect) ? this.layout?.slots.find((slot) => slot.pile === "s") : undefined;
    const { x, y } = stock ?? rect;
    if (!stock) element.classList.add("fresh");
    element.style.zIndex = String(rect.z);
    move(element, x, y, rect.turn ?? 0);
    this.#dress(element, rect);
    this.felt.append(element);
    return { element, rect: { ...rect, x, y } };
  }

  /**
   * @param {Piece} piece @param {CardRect} rect @param {{deal: boolean, order: number, entered: boolean}} how
   * @returns {Piece} the piece at its new place
   */
  #place({ element, rect: old }, rect, { deal, order, entered }) {
    const lifted = element.classList.contains("lifted");
    if (!entered && !lifted && same(old, rect)) return { element, rect };
    const moved = entered || lifted || old.x !== rect.x || old.y !== rect.y;
    if (old.code !== rect.code || old.mirror !== rect.mirror || old.pile !== rect.pile || old.i !== rect.i) this.#dress(element, rect);
    if (rect.code !== null && (entered ? !element.classList.contains("fresh") : old.code === null)) this.#flip(element, deal ? order : 0);
    element.classList.remove("lifted", "last", "fresh");
    element.style.setProperty("--wait", deal ? `${Math.min(order * 9, 520)}ms` : "0ms");
    move(element, rect.x, rect.y, rect.turn ?? 0);
    this.#stack(element, rect.z, moved);
    return { element, rect };
  }

  /** @param {CardRect} rect */
  #comesFromStock(rect) {
    return rect.pile === "w" || (this.view?.game === "labyrinth" && rect.pile[0] === "t");
  }

  /**
   * A moving card passes over the standing ones until it has arrived.
   * @param {HTMLElement} element @param {number} z @param {boolean} moved
   */
  #stack(element, z, moved) {
    const still = this.felt.classList.contains("still");
    element.dataset.z = String(z);
    if (still || (!moved && !element.dataset.settle)) return this.#settle(element);
    if (!moved) return;
    element.style.zIndex = String(1000 + z);
    clearTimeout(Number(element.dataset.settle));
    element.dataset.settle = String(setTimeout(() => this.#settle(element), SETTLE_AFTER));
  }

  /** @param {HTMLElement} element that has arrived */
  #settle(element) {
    clearTimeout(Number(element.dataset.settle));
    delete element.dataset.settle;
    if (!element.classList.contains("lifted")) element.style.zIndex = element.dataset.z ?? "";
  }

  /** @param {HTMLElement} element @param {number} order */
  #flip(element, order) {
    if (this.felt.classList.contains("still")) return;
    element.firstElementChild?.animate(
      [{ transform: "rotateY(90deg)", filter: "brightness(.7)" }, { transform: "none", filter: "none" }],
      { duration: 190, delay: Math.min(order * 9, 520), easing: "ease-out", fill: "backwards" },
    );
  }

  /** @param {Piece} piece @param {View|null} before */
  #leave({ element, rect }, before) {
    const stock = this.layout?.slots.find((slot) => slot.pile === "s");
    const home = stock && before && this.view && sizeOf(this.view, "s") > sizeOf(before, "s");
    const covered = this.view && rect.i < sizeOf(this.view, rect.pile);
    element.setAttribute("aria-hidden", "true");
    element.removeAttribute("id");
    element.classList.remove("lifted", "chosen");
    if (home && !covered) {
      this.#dress(element, { ...rect, code: null });
      move(element, stock.x, stock.y, 0);
    } else if (!covered) element.classList.add("fading");
    if (covered) element.style.zIndex = String(Math.min(rect.z, 1));
    if (this.felt.classList.contains("still")) element.remove();
    else setTimeout(() => element.remove(), LEAVE_AFTER);
  }

  /** @returns {HTMLElement} */
  #create() {
    const element = document.createElement("div");
    element.className = "card";
    element.id = `card-${this.#serial++}`;
    element.setAttribute("role", "button");
    element.tabIndex = -1;
    const face = document.createElement("div");
    face.className = "face";
    element.append(face);
    return element;
  }

  /** Draws a card's face or back. @param {HTMLElement} element @param {CardRect} rect */
  #dress(element, rect) {
    const game = /** @type {View} */ (this.view).game;
    const face = /** @type {HTMLElement} */ (element.firstElementChild);
    const where = pileName(rect.pile, /** @type {View} */ (this.view));
    element.setAttribute("aria-label", `${cardName(rect.code, game)}, ${where}`);
    element.dataset.pile = rect.pile;
    element.dataset.i = String(rect.i);
    element.classList.toggle("down", rect.code === null);
    const dressed = `${rect.code}${rect.mirror ? "/" : ""}`;
    if (element.dataset.dressed === dressed) return;
    element.dataset.dressed = dressed;
    face.replaceChildren();
    if (rect.code === null) {
      delete element.dataset.suit;
      return;
    }
    element.dataset.suit = suitOf(rect.code, game);
    element.dataset.deck = deckOf(game);
    const sprite = this.sprites[deckOf(game)];
    const parts = rect.mirror ? { large: ["", "-j"], small: ["-d"] } : { large: ["", "-i"], small: ["-c"] };
    for (const [size, suffixes] of Object.entries(parts)) {
      const svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("viewBox", "0 0 100 140");
      svg.setAttribute("aria-hidden", "true");
      svg.setAttribute("class", size);
      for (const suffix of suffixes) {
        const use = document.createElementNS(SVG, "use");
        use.setAttribute("href", `${sprite}#${rect.code}${suffix}`);
        svg.append(use);
      }
      face.append(svg);
    }
  }

  /** @param {Layout} layout @param {View} view */
  #drawSlots(layout, view) {
    const wanted = new Set(layout.slots.map((slot) => slot.pile));
    for (const [pile, element] of this.slots)
      if (!wanted.has(pile)) {
        element.remove();
        this.slots.delete(pile);
      }
    for (const slot of layout.slots) this.#drawSlot(slot, view);
  }

  /** @param {Slot} slot @param {View} view */
  #drawSlot(slot, view) {
    let element = this.slots.get(slot.pile);
    if (!element) {
      element = document.createElement("div");
      element.id = `slot-${slot.pile}`;
      element.className = `slot kind-${slot.pile[0]}`;
      element.dataset.pile = slot.pile;
      element.setAttribute("role", "button");
      element.tabIndex = -1;
      element.append(Object.assign(document.createElement("span"), { className: "sign" }));
      this.slots.set(slot.pile, element);
      this.felt.prepend(element);
    }
    const size = sizeOf(view, slot.pile);
    const hidden = view.under[slot.pile] ?? 0;
    const kind = slot.pile[0];
    element.classList.toggle("dim", Boolean(slot.dim));
    element.classList.toggle("back", (kind === "s" && size > 0) || (slot.pile === "r" && hidden > 0));
    element.classList.toggle("paper", kind === "w" && size > 0);
    element.classList.toggle("deep", size > 3 && (kind === "s" || kind === "w" || slot.pile === "r") && view.game !== "braid");
    element.dataset.sign = slot.sign ?? "";
    const sign = /** @type {HTMLElement} */ (element.firstElementChild);
    const text = signText(slot.sign ?? "");
    if (sign.textContent !== text) sign.textContent = text;
    if (kind === "s" || kind === "w" || (slot.pile === "r" && view.game === "plot")) this.#tally(slot, size);
    const at = `${slot.x} ${slot.y} ${slot.w} ${slot.h}`;
    if (element.dataset.at === at) return;
    element.dataset.at = at;
    move(element, slot.x, slot.y, 0);
    element.style.width = `${slot.w}px`;
    element.style.height = `${slot.h}px`;
  }

  /** The number of cards in a pile, standing over its lower edge. @param {Slot} slot @param {number} size */
  #tally({ pile, x, y, w }, size) {
    let element = this.tallies.get(pile);
    if (!element) {
      element = Object.assign(document.createElement("span"), { className: "tally" });
      element.setAttribute("aria-hidden", "true");
      this.tallies.set(pile, element);
      this.felt.append(element);
    }
    element.textContent = String(size);
    element.hidden = size === 0;
    move(element, x + w / 2, y + /** @type {Layout} */ (this.layout).h, 0);
  }

  /** Which cards are free, and the names of the piles. */
  #describe() {
    const view = /** @type {View} */ (this.view);
    const filled = new Set(this.pieces.map(({ rect }) => rect.pile));
    for (const { element, rect } of this.pieces)
      element.classList.toggle("locked", view.free !== undefined && rect.pile[0] === "t" && !view.free.includes(rect.pile));
    for (const [pile, element] of this.slots) {
      const size = sizeOf(view, pile);
      const held = size === 0 ? t("empty") : tn("1 card", "{n} cards", size);
      const label = `${pileName(pile, view)}, ${held}`;
      if (element.getAttribute("aria-label") !== label) element.setAttribute("aria-label", label);
      element.classList.toggle("filled", filled.has(pile));
    }
  }
}

/** @param {CardRect} a @param {CardRect} b @returns {boolean} */
const same = (a, b) =>
  a.x === b.x && a.y === b.y && a.z === b.z && a.code === b.code && a.pile === b.pile && a.i === b.i && a.turn === b.turn && a.mirror === b.mirror;

/** @param {string} sign */
function signText(sign) {
  if (sign === "T") return "10";
  return sign.length <= 2 ? sign : "";
}

/** @param {HTMLElement} element @param {number} x @param {number} y @param {number} turn degrees */
export function move(element, x, y, turn) {
  element.style.transform = turn ? `translate3d(${x}px,${y}px,0) rotate(${turn}deg)` : `translate3d(${x}px,${y}px,0)`;
}
