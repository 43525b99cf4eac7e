/** Move-by-move guide to a newcomer's first game: the move to try, the reason for it, and where its cards lie. */

import { byId, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { cardName } from "../drawing/cards.js";
import { keepFocus } from "../input/focus.js";
import { offered } from "../state/game.js";
import { parse } from "../state/moves.js";
import { pointAt } from "../input/picked-card.js";

/** @import { State } from "../state/state.js" */
/** @import { Token, View } from "../state/types.js" */

/** @typedef {{token: Token, why: "up"|"turns"|"clears"|"founds"|"reserve"|"builds"}} Step */

export class Guide {
  /** The moves made, without undone ones. @type {Token[]} */ #moves;
  /** @type {Step[]} */ #steps;
  /** The number of the last message received. @type {number|null} */ #n = null;
  /** @type {Step|null} */ #next = null;

  /** @param {State} state @param {HTMLElement} place */
  constructor(state, place) {
    this.state = state;
    this.place = place;
    const { steps, moves } = JSON.parse(byId("guide-data").textContent);
    this.#steps = steps;
    this.#moves = moves;
    byId("guide-show").addEventListener("click", () => this.#next && pointAt(state, this.#next.token));
    byId("guide-close").addEventListener("click", () => this.#end());
  }

  /** Handles a message from the server after the table has applied it. @param {any} message */
  heard({ type, n, token }) {
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
    const others = [...this.#moves];
    const left = this.#steps.filter(({ token }) => {
      const made = others.indexOf(token);
      if (made >= 0) others.splice(made, 1);
      return made < 0;
    });
    // After a move outside the guide, the player goes on without it.
    const next = others.length === 0 ? (left[0] ?? null) : null;
    this.#next = next && offered(this.state).includes(next.token) ? next : null;
    keepFocus(() => (byId("guide-show").hidden = !this.#next), byId("guide-close"));
    if (this.#next) return this.#say("try", t("Try:"), `${moveText(view, this.#next.token)}. ${reason(this.#next)}`);
    const rest = t("Now it's your turn. You can undo any move, and Hint shows you a good one.");
    if (left.length === 0) return this.#say("done", t("Well done!"), rest);
    const text = t("it may be just as good. Play on, or undo it to get more hints.");
    this.#say("own", t("Your own way:"), text);
  }

  /** @param {string} mood @param {string} label @param {string} words */
  #say(mood, label, words) {
    this.place.dataset.state = mood;
    write(byId("guide-say").querySelector("b"), label);
    write(byId("guide-say").querySelector("span"), words);
  }

  #end() {
    const { focus } = this.state;
    keepFocus(() => (this.place.hidden = true), focus, ...document.querySelectorAll(".tools button"));
  }
}

/** @param {View} view @param {Token} token @returns {string} "queen of hearts on king of spades" */
function moveText(view, token) {
  const move = parse(token);
  if (!move) return token;
  const card = cardName(view.piles[move.from]?.at(-move.count) ?? null, view.game);
  if (move.to === "f") return t("{card} to its foundation", { card });
  const onto = view.piles[move.to]?.at(-1);
  if (!onto) return t("{card} to the empty pile", { card });
  return t("{card} on {onto}", { card, onto: cardName(onto, view.game) });
}

/** @param {Step} step @returns {string} the purpose of the move */
function reason({ why }) {
  const reasons = {
    up: t("Foundations go up from ace to king, one for each suit."),
    turns: t("A hidden card turns up."),
    clears: t("That empties the pile, and an empty pile takes any card or run."),
    founds: t("An empty pile takes any card or run."),
    reserve: t("You can play a card from the reserve, the row of single cards, at any time, but not put it back."),
    builds: t("Piles build down in alternating colours."),
  };
  return reasons[why];
}
