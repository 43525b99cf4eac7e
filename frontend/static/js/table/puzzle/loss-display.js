/** Display of how a losing move loses: the game after it, played on the puzzle's table until the player goes back. */

import { byId, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { notice } from "../../shared/notice.js";
import { noAnswer, requestJson } from "../../shared/request.js";
import { tell } from "./open-table.js";
import { afterWrong } from "./outcome-texts.js";

/** @import { Token } from "../state/types.js" */
/** @import { OpenTable, Step } from "./open-table.js" */

/** @typedef {{turn: number, token: Token}} Mistake */

/** Longest time between two moves, and for the whole game, in ms. */
const [PACE, WHOLE] = [700, 12_000];

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
