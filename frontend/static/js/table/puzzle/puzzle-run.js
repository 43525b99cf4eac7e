/** Run of puzzles: one after another, until the time is up or a streak's first mistake. The clock is the server's. */

import { onWake, pageTime } from "../../shared/clock.js";
import { byId, write } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { requestJson } from "../../shared/request.js";
import { clockText } from "../../shared/times.js";
import { settings } from "../../site/settings.js";
import { say } from "../../shared/announcer.js";
import { play as sound } from "../hud/sound.js";
import { parse } from "../state/moves.js";
import { OpenTable, tell } from "./open-table.js";

/** @import { Token } from "../state/types.js" */
/** @import { Step } from "./open-table.js" */

/**
 * @typedef {{at: number, turn: number, solved: number, mistakes: number, skips_left: number, ms_left: number}} Run
 * @typedef {{title: string, turns: number, step: Step}} RunPuzzle
 */

/** Time between forced moves, and for which a losing move is marked, in ms. */
const [PACE, MARKED] = [200, 700];
/** Time for the last answer after the end, in ms. */
const GRACE = 2000;
/** The token that skips a puzzle of a streak. */
const SKIP = "skip";
/** Seconds left that are announced. */
const ANNOUNCED = [10, 30, 60];

export class PuzzleRun {
  #announced = Infinity;
  #timer = 0;

  /**
   * @param {HTMLElement} felt @param {{state: Run, puzzle: RunPuzzle}} data
   * @param {() => void} onOver called when the run is over
   */
  constructor(felt, { state, puzzle }, onOver) {
    this.felt = felt;
    this.onOver = onOver;
    this.run = state;
    this.puzzle = puzzle;
    this.at = pageTime();
    document.body.classList.add(`game-${puzzle.step.view.game}`);
    this.table = new OpenTable(felt, puzzle.step, (token) => this.play(token));
    this.table.start(true);
    this.#bindSkip();
    tell({ state: "try", label: t("Go!"), words: this.#task() });
    onWake(() => this.table.isOpen && this.#setClock());
    this.#timer = window.setInterval(() => this.#tick(), 200);
    this.#tick();
  }

  get #left() {
    return this.run.ms_left - (pageTime() - this.at);
  }

  /** Sets the clock by the server's, unless the answer to a move does. */
  async #setClock() {
    const sent = pageTime();
    const reply = await requestJson(this.felt.dataset.current ?? "", "POST").catch(() => null);
    if (reply?.state?.mistakes !== this.run.mistakes) return;
    this.run.ms_left = reply.state.ms_left;
    this.at = sent; // the machine may have slept since
  }

  /** Sends a move to the server. @param {Token} token */
  async play(token) {
    const { at, turn } = this.run;
    const reply = await this.table.send({ at, turn, token });
    if (reply) this.#answer(token, reply);
  }

  /** In a streak, skips the puzzle. */
  #bindSkip() {
    if (!byId("skip")) return;
    byId("skip").addEventListener("click", () => this.table.isReady && this.play(SKIP));
    this.#showSkip();
  }

  #showSkip() {
    if (byId("skip")) byId("skip").hidden = this.run.skips_left === 0;
  }

  /** @param {Token} token @param {{right: boolean, state: Run, steps: Step[], next: RunPuzzle|null}} reply */
  #answer(token, { right, state, steps, next }) {
    this.run = state;
    this.at = pageTime();
    this.#tick();
    this.#showSkip();
    if (token === SKIP) return this.#goOn(next, "try", t("Skipped."));
    if (right) {
      if (settings.sound) sound(parse(token)?.to === "f" ? "up" : "place");
      return this.table.run(steps, PACE, () => this.#goOn(next, "right", t("Right!")));
    }
    this.table.refuse(token);
    const label = this.#hasClock ? t("That move loses: ten seconds less.") : t("That move loses.");
    tell({ state: "refused", label, words: "" });
    // The position stays for a moment before the next puzzle.
    const { step } = this.table;
    this.table.run([step, step], MARKED, () => this.#goOn(next, "refused", label));
  }

  /** @param {RunPuzzle|null} next @param {string} state @param {string} label */
  #goOn(next, state, label) {
    if (this.run.ms_left === 0) return this.#end();
    if (next) {
      document.body.classList.replace(`game-${this.puzzle.step.view.game}`, `game-${next.step.view.game}`);
      this.puzzle = next;
      this.table.show(next.step, { jump: true });
    }
    tell({ state, label, words: this.#task() });
  }

  #task() {
    const left = tn("one move to find", "{n} moves to find", this.puzzle.turns - this.run.turn);
    return `${this.puzzle.title}, ${left}.`;
  }

  get #hasClock() {
    return Boolean(byId("run-clock"));
  }

  #tick() {
    const left = this.#left;
    if (this.#hasClock) write(byId("run-clock"), clockText(Math.ceil(Math.max(0, left) / 1000) * 1000));
    write(byId("run-solved"), String(this.run.solved));
    const seconds = ANNOUNCED.find((one) => left <= one * 1000) ?? Infinity;
    if (seconds < this.#announced) {
      this.#announced = seconds;
      say(t("{n} seconds left.", { n: seconds }));
    }
    if (left <= (this.table.isWaiting ? -GRACE : 0)) this.#end();
  }

  #end() {
    clearInterval(this.#timer);
    if (!this.table.isOpen) return;
    this.table.isOpen = false;
    tell({ state: "done", label: this.#hasClock ? t("Your time is up.") : t("The streak is over."), words: "" });
    this.onOver();
  }
}
