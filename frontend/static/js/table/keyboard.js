/** The whole table by keyboard: arrows walk over the cards, Enter picks up and puts down, letters do the rest. */

import { sizeOf } from "./cards.js";

/** @import { Renderer } from "./render.js" */
/** @import { Choice } from "./types.js" */

/**
 * @typedef {object} Keys what the letters do
 * @property {() => void} draw
 * @property {() => void} undo
 * @property {() => void} auto
 * @property {() => void} resign
 * @property {() => void} help
 * @property {() => void} describe
 * @property {() => void} cancel
 * @property {(element: Element) => void} foundation
 * @property {(element: Element) => void} enter
 * @property {() => Choice[]} targets of the picked-up card; empty when none is
 */

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Keyboard {
  /** @type {Element|null} */ current = null;
  #waiting = false;

  /**
   * @param {HTMLElement} felt
   * @param {Renderer} renderer
   * @param {Keys} keys
   * @param {Document|HTMLElement} [scope] where letters count
   */
  constructor(felt, renderer, keys, scope = document) {
    this.felt = felt;
    this.renderer = renderer;
    this.keys = keys;
    felt.addEventListener("keydown", (event) => this.#onFelt(event));
    felt.addEventListener("focusin", (event) => this.#arrive(/** @type {Element} */ (event.target)));
    scope.addEventListener("keydown", (event) => this.#anywhere(/** @type {KeyboardEvent} */ (event)));
  }

  /** After a redraw, at the next frame: the card must stand in place before the tab order is looked after. */
  refresh() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#order();
    });
  }

  /** One element of the felt is in the tab order: the last one focused, or the first that can move. */
  #order() {
    const stops = this.#stops();
    if (!this.current || !stops.includes(this.current)) {
      const focused = this.felt.contains(document.activeElement) || document.activeElement === document.body;
      const lost = this.current;
      this.current =
        (lost && this.#standIn(lost)) ?? stops.find((stop) => stop.classList.contains("movable")) ?? stops[0] ?? null;
      if (lost && focused && this.felt.classList.contains("keys")) this.#focus(this.current);
    }
    for (const stop of /** @type {HTMLElement[]} */ (stops)) {
      const index = stop === this.current ? 0 : -1;
      if (stop.tabIndex !== index) stop.tabIndex = index;
    }
  }

  /** @returns {Element[]} everything worth stopping at: face-up cards, and piles that show none */
  #stops() {
    const { pieces, slots } = this.renderer;
    const filled = new Set(pieces.map(({ rect }) => rect.pile));
    const cards = pieces.filter(({ rect }) => this.#reachable(rect)).map(({ element }) => element);
    const bare = [...slots].filter(([pile]) => pile === "s" || !filled.has(pile)).map(([, element]) => element);
    return [...cards, ...bare];
  }

  /** @param {import("./types.js").CardRect} rect */
  #reachable(rect) {
    const view = this.renderer.view;
    if (!view || rect.code === null) return false;
    const top = rect.i === sizeOf(view, rect.pile) - 1;
    return top || (rect.pile[0] === "t" && (view.game === "tarot" || view.game === "stonewall"));
  }

  /** @param {Element} lost what the focus was on @returns {Element|undefined} */
  #standIn(lost) {
    return this.renderer.face(/** @type {HTMLElement} */ (lost).dataset.pile ?? "");
  }

  /** @param {Element} element */
  #arrive(element) {
    if (!element.matches(".card, .slot")) return;
    this.current = element;
    for (const stop of this.felt.querySelectorAll("[tabindex='0']")) /** @type {HTMLElement} */ (stop).tabIndex = -1;
    /** @type {HTMLElement} */ (element).tabIndex = 0;
  }

  /** @param {Element|null} element */
  #focus(element) {
    this.felt.classList.add("keys");
    /** @type {HTMLElement|null} */ (element)?.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  #onFelt(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[/** @type {"ArrowUp"} */ (event.key)];
    if (arrow) {
      event.preventDefault();
      const targets = this.keys.targets();
      this.#focus(targets.length > 0 ? this.#turn(targets, arrow[0] + arrow[1]) : this.#nearest(arrow));
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.felt.classList.add("keys");
      if (this.current) this.keys.enter(this.current);
    } else if (event.key === "f" && this.current) this.keys.foundation(this.current);
  }

  /** With a card picked up the arrows go round the places it may go. @param {Choice[]} targets @param {number} step */
  #turn(targets, step) {
    const places = targets.map(({ to }) => this.renderer.face(to === "f" ? this.#foundation() : to) ?? null);
    const at = places.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    return places[(at + step + places.length) % places.length] ?? places[0];
  }

  #foundation() {
    return this.felt.querySelector(".slot.target.kind-f")?.id.slice(5) ?? "f0";
  }

  /** @param {number[]} direction @returns {Element|null} the next stop in a direction, straight ahead preferred */
  #nearest([dx, dy]) {
    const from = this.current && centre(this.current);
    if (!from) return null;
    let best = this.current;
    let least = Infinity;
    for (const stop of this.#stops()) {
      if (stop === this.current) continue;
      const to = centre(stop);
      const ahead = (to.x - from.x) * dx + (to.y - from.y) * dy;
      const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      if (ahead < 4) continue;
      const cost = ahead + aside * 2.6;
      if (cost < least) [least, best] = [cost, stop];
    }
    return best;
  }

  /** @param {KeyboardEvent} event */
  #anywhere(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.defaultPrevented || event.altKey || target.closest("input, select, textarea, dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && event.key !== "z") return;
    const keys = this.keys;
    /** @type {Record<string, () => void>} */
    const actions = {
      d: keys.draw,
      u: keys.undo,
      z: keys.undo,
      a: keys.auto,
      "?": keys.help,
      h: keys.help,
      r: keys.resign,
      l: keys.describe,
      Escape: keys.cancel,
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

/** @param {Element} element */
function centre(element) {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + Math.min(box.height, 40) / 2 };
}
