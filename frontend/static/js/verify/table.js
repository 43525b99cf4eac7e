/** Replay of a record from its seed, with the rules in `js/games`: docs/records.md. */

import { RULES } from "../games/games.js";
import { cardsUp, copied } from "../games/position.js";
import { deckOf, variantOf } from "./shuffle.js";

/** @import { TalonRecord } from "./documents.js" */
/** @import { Answer } from "./findings.js" */
/** @import { Variant } from "./shuffle.js" */
/** @import { Rules, State } from "../games/position.js" */

/** The version of these rules. */
export const VERSION = 1;
const MOST_TOKENS = 5000;
/** Progress time of a game with as many cards up as at the deal: the greatest one. */
const NO_PROGRESS = 2 ** 32 - 1;

/** A table that plays tokens. */
export class Table {
  /** @type {State[]} */
  #before = [];
  /** @type {boolean[]} whether each standing move revealed a card */
  #revealed = [];
  tokens = 0;
  /** True once a move that revealed a card has been undone. */
  hasUndoneReveal = false;

  /** @param {Rules} rules @param {State} state */
  constructor(rules, state) {
    this.rules = rules;
    this.state = state;
    this.unseen = this.#hidden();
  }

  /** Cards that the position hides: in the stock, in a covered pile, and face down. */
  #hidden() {
    const { piles, down } = this.state;
    const { covered } = this.rules;
    const faceDown = Object.entries(down).flatMap(([pile, places]) => places.map((place) => piles[pile][place]));
    return {
      stock: (piles.s ?? []).length,
      under: covered ? Math.max(0, piles[covered].length - 1) : 0,
      faceDown,
    };
  }

  /** Removes what the position shows from the unseen cards, and returns whether it showed a new one. */
  #look() {
    const [before, now] = [this.unseen, this.#hidden()];
    this.unseen = {
      stock: Math.min(before.stock, now.stock),
      under: Math.min(before.under, now.under),
      faceDown: before.faceDown.filter((card) => now.faceDown.includes(card)),
    };
    const count = (/** @type {typeof now} */ { stock, under, faceDown }) => stock + under + faceDown.length;
    return count(this.unseen) < count(before);
  }

  get cardsUp() {
    return cardsUp(this.state);
  }

  get goal() {
    return this.rules.goal(this.state);
  }

  get isWon() {
    return this.cardsUp === this.goal;
  }

  /** @returns {Set<string>} */
  get legal() {
    return this.isWon ? new Set() : this.rules.legal(this.state);
  }

  /** Plays a token if it is legal. @param {string} token */
  play(token) {
    if (token === "u") {
      const last = this.isWon ? undefined : this.#before.pop();
      if (!last) return false;
      this.state = last;
      if (this.#revealed.pop()) this.hasUndoneReveal = true;
    } else {
      if (!this.legal.has(token)) return false;
      this.#before.push(this.state);
      this.state = copied(this.state);
      this.rules.play(this.state, token);
      this.#revealed.push(this.#look());
    }
    this.tokens++;
    return true;
  }
}

/** Deals the table of a seed. @param {{variant?: unknown, game?: unknown, options?: unknown, seed: string}} of */
export async function dealtTable(of) {
  const { game, options } = /** @type {Variant} */ (variantOf(of));
  return new Table(RULES[game], RULES[game].deal(await deckOf(game, of.seed), options));
}

/** @param {TalonRecord} record @returns {Promise<Answer>} in the server's format, with `undone_reveal` */
export async function replay(record) {
  const { tokens, clock, end } = record;
  const table = await dealtTable(record);
  const timed = isTimed(record);
  let before = table.cardsUp;
  const reached = new Map([[before, NO_PROGRESS]]);
  const isWhole =
    timed &&
    tokens.length <= MOST_TOKENS &&
    tokens.every((token, k) => {
      if (!table.play(token)) return false;
      if (table.cardsUp > before) reached.set(table.cardsUp, clock[k]);
      before = table.cardsUp;
      return true;
    });
  const isEnded = isWhole && table.isWon === (end.how === "won") && (end.how !== "won" || end.ms === clock.at(-1));
  const elapsed_ms = isWhole ? end.ms : (clock[table.tokens - 1] ?? 0);
  const { cardsUp: cards_up, goal, isWon: won, hasUndoneReveal: undone_reveal } = table;
  const times = { elapsed_ms, progress_ms: reached.get(cards_up) ?? NO_PROGRESS };
  const answer = { ok: isEnded, won, cards_up, goal, tokens: table.tokens, ...times, how: end.how, undone_reveal };
  // Wrong times are not the fault of any move.
  return isEnded ? answer : { ...answer, failure: { index: timed ? table.tokens : tokens.length } };
}

/** True if every token has a time, none earlier than the one before. @param {TalonRecord} record */
function isTimed({ tokens, clock, end }) {
  const times = [0, ...clock, end.ms];
  return clock.length === tokens.length && times.every((ms, k) => Number.isInteger(ms) && ms >= (times[k - 1] ?? 0));
}
