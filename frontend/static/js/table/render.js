/**
 * Brings the page's card elements in line with a layout. An element keeps its card: what moved is found by comparing
 * the layout with the elements that stand, and the style sheet's transitions do the rest, so a new position may come at
 * any moment.
 */

import { motionReduced } from "../settings.js";
import { small } from "./layouts/grid.js";
import { sizeOf } from "./cards.js";
import { Faces, blankCard } from "./faces.js";
import { match, same } from "./matching.js";
import { flip, move, wait } from "./motion.js";
import { Slots } from "./slots.js";

/** @import { CardRect, Layout, Pile, View } from "./types.js" */

const LEAVE_AFTER = 340;
const SETTLE_AFTER = 330;

/**
 * @typedef {object} Piece a card on the felt
 * @property {HTMLElement} element
 * @property {CardRect} rect
 */

export class Renderer {
  /** @type {Piece[]} */ pieces = [];
  /** @type {Layout|null} */ layout = null;
  /** @type {View|null} */ view = null;
  /** @type {Map<HTMLElement, {z: number, since: number}>} cards on their way */ #moving = new Map();
  #draws = 0;
  #width = 0;

  /** @param {HTMLElement} felt @param {Record<string, string>} sprites by deck */
  constructor(felt, sprites) {
    this.felt = felt;
    this.faces = new Faces(sprites);
    this.ground = new Slots(felt, this.faces);
  }

  /** @returns {Map<Pile, HTMLElement>} the places of the piles */
  get slots() {
    return this.ground.elements;
  }

  /**
   * @param {View} view
   * @param {Layout} layout
   * @param {{deal?: boolean, jump?: boolean, source?: Pile|null}} [how]
   *   deal: cards come out of the stock one after the other;
   *   jump: no animation (a resize); source: the pile the last move took its cards from
   */
  draw(view, layout, { deal = false, jump = false, source = null } = {}) {
    const before = this.view;
    const draws = ++this.#draws;
    this.view = view;
    this.layout = layout;
    this.#measure(layout);
    this.felt.classList.toggle("still", jump || motionReduced());
    this.ground.draw(layout, view, new Set(layout.cards.map(({ pile }) => pile)));
    const { kept, gone } = match(this.pieces, layout.cards, source);
    const entering = layout.cards.map((rect, k) => (kept[k] ? null : this.#enter(rect, deal)));
    // One reflow for all new cards: they start from where they have been put, not from nowhere.
    if (entering.some(Boolean)) void this.felt.offsetWidth;
    this.pieces = layout.cards.map((rect, k) =>
      this.#place(/** @type {Piece} */ (kept[k] ?? entering[k]), rect, { deal, order: k, entered: !kept[k] }),
    );
    for (const piece of gone) this.#leave(piece, before);
    this.#lock(view);
    if (this.#moving.size > 0) setTimeout(() => this.#settle(draws), SETTLE_AFTER);
    if (jump) void this.felt.offsetWidth;
  }

  /**
   * Sets the size of the cards, and draws those that stand anew when it asks for other faces.
   * @param {Layout} layout
   */
  #measure({ w, h }) {
    if (this.#width !== w) {
      this.#width = w;
      this.felt.style.setProperty("--cw", `${w}px`);
      this.felt.style.setProperty("--ch", `${h}px`);
    }
    if (this.faces.small === small(w)) return;
    this.faces.small = small(w);
    for (const { element, rect } of this.pieces) this.#dress(element, rect);
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
    const covers = (/** @type {{x: number, y: number}} */ place) =>
      x >= place.x && x < place.x + w && y >= place.y && y < place.y + h;
    const piece = this.pieces
      .filter(({ rect }) => covers(rect))
      .reduce((/** @type {Piece|null} */ top, one) => (top && top.rect.z > one.rect.z ? top : one), null);
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
   * A new card, put where it comes from: the stock, or its own place where it fades in.
   * @param {CardRect} rect @param {boolean} deal @returns {Piece}
   */
  #enter(rect, deal) {
    const element = blankCard();
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
    if (old.code !== rect.code || old.mirror !== rect.mirror || old.pile !== rect.pile || old.i !== rect.i)
      this.#dress(element, rect);
    if (rect.code !== null && (entered ? !element.classList.contains("fresh") : old.code === null))
      this.#flip(element, deal ? wait(order) : 0);
    element.classList.remove("lifted", "last", "fresh");
    element.style.transitionDelay = deal ? `${wait(order)}ms` : "";
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
    if (this.felt.classList.contains("still")) this.#moving.delete(element);
    else if (moved) this.#moving.set(element, { z, since: this.#draws });
    const moving = this.#moving.get(element);
    if (moving) moving.z = z;
    element.style.zIndex = String(moving ? 1000 + z : z);
  }

  /**
   * Lets those that set out with one drawing, and have not been sent elsewhere since, stand where they belong.
   * @param {number} draws
   */
  #settle(draws) {
    for (const [element, { z, since }] of this.#moving) {
      if (since > draws) continue;
      this.#moving.delete(element);
      if (!element.classList.contains("lifted")) element.style.zIndex = String(z);
    }
  }

  /** @param {HTMLElement} element @param {number} delay */
  #flip(element, delay) {
    if (!this.felt.classList.contains("still")) flip(element, delay);
  }

  /** @param {Piece} piece @param {View|null} before */
  #leave({ element, rect }, before) {
    const stock = this.layout?.slots.find((slot) => slot.pile === "s");
    const home = stock && before && this.view && sizeOf(this.view, "s") > sizeOf(before, "s");
    const covered = this.view && rect.i < sizeOf(this.view, rect.pile);
    element.setAttribute("aria-hidden", "true");
    element.removeAttribute("id");
    this.#moving.delete(element);
    element.classList.remove("lifted", "chosen");
    element.style.transitionDelay = "";
    if (home && !covered) {
      this.#dress(element, { ...rect, code: null });
      move(element, stock.x, stock.y, 0);
    } else if (!covered) element.classList.add("fading");
    if (covered) element.style.zIndex = String(Math.min(rect.z, 1));
    if (this.felt.classList.contains("still")) element.remove();
    else setTimeout(() => element.remove(), LEAVE_AFTER);
  }

  /** @param {HTMLElement} element @param {CardRect} rect */
  #dress(element, rect) {
    this.faces.dress(element, rect, /** @type {View} */ (this.view));
  }

  /** Shows which cards of a labyrinth are free. @param {View} view */
  #lock({ free }) {
    for (const { element, rect } of this.pieces)
      element.classList.toggle("locked", free !== undefined && rect.pile[0] === "t" && !free.includes(rect.pile));
  }
}
