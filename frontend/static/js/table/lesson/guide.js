/** Guide to the first moves of a player's first game of a variant: the move to try, marked on the felt, and why. */

import { all, byId, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { faceOf, topOf } from "../drawing/pieces.js";
import { keepFocus } from "../input/focus.js";
import { offered } from "../state/game.js";
import { likelyFoundation, parse } from "../state/moves.js";

/** @import { State } from "../state/state.js" */
/** @import { Token, View } from "../state/types.js" */

/** @typedef {{token: Token, why: string}} Step */

export class Guide {
  /** The moves made, without undone ones. @type {Token[]} */ #moves;
  /** @type {Step[]} */ #steps;
  /** The number of the last message received. @type {number|null} */ #n = null;

  /** @param {State} state @param {HTMLElement} place @param {(view: View, token: Token) => string} moveText */
  constructor(state, place, moveText) {
    this.state = state;
    this.place = place;
    this.moveText = moveText;
    const { steps, moves } = JSON.parse(byId("guide-data").textContent);
    this.#steps = steps;
    this.#moves = moves;
    byId("guide-close").addEventListener("click", () => this.#end());
  }

  /** Handles a message from the server after the table has applied it. @param {any} message */
  heard({ type, n, token }) {
    if (this.place.hidden) return;
    if (type === "moved" && n === (this.#n ?? 0) + 1) {
      if (token === "u") this.#moves.pop();
      else this.#moves.push(token);
      this.#n = n;
    } else if (type === "view") {
      // Moves made elsewhere are unknown here, but if nothing can be undone there are none.
      if (this.#n !== null && n !== this.#n && this.state.view?.can_undo) return this.#end();
      if (!this.state.view?.can_undo) this.#moves = [];
      this.#n = n;
    }
    if (this.state.status !== "playing") this.#end();
    else if (!this.state.paused) this.#tell();
  }

  #tell() {
    const { view } = this.state;
    if (!view) return;
    const [steps, moves] = [this.#steps, this.#moves];
    const missed = steps.findIndex(({ token }, k) => token !== moves[k]);
    const along = missed < 0 ? steps.length : missed;
    const own = moves.length - along;
    // A second move of the player's own, or the first one after the guide, shows that it is not needed any more.
    if (own > (missed < 0 ? 0 : 1)) return this.#end();
    // In another order, the same moves may lose.
    const next = own === 0 && offered(this.state).includes(steps[along]?.token) ? steps[along] : null;
    this.#mark(view, next?.token ?? "");
    if (next) return this.#say("try", t("Try:"), `${this.moveText(view, next.token)}. ${next.why}`);
    const rest = t("Now it's your turn. You can undo any move, and Hint shows you a good one.");
    if (missed < 0) return this.#say("done", t("Well done!"), rest);
    const text = t("it may be just as good. Play on, or undo it to get more hints.");
    this.#say("own", t("Your own way:"), text);
  }

  /** Marks the cards of a move and their new place; for a move without cards, the stock or the button to press. */
  #mark(/** @type {View} */ view, /** @type {Token} */ token) {
    for (const element of all(".suggested")) element.classList.remove("suggested");
    const move = parse(token);
    const stock = token === "d" || token === "n" ? this.state.slots.elements.get("s") : null;
    const places = [...all(`[data-direction="${token}"]`), stock];
    if (move) {
      const cards = topOf(this.state, move.from, move.count).map(({ element }) => element);
      const to = move.to === "f" ? likelyFoundation(view, view.piles[move.from].at(-1) ?? null) : move.to;
      places.push(...cards, faceOf(this.state, to));
    }
    for (const element of places) element?.classList.add("suggested");
  }

  /** @param {string} mood @param {string} label @param {string} words */
  #say(mood, label, words) {
    this.place.dataset.state = mood;
    write(byId("guide-say").querySelector("b"), label);
    write(byId("guide-say").querySelector("span"), words);
    write(byId("guide-close"), mood === "done" ? t("Close") : t("Skip"));
  }

  #end() {
    const { focus } = this.state;
    keepFocus(() => (this.place.hidden = true), focus, ...document.querySelectorAll(".tools button"));
    if (this.state.view) this.#mark(this.state.view, "");
  }
}
