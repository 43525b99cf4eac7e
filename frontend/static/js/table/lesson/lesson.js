/** Lesson on a rules page: a small game with the table's own modules, answered by a graph instead of the server. */

import { all } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { requestJson } from "../../shared/request.js";
import { say } from "../../shared/announcer.js";
import { moveText } from "../hud/announce.js";
import { moveText as moveToMake } from "../hud/hint.js";
import { offered, takeMove, takeView } from "../state/game.js";
import { Graph } from "./graph.js";
import { parse } from "../state/moves.js";
import { openCommands } from "../input/keyboard.js";
import { pick, pointAt } from "../input/picked-card.js";
import { drawCards } from "../input/tap.js";
import { play as sound } from "../hud/sound.js";
import { newTable } from "../drawing/new-table.js";
import { bind, draw, observe } from "../table.js";
import { whyText } from "../hud/illegal-reasons.js";

/** @import { Token, View } from "../state/types.js" */
/** @import { Reason } from "../hud/illegal-reasons.js" */

/** Interval between automatic moves, in ms. */
const PACE = 190;

class Lesson {
  /** The positions visited, the current one last. */
  #way = [0];
  #timer = 0;

  /** @param {HTMLElement} section @param {HTMLElement} felt @param {Graph} graph */
  constructor(section, felt, graph) {
    this.section = section;
    this.graph = graph;
    this.texts = [...section.querySelectorAll(".lesson-texts li")].map((item) => item.innerHTML);
    this.state = newTable(felt, {
      play: (token) => this.play(token),
      draw: (how = {}) => draw(this.state, how),
      why: (pile, count, to) => this.#refuse(this.graph.why(this.#at, pile, count, to)),
    });
    const showMove = () => this.showMove();
    const keys = { undo: () => this.undo(), help: showMove, hint: showMove };
    bind(this.state, keys, section);
    this.#button("commands").addEventListener("click", () => openCommands(this.state, keys));
    this.#button("commands").disabled = false;
    this.#button("undo").addEventListener("click", () => this.undo());
    this.#button("again").addEventListener("click", () => this.restart());
    this.#button("show").addEventListener("click", () => this.showMove());
    this.#button("draw").addEventListener("click", () => drawCards(this.state));
    this.restart();
    observe(this.state);
  }

  get #at() {
    return /** @type {number} */ (this.#way.at(-1));
  }

  /** @param {Token} token */
  play(token) {
    const to = this.graph.positions[this.#at].moves?.[token];
    if (to === undefined) return;
    pick(this.state, null);
    this.#way.push(to);
    this.#take(token);
    sound(parse(token)?.to === "f" ? "up" : "place");
  }

  undo() {
    if (this.#way.length === 1) return;
    clearTimeout(this.#timer);
    pick(this.state, null);
    // Automatic moves are undone in one step.
    do this.#way.pop();
    while (this.#way.length > 1 && this.graph.positions[this.#at].run);
    this.#take("u");
  }

  /** Restarts the lesson. */
  restart() {
    clearTimeout(this.#timer);
    this.#way = [0];
    pick(this.state, null);
    takeView(this.state, this.graph.message(0, 0));
    draw(this.state, {});
    this.#tell();
  }

  /** Shows a good move without making it. */
  showMove() {
    const token = this.graph.best(this.#at);
    if (!token || !this.state.view) return;
    pointAt(this.state, token);
    say(t("Hint: {move}.", { move: moveToMake(this.state.view, token) }));
  }

  /** @param {Token} token that led to the current position */
  #take(token) {
    const { state } = this;
    const before = /** @type {View} */ (state.view);
    takeMove(state, this.graph.moved(this.#at, (state.n ?? 0) + 1, token));
    draw(state, { source: parse(token)?.from ?? null });
    this.#tell();
    if (!this.#done) say(moveText(before, /** @type {View} */ (state.view), token));
    if (this.graph.positions[this.#at].run) this.#timer = window.setTimeout(() => this.#run(), PACE);
  }

  #run() {
    const [token] = Object.keys(this.graph.positions[this.#at].moves ?? {});
    if (token) this.play(token);
  }

  get #done() {
    return Boolean(this.graph.positions[this.#at].done);
  }

  /** Shows what to do now, and updates the buttons. */
  #tell() {
    const { say: text, run } = this.graph.positions[this.#at];
    const lost = !this.graph.isOpen(this.#at);
    const state = this.#done ? "done" : lost ? "lost" : run ? "run" : "try";
    const label = this.#done ? t("Well done!") : lost ? t("Done:") : run ? t("Watch:") : t("Try:");
    const words = lost
      ? t("you can't reach the goal from here. Undo the move.")
      : run
        ? t("the rest goes up by itself.")
        : this.texts[text];
    this.#write(state, label, words);
    this.#button("undo").disabled = this.#way.length === 1;
    this.#button("again").disabled = this.#way.length === 1;
    this.#button("show").disabled = this.graph.best(this.#at) === null || Boolean(run);
    const legal = offered(this.state);
    const stock = this.#button("draw");
    stock.hidden = !this.graph.draws;
    stock.disabled = !legal.includes("d") && !legal.includes("n");
  }

  /** Shows why cards cannot move, until the next move. @param {Reason[]} reasons */
  #refuse(reasons) {
    const { view } = this.state;
    if (view && reasons.length > 0) this.#write("refused", t("Not like that:"), whyText(view, reasons));
  }

  /** @param {string} state @param {string} label @param {string} words */
  #write(state, label, words) {
    const [line] = all(".lesson-say", this.section);
    line.dataset.state = state;
    line.querySelector("b").textContent = label;
    const text = line.querySelector("span");
    if (text.innerHTML !== words) text.innerHTML = words;
  }

  /** @param {string} name @returns {HTMLButtonElement} */
  #button(name) {
    return all(`[data-do=${name}]`, this.section)[0];
  }
}

for (const felt of all("[data-lesson]"))
  requestJson(felt.dataset.lesson)
    .then((positions) => new Lesson(felt.closest(".lesson"), felt, new Graph(positions)))
    .catch(() => (felt.textContent = t("The lesson could not be loaded.")));
