/** A practice game's table in this page, dealt from the server's deck: it answers moves while the network is away. */

import { RULES } from "../../games/games.js";
import { Table } from "../../verify/table.js";

/** @import { Card, Token, View } from "../state/types.js" */

export class LocalTable {
  /** @type {Token[]} the moves that stand on the table */ #moves = [];
  #table;
  /** @type {{view: View, legal: Token[]}|null} the last answer */ #answer = null;

  /** @param {View} view any of the game @param {Card[]} deck */
  constructor({ game, options }, deck) {
    this.#table = new Table(RULES[game], RULES[game].deal(deck, options));
  }

  /**
   * The position after these moves from the deal; null if one is not legal.
   * @param {View} view the last one confirmed @param {Token[]} moves @param {number} tokens pending ones
   */
  after(view, moves, tokens) {
    const played = this.#moves;
    if (played.length !== moves.length || played.some((token, k) => token !== moves[k])) this.#answer = null;
    while (played.some((token, k) => token !== moves[k])) {
      if (!this.#table.play("u")) return null;
      played.pop();
    }
    for (const token of moves.slice(played.length)) {
      if (!this.#table.play(token)) return null;
      played.push(token);
    }
    if (this.#answer?.view.moves !== view.moves + tokens)
      this.#answer = { view: this.#show(view, tokens), legal: [...this.#table.legal] };
    return this.#answer;
  }

  /** What the player may see, as in the server's views. @param {View} view @param {number} tokens @returns {View} */
  #show(view, tokens) {
    const { state, rules, cardsUp, goal, isWon } = this.#table;
    const listed = /** @type {Record<string, number>} */ ({ s: 0, w: Number(state.options.draw ?? 1) });
    if (rules.covered) listed[rules.covered] = 1;
    const shown = { ...view, .../** @type {Partial<View>} */ (rules.facts?.(state)), piles: {}, under: {} };
    for (const name of Object.keys(view.piles)) {
      const cards = state.piles[name];
      const under = Math.max(0, cards.length - (listed[name] ?? cards.length));
      const isDown = (/** @type {number} */ k) => state.down[name]?.includes(under + k);
      shown.piles = { ...shown.piles, [name]: cards.slice(under).map((card, k) => (isDown(k) ? null : card)) };
      shown.under = { ...shown.under, [name]: under };
    }
    const facts = { cards_up: cardsUp, goal, won: isWon, can_undo: this.#moves.length > 0 && !isWon };
    const rounds_left = state.rounds === Infinity ? null : state.rounds;
    return { ...shown, ...facts, rounds_left, moves: view.moves + tokens };
  }
}
