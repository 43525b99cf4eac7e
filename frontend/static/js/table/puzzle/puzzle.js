/** Puzzle: a table on which every card is known. The server answers each move and never sends the solution before. */

import { byId, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { request, requestJson } from "../../shared/request.js";
import { applySettings } from "../../site/settings.js";
import { say } from "../hud/announce.js";
import { shareText } from "../hud/share-text.js";
import { play as sound } from "../hud/sound.js";
import { openCommands } from "../input/keyboard.js";
import { refuse } from "../input/illegal-move.js";
import { pick } from "../input/picked-card.js";
import { drawCards } from "../input/tap.js";
import { takeView } from "../state/game.js";
import { parse } from "../state/moves.js";
import { newState } from "../state/state.js";
import { bind, draw, observe } from "../table.js";
import { showAfter } from "./after-try.js";
import { listHidden, markFaceDown } from "./hidden-cards.js";
import { ending, refusal, resultText, task } from "./outcome-texts.js";
import { Playback } from "./playback.js";

/** @import { How } from "../state/state.js" */
/** @import { Card, Pile, Token, View } from "../state/types.js" */
/** @import { Outcome, Ratings } from "./outcome-texts.js" */
/** @import { After } from "./after-try.js" */

/**
 * @typedef {object} Step
 * @property {Token|null} token the move that led here
 * @property {View} view
 * @property {Token[]} legal
 * @property {Card[]} face_down
 * @property {Record<Pile, Card[]>} hidden
 *
 * @typedef {object} Progress
 * @property {number} turn
 * @property {number} mistakes
 * @property {number|null} tries_left
 * @property {boolean} solved
 * @property {boolean} failed
 * @property {number|null} rating_change
 *
 * @typedef {{most_up?: number, goal?: number, ends?: Card[]}} Loss
 *
 * @typedef {object} Data
 * @property {Step} step
 * @property {number} turns
 * @property {Progress} progress
 * @property {number|null} streak
 * @property {After|null} after
 * @property {Ratings} rating
 * @property {string} address
 */

/** Time between two moves that play by themselves, and of the win, in ms. */
const [PACE, WIN_PACE] = [350, 700];

class Puzzle {
  #playback = new Playback();
  #waiting = false;

  /** @param {HTMLElement} felt @param {Data} data */
  constructor(felt, { step, turns, progress, streak, after, rating, address }) {
    this.felt = felt;
    this.turns = turns;
    this.progress = progress;
    this.streak = streak;
    this.after = after;
    this.rating = rating;
    this.step = step;
    this.state = newState(felt, {
      play: (token) => this.play(token),
      draw: (how = {}) => this.#draw(how),
    });
    const keys = { undo: () => {}, help: () => openCommands(this.state, keys) };
    felt.addEventListener("pointerdown", (event) => this.#skip(event), { capture: true });
    felt.addEventListener("keydown", (event) => /^(Enter| )$/.test(event.key) && this.#skip(event), { capture: true });
    bind(this.state, keys, document);
    byId("commands").addEventListener("click", keys.help);
    byId("draw").addEventListener("click", () => drawCards(this.state));
    byId("watch").addEventListener("click", () => this.#watch());
    const sharing = byId("share");
    sharing.addEventListener("click", () =>
      shareText(resultText(felt.dataset, this.progress, this.streak, address), sharing),
    );
    this.#show(step);
    observe(this.state);
    this.#tellState();
  }

  get #isOver() {
    return this.progress.solved || this.progress.failed;
  }

  /** Sends a move to the server. @param {Token} token */
  async play(token) {
    if (this.#waiting || this.#isOver || this.#playback.running) return;
    pick(this.state, null);
    this.#waiting = true;
    try {
      const response = await request(this.felt.dataset.move ?? "", "POST", { turn: this.progress.turn, token });
      const reply = await response.json();
      if (response.ok) this.#answer(token, reply);
      // Another tab has played on, or signed in: show what it reached.
      else if (response.status === 409 || response.status === 401) location.reload();
      else this.#tell({ state: "refused", label: t("Not sent:"), words: reply.error.message });
    } catch {
      this.#tell({ state: "refused", label: t("Not sent:"), words: t("you seem to be offline. Try again.") });
    } finally {
      this.#waiting = false;
    }
  }

  /**
   * @param {Token} token
   * @param {{progress: Progress, steps: Step[], loss: Loss|null, streak: number|null, after: After|null,
   *   rating: Ratings}} reply
   */
  #answer(token, { progress, steps, loss, streak, after, rating }) {
    this.progress = progress;
    this.after = after;
    this.rating = rating;
    this.streak = streak ?? this.streak;
    if (loss) return this.#refuse(token, loss);
    sound(parse(token)?.to === "f" ? "up" : "place");
    this.#run(steps, PACE, () => this.#tellState());
  }

  /** @param {Token} token @param {Loss} loss */
  #refuse(token, loss) {
    const move = parse(token);
    if (move) refuse(this.state, move.from, move.count, "");
    draw(this.state, {});
    if (this.progress.failed) return this.#tellState();
    this.#tell(refusal(this.step.view.game, loss, this.progress));
  }

  /** Ends the forced moves at once. @param {Event} event which then plays nothing */
  #skip(event) {
    if (this.#isOver || !this.#playback.running) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#playback.skip();
  }

  /** @param {Step[]} steps @param {number} pace ms @param {() => void} done */
  #run(steps, pace, done) {
    this.#playback.run(steps, pace, (step) => this.#show(step), done);
  }

  /** @param {Step} step */
  #show(step) {
    const { token, view, legal } = step;
    this.step = step;
    const playing = !this.#isOver && !this.#playback.running;
    takeView(this.state, { n: view.moves, view, legal: playing ? legal : [], stuck: false, ms: 0, state: "playing" });
    this.#draw({ source: token ? (parse(token)?.from ?? null) : null });
    listHidden(byId("hidden-cards"), this.state, step.hidden);
    const stock = byId("draw");
    stock.hidden = !("s" in view.piles) || this.#isOver;
    stock.disabled = !this.state.legal.some((move) => move === "d" || move === "n");
  }

  /** @param {How} how */
  #draw(how) {
    draw(this.state, how);
    markFaceDown(this.state, this.step.face_down);
  }

  #tellState() {
    const { progress, streak, rating, turns } = this;
    this.#tell(this.#isOver ? ending(progress, streak, rating) : task(progress, turns));
  }

  /** @param {Outcome} outcome */
  #tell({ state, label, words }) {
    const line = byId("puzzle-say");
    line.dataset.state = state;
    line.querySelector("b").textContent = label;
    line.querySelector("span").textContent = words;
    const { turn, tries_left: left, mistakes } = this.progress;
    write(byId("turn"), `${Math.min(turn + 1, this.turns)}/${this.turns}`);
    if (byId("tries-left")) write(byId("tries-left"), String(left));
    if (byId("mistakes")) write(byId("mistakes"), String(mistakes));
    const { own, provisional } = this.rating;
    if (byId("rating")) write(byId("rating"), `${own}${provisional ? "?" : ""}`);
    for (const id of ["watch", "share"]) byId(id).hidden = !this.#isOver;
    showAfter(byId("after-try"), this.after);
    byId("another").classList.toggle("gold", this.#isOver);
  }

  async #watch() {
    const { steps } = await requestJson(this.felt.dataset.win ?? "");
    this.#run(steps, WIN_PACE, () => say(t("The game is won.")));
  }
}

applySettings();
new Puzzle(byId("felt"), JSON.parse(byId("puzzle-data").textContent));
