/** Pointer input: a press that moves is a drag, one that does not is a tap. */

import { sizeOf } from "./cards.js";
import { move } from "./motion.js";

/** @import { Renderer, Piece } from "./render.js" */
/** @import { Choice, Pile } from "./types.js" */

const SLACK = 6;

/**
 * @typedef {object} Host what the hand asks of the table
 * @property {(pile: Pile, count: number) => Choice[]} choices
 * @property {(piece: Piece|null, pile: Pile|null) => void} tap
 * @property {(choice: Choice) => void} play
 * @property {(choices: Choice[]) => void} show marks the places a lifted card may go
 * @property {() => void} settle puts everything where it belongs
 */

export class Hand {
  /**
   * @type {{pointer: number, x: number, y: number, piece: Piece|null, pile: Pile|null, box: DOMRect,
   *   lifted: Piece[]|null, choices: Choice[], refused: boolean}|null}
   */
  #held = null;
  #frame = 0;
  #dx = 0;
  #dy = 0;

  /** @param {HTMLElement} felt @param {Renderer} renderer @param {Host} host */
  constructor(felt, renderer, host) {
    this.felt = felt;
    this.renderer = renderer;
    this.host = host;
    felt.addEventListener("pointerdown", (event) => this.#press(event));
    felt.addEventListener("pointermove", (event) => this.#move(event));
    felt.addEventListener("pointerup", (event) => this.#release(event));
    felt.addEventListener("pointercancel", () => this.cancel());
    felt.addEventListener("contextmenu", (event) => event.preventDefault());
    felt.addEventListener("dragstart", (event) => event.preventDefault());
  }

  get busy() {
    return this.#held?.lifted != null;
  }

  /** @returns {Piece[]} the cards in the hand */
  get lifted() {
    return this.#held?.lifted ?? [];
  }

  /** Lets go of everything. */
  cancel() {
    cancelAnimationFrame(this.#frame);
    this.#held = null;
    this.host.show([]);
    this.host.settle();
  }

  /** After a redraw the same cards, if they still stand together, stay in the hand. */
  keep() {
    const held = this.#held;
    if (!held?.lifted) return;
    const alive = held.lifted.map((old) =>
      this.renderer.pieces.find((piece) => piece.element === old.element && piece.rect.pile === held.pile),
    );
    const top = alive.at(-1);
    const view = this.renderer.view;
    if (!view || !top || alive.some((piece) => !piece) || top.rect.i !== sizeOf(view, top.rect.pile) - 1)
      return this.cancel();
    held.lifted = /** @type {Piece[]} */ (alive);
    held.choices = this.host.choices(/** @type {Pile} */ (held.pile), held.lifted.length);
    this.#lift(held.lifted);
    this.#follow();
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (event.button !== 0 || this.#held) return;
    const box = this.felt.getBoundingClientRect();
    const { piece, pile } = this.renderer.at(event.clientX - box.left, event.clientY - box.top);
    this.#held = {
      pointer: event.pointerId,
      x: event.clientX,
      y: event.clientY,
      piece,
      pile,
      box,
      lifted: null,
      choices: [],
      refused: false,
    };
    this.felt.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const held = this.#held;
    if (!held || event.pointerId !== held.pointer) return;
    this.#dx = event.clientX - held.x;
    this.#dy = event.clientY - held.y;
    if (!held.lifted) {
      if (held.refused || Math.hypot(this.#dx, this.#dy) < SLACK) return;
      if (!this.#start(held)) return;
    }
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#follow());
  }

  /** @param {any} held the press that has become a drag */
  #start(held) {
    const view = this.renderer.view;
    if (!view || !held.piece || !held.pile) return false;
    const count = sizeOf(view, held.pile) - held.piece.rect.i;
    const choices = this.host.choices(held.pile, count);
    if (choices.length === 0) {
      held.refused = true;
      return false;
    }
    held.choices = choices;
    held.lifted = this.renderer.top(held.pile, count);
    this.#lift(held.lifted);
    this.host.show(choices);
    return true;
  }

  /** @param {Piece[]} pieces */
  #lift(pieces) {
    pieces.forEach(({ element }, k) => {
      element.classList.add("lifted");
      if (k === pieces.length - 1) element.classList.add("last");
      element.style.zIndex = String(5000 + k);
    });
  }

  #follow() {
    for (const { element, rect } of this.lifted) move(element, rect.x + this.#dx, rect.y + this.#dy, 0);
  }

  /** @param {PointerEvent} event */
  #release(event) {
    const held = this.#held;
    if (!held || event.pointerId !== held.pointer) return;
    cancelAnimationFrame(this.#frame);
    this.#held = null;
    if (!held.lifted) {
      if (!held.refused) this.host.tap(held.piece, held.pile);
      return;
    }
    this.host.show([]);
    const choice = this.#target(held, event);
    if (choice) this.host.play(choice);
    else this.host.settle();
  }

  /**
   * The choice whose place the lifted card covers most, or the pointer stands over.
   * @param {any} held @param {PointerEvent} event @returns {Choice|null}
   */
  #target(held, event) {
    const layout = this.renderer.layout;
    if (!layout) return null;
    const { box } = held;
    const point = { x: event.clientX - box.left, y: event.clientY - box.top };
    const card = {
      x: held.lifted[0].rect.x + event.clientX - held.x,
      y: held.lifted[0].rect.y + event.clientY - held.y,
      w: layout.w,
      h: layout.h,
    };
    /** @type {{choice: Choice|null, score: number}} */
    let best = { choice: null, score: layout.w * layout.h * 0.12 };
    for (const slot of layout.slots) {
      const choice = held.choices.find(
        (/** @type {Choice} */ { to }) => to === slot.pile || (to === "f" && slot.pile[0] === "f"),
      );
      if (!choice) continue;
      const area = this.#ground(slot);
      const inside = point.x >= area.x && point.x <= area.x + area.w && point.y >= area.y && point.y <= area.y + area.h;
      const score = overlap(card, area) + (inside ? layout.w * layout.h : 0);
      if (score > best.score) best = { choice, score };
    }
    return best.choice;
  }

  /** A pile's place together with the cards fanned below it. @param {import("./types.js").Slot} slot */
  #ground(slot) {
    let { x, y, w, h } = slot;
    for (const { rect } of this.renderer.pieces)
      if (rect.pile === slot.pile) {
        w = Math.max(w, rect.x + slot.w - x);
        h = Math.max(h, rect.y + (this.renderer.layout?.h ?? h) - y);
      }
    return { x, y, w, h };
  }
}

/** @param {{x:number,y:number,w:number,h:number}} a @param {{x:number,y:number,w:number,h:number}} b */
function overlap(a, b) {
  const wide = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const high = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return wide > 0 && high > 0 ? wide * high : 0;
}
