/** Puzzle: a table on which every card is known. The server answers each move and never sends the solution before. */

import { byId, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { noAnswer, requestJson } from "../../shared/request.js";
import { shareText } from "../../shared/share.js";
import { applySettings, settings } from "../../site/settings.js";
import { say } from "../../shared/announcer.js";
import { notice } from "../../shared/notice.js";
import { explain } from "../hud/refusal-texts.js";
import { loadRules } from "../hud/rules-dialog.js";
import { play as sound } from "../hud/sound.js";
import { parse } from "../state/moves.js";
import { showAfter } from "./after-try.js";
import { LossDisplay, whyLost } from "./loss-display.js";
import { OpenTable, tell } from "./open-table.js";
import { afterWrong, ending, lacking, refusal, resultText, task } from "./outcome-texts.js";

/** @import { Pile, Token } from "../state/types.js" */
/** @import { Outcome, Ratings } from "./outcome-texts.js" */
/** @import { After } from "./after-try.js" */
/** @import { Loss, Mistake, Move } from "./loss-display.js" */
/** @import { Step } from "./open-table.js" */

/**
 * @typedef {object} Progress
 * @property {number} turn
 * @property {number} mistakes
 * @property {number|null} tries_left
 * @property {boolean} solved
 * @property {boolean} failed
 * @property {number|null} rating_change
 * @property {boolean} late
 * @property {boolean} review
 *
 * @typedef {object} Data
 * @property {Step} step
 * @property {"win"|"loss"} asks kind of move to find
 * @property {number} turns
 * @property {number} choices different moves at the player's turn
 * @property {Progress} progress
 * @property {number|null} streak
 * @property {After|null} after
 * @property {Ratings} rating
 * @property {Mistake|null} missed the move with which the player missed this puzzle before
 * @property {string} address
 */

/** Longest time between two moves that play by themselves, and of the win, and for the whole win, in ms. */
const [PACE, WIN_PACE, WIN] = [350, 700, 30_000];

function showRules() {
  byId("rules-dialog").showModal();
  loadRules();
}

class Puzzle {
  /** @param {HTMLElement} felt @param {Data} data */
  constructor(felt, { step, asks, turns, choices, progress, streak, after, rating, missed, address }) {
    this.felt = felt;
    this.asks = asks;
    this.turns = turns;
    this.choices = choices;
    this.progress = progress;
    this.streak = streak;
    this.after = after;
    this.rating = rating;
    this.missed = missed;
    this.table = new OpenTable(felt, step, (token) => this.play(token), {
      tapsTwice: true,
      why: (pile, cards, to) => this.#explain(pile, cards, to),
    });
    byId("rules").addEventListener("click", showRules);
    byId("watch").addEventListener("click", () => this.#watch());
    const sharing = byId("share");
    sharing.addEventListener("click", () =>
      shareText(resultText(felt.dataset, this.progress, this.streak, address), sharing),
    );
    this.losses = new LossDisplay(this.table, felt.dataset.loss ?? "", () => this.#tellState());
    this.table.start(!this.#isOver);
    this.#tellState();
    this.#showEnd();
    this.#offerMistake();
  }

  /** Offers to show why the move lost with which the player missed this position before. */
  #offerMistake() {
    this.losses.offer(this.missed?.turn === this.progress.turn ? this.missed : null, t("Show my mistake"));
  }

  get #isOver() {
    return this.progress.solved || this.progress.failed;
  }

  /** Sends a move to the server. @param {Token} token */
  async play(token) {
    if (this.asks === "loss" && /^[dn]$/.test(token)) return notice(t("Drawing never loses here."));
    const { turn, mistakes } = this.progress;
    const move = { turn, mistakes, token };
    const reply = await this.table.send(move);
    if (reply) this.#answer(move, reply);
  }

  /**
   * @param {Move} move
   * @param {{progress: Progress, steps: Step[], loss: Loss|null, streak: number|null, after: After|null,
   *   rating: Ratings}} reply
   */
  #answer(move, { progress, steps, loss, streak, after, rating }) {
    this.progress = progress;
    this.after = after;
    this.rating = rating;
    this.streak = streak ?? this.streak;
    this.table.isOpen = !this.#isOver;
    this.table.mark([]);
    this.#showEnd();
    if (loss) return this.#refuse(move, loss);
    this.#offerMistake();
    if (settings.sound) sound(parse(move.token)?.to === "f" ? "up" : "place");
    this.table.run(steps, PACE, () => this.#tellState());
  }

  /** @param {Move} move @param {Loss} loss */
  #refuse(move, loss) {
    this.table.refuse(move.token);
    this.losses.offer({ turn: this.progress.turn, token: move.token });
    if (this.progress.failed) return this.#tellState();
    this.#tellLoss(loss);
    if (Object.keys(loss).length > 0) return;
    const { progress, felt } = this;
    const isOld = () => this.progress !== progress || this.losses.isShown;
    whyLost(felt.dataset.move ?? "", move, isOld).then((reason) => reason && this.#tellLoss(reason));
  }

  /** @param {Loss} loss */
  #tellLoss(loss) {
    this.table.mark(lacking(loss));
    this.#tell(refusal(this.table.step.view.game, loss, this.progress, this.rating));
  }

  #tellState() {
    const { progress, streak, rating, after, asks, turns, choices } = this;
    const { goal } = this.table.step.view;
    const aim = { asks, turns, goal, choices };
    this.#tell(this.#isOver ? ending(progress, streak, rating, after?.left ?? null) : task(progress, rating, aim));
  }

  /** @param {Outcome} outcome */
  #tell(outcome) {
    tell(outcome);
    const { turn, tries_left: left, mistakes } = this.progress;
    write(byId("turn"), `${Math.min(turn + 1, this.turns)}/${this.turns}`);
    // After the day, a new try has no limit.
    if (byId("tries-left")) write(byId("tries-left"), String(left ?? "–"));
    if (byId("mistakes")) write(byId("mistakes"), String(mistakes));
    const { own, provisional } = this.rating;
    if (byId("rating")) write(byId("rating"), `${own}${provisional ? "?" : ""}`);
  }

  #showEnd() {
    for (const id of ["watch", "share"]) byId(id).hidden = !this.#isOver;
    showAfter(byId("after-try"), this.after, (turn, token) => {
      this.losses.offer({ turn, token });
      this.losses.show();
    });
    if (this.#isOver) byId("draw").hidden = true;
    byId("another").classList.toggle("gold", this.#isOver);
  }

  /** Explains why cards cannot move. @param {Pile} pile @param {number} cards @param {Pile|""} to */
  async #explain(pile, cards, to) {
    const query = new URLSearchParams({ pile, cards: String(cards), to });
    const reply = await requestJson(`${this.felt.dataset.why}?${query}`).catch(() => null);
    if (reply) explain(this.table.state, reply.reasons);
    else notice(noAnswer());
  }

  async #watch() {
    const win = await requestJson(this.felt.dataset.win ?? "").catch(() => null);
    if (!win) return notice(noAnswer());
    const { view } = win.steps.at(-1);
    this.table.run(win.steps, Math.min(WIN_PACE, WIN / win.steps.length), () =>
      view.won ? say(t("The game is won.")) : tell(afterWrong(view)),
    );
  }
}

applySettings();
new Puzzle(byId("felt"), JSON.parse(byId("puzzle-data").textContent));
