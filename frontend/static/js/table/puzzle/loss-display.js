/** Display of how a losing move loses: the game after it, played on the puzzle's table until the player goes back. */

import { byId, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { notice } from "../../shared/notice.js";
import { noAnswer, request, requestJson } from "../../shared/request.js";
import { tell } from "./open-table.js";
import { afterWrong } from "./outcome-texts.js";

/** @import { Card, Token } from "../state/types.js" */
/** @import { OpenTable, Step } from "./open-table.js" */

/**
 * @typedef {{turn: number, token: Token}} Mistake
 * @typedef {{turn: number, mistakes: number, token: Token}} Move with the numbers before it
 *
 * @typedef {object} Loss why a move loses; empty if that is not known yet
 * @property {number} [goal]
 * @property {number} [most_up] highest number of cards that can go up, and the cards at which foundations end
 * @property {Card[]} [ends]
 * @property {number} [best_up] cards up in the best of a number of simulated games, and cards that it lacked
 * @property {number} [games]
 * @property {Card[]} [lacks]
 * @property {number} [moves] moves in which it wins, where the losing move is asked for
 */

/** Longest time between two moves, and for the whole game, in ms. */
const [PACE, WHOLE] = [700, 12_000];
/** Pauses before asking why a move loses, in ms. */
const PAUSES = [1000, 2000, 4000, 8000];

export class LossDisplay {
  /** The losing move whose game can be shown. @type {Mistake|null} */
  #loss = null;
  #label = "";
  /** The position to go back to, while the game is shown, and whether the player may move there. @type {Step|null} */
  #left = null;
  #wasOpen = false;

  /** @param {OpenTable} table @param {string} address @param {() => void} onBack called with the position back */
  constructor(table, address, onBack) {
    this.table = table;
    this.address = address;
    this.onBack = onBack;
    this.button = byId("show-loss");
    this.button.addEventListener("click", () => (this.#left ? this.#back() : this.show()));
  }

  /** True while the game after a losing move is shown. */
  get isShown() {
    return this.#left !== null;
  }

  /** Offers to show a losing move's game; null hides the offer. @param {Mistake|null} loss @param {string} [label] */
  offer(loss, label = t("Show why")) {
    this.#loss = loss;
    this.#label = label;
    this.button.hidden = loss === null;
    write(this.button, label);
  }

  async show() {
    if (!this.#loss) return;
    const { turn, token } = this.#loss;
    const query = new URLSearchParams({ turn: String(turn), token });
    const reply = await requestJson(`${this.address}?${query}`).catch(() => null);
    if (!reply) return notice(noAnswer());
    const { steps } = reply;
    if (!this.#left) [this.#left, this.#wasOpen] = [this.table.step, this.table.isOpen];
    this.table.isOpen = false;
    this.table.mark([]);
    write(this.button, t("Back to the puzzle"));
    this.button.focus();
    tell({ state: "refused", label: t("After this move:"), words: "" });
    this.table.run(steps, Math.min(PACE, WHOLE / steps.length), () => tell(afterWrong(steps.at(-1).view)));
  }

  #back() {
    const step = /** @type {Step} */ (this.#left);
    this.#left = null;
    this.offer(this.#loss, this.#label);
    this.table.isOpen = this.#wasOpen;
    this.table.run([step], 0, this.onBack);
  }
}

/**
 * Asks why the last move loses, by repeating it, which changes nothing, while the server is finding out.
 * @param {string} address @param {Move} move @param {() => boolean} isOld returns true once the player has gone on
 * @returns {Promise<Loss|null>} null if the answer is old or never comes
 */
export async function whyLost(address, move, isOld) {
  for (const pause of PAUSES) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (isOld()) return null;
    const response = await request(address, "POST", move).catch(() => null);
    const { loss } = response?.ok ? await response.json() : { loss: {} };
    if (Object.keys(loss).length > 0) return isOld() ? null : loss;
  }
  return null;
}
