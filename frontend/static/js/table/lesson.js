/** A small game on a page of the rules: the table's own parts, answered by a graph instead of the server. */

import { t } from "../i18n.js";
import { onSettings, settings } from "../settings.js";
import { moveText, say, tableText } from "./announce.js";
import { Hand } from "./drag.js";
import { Game } from "./game.js";
import { Graph } from "./graph.js";
import { Keyboard } from "./keyboard.js";
import { layout } from "./layout.js";
import { parse } from "./moves.js";
import { Picking } from "./picking.js";
import { Renderer } from "./render.js";
import { play as sound } from "./sound.js";

/** @import { Token, View } from "./types.js" */

/** Between two moves that go by themselves, ms. */
const PACE = 190;

class Lesson {
  game = new Game();
  /** The positions passed through, the present one last. */
  #way = [0];
  #timer = 0;
  #size = { width: 0, height: 0 };

  /** @param {HTMLElement} section @param {HTMLElement} felt @param {Graph} graph */
  constructor(section, felt, graph) {
    this.section = section;
    this.felt = felt;
    this.graph = graph;
    this.texts = [...section.querySelectorAll(".lesson-texts li")].map((item) => item.innerHTML);
    this.renderer = new Renderer(felt, { french: felt.dataset.french ?? "", tarot: felt.dataset.tarot ?? "" });
    this.picking = new Picking(this.renderer, this.game, (token) => this.play(token));
    const { picking, game } = this;
    this.hand = new Hand(felt, this.renderer, {
      choices: (pile, count) => game.choices(pile, count),
      tap: (piece, pile) => picking.tap(piece, pile),
      play: ({ token }) => this.play(token),
      show: (choices) => picking.mark(choices, null),
      settle: () => this.draw(),
    });
    const keys = {
      draw: () => picking.drawCards(),
      undo: () => this.undo(),
      auto: () => {},
      resign: () => {},
      help: () => this.showMove(),
      describe: () => game.shown && say(tableText(game.shown)),
      cancel: () => picking.choose(null),
      enter: (/** @type {Element} */ element) =>
        picking.tap(this.renderer.pieceOf(element) ?? null, /** @type {HTMLElement} */ (element).dataset.pile ?? null),
      foundation: (/** @type {Element} */ element) => picking.toFoundation(element),
      targets: () => picking.targets,
    };
    this.keyboard = new Keyboard(felt, this.renderer, keys, section);
    this.#buttons();
    addEventListener("pointerdown", () => felt.classList.remove("keys"), { capture: true });
    onSettings(() => this.draw(true));
    this.restart();
    new ResizeObserver(([{ contentRect }]) => {
      this.#size = { width: contentRect.width, height: contentRect.height };
      this.draw(true);
    }).observe(felt);
  }

  get #at() {
    return /** @type {number} */ (this.#way.at(-1));
  }

  /** @param {boolean} [jump] @param {string|null} [source] */
  draw(jump = false, source = null) {
    const view = this.game.shown;
    const { width, height } = this.#size;
    if (!view || width === 0) return;
    this.renderer.draw(view, layout(view, width, height, settings.left_handed), { jump, source });
    this.hand.keep();
    this.picking.refresh(this.hand.busy);
    this.keyboard.refresh();
  }

  /** @param {Token} token */
  play(token) {
    const to = this.graph.positions[this.#at].moves?.[token];
    if (to === undefined) return;
    this.picking.choose(null);
    this.#way.push(to);
    this.#take(token);
    sound(parse(token)?.to === "f" ? "up" : "place");
  }

  undo() {
    if (this.#way.length === 1) return;
    clearTimeout(this.#timer);
    this.picking.choose(null);
    // What went by itself is taken back in one.
    do this.#way.pop();
    while (this.#way.length > 1 && this.graph.positions[this.#at].run);
    this.#take("u");
  }

  /** Begins again. */
  restart() {
    clearTimeout(this.#timer);
    this.#way = [0];
    this.picking.choose(null);
    this.game.takeView(this.graph.message(0, 0));
    this.draw();
    this.#tell();
  }

  /** Shows a good move without making it. */
  showMove() {
    const token = this.graph.best(this.#at);
    if (!token) return;
    const move = parse(token);
    if (!move) {
      this.picking.choose(null);
      this.renderer.slots.get("s")?.classList.add("target");
      return;
    }
    this.picking.choose({ pile: move.from, count: move.count });
    this.picking.mark([{ to: move.to, token }], this.picking.chosen);
  }

  /** @param {Token} token that led to the present position */
  #take(token) {
    const before = /** @type {View} */ (this.game.view);
    this.game.takeMove(this.graph.moved(this.#at, (this.game.n ?? 0) + 1, token));
    this.draw(false, parse(token)?.from ?? null);
    this.#tell();
    if (!this.#done) say(moveText(before, /** @type {View} */ (this.game.view), token));
    if (this.graph.positions[this.#at].run) this.#timer = window.setTimeout(() => this.#run(), PACE);
  }

  #run() {
    const [token] = Object.keys(this.graph.positions[this.#at].moves ?? {});
    if (token) this.play(token);
  }

  get #done() {
    return Boolean(this.graph.positions[this.#at].done);
  }

  /** Says what is to be done now, and which buttons do something. */
  #tell() {
    const { say: text, run } = this.graph.positions[this.#at];
    const lost = !this.graph.isOpen(this.#at);
    const line = /** @type {HTMLElement} */ (this.section.querySelector(".lesson-say"));
    line.dataset.state = this.#done ? "done" : lost ? "lost" : run ? "run" : "try";
    const label = /** @type {HTMLElement} */ (line.querySelector("b"));
    label.textContent = this.#done ? t("Well done!") : lost ? t("That was it:") : run ? t("Watch:") : t("Try:");
    const words = lost
      ? t("from here the aim is out of reach. Take the move back.")
      : run
        ? t("the rest goes up by itself.")
        : this.texts[text];
    const place = /** @type {HTMLElement} */ (line.querySelector("span"));
    if (place.innerHTML !== words) place.innerHTML = words;
    this.#button("undo").disabled = this.#way.length === 1;
    this.#button("again").disabled = this.#way.length === 1;
    this.#button("show").disabled = this.graph.best(this.#at) === null || Boolean(run);
    const draw = this.#button("draw");
    draw.hidden = !this.graph.draws;
    draw.disabled = !this.game.offered.includes("d") && !this.game.offered.includes("n");
  }

  /** @param {string} name @returns {HTMLButtonElement} */
  #button(name) {
    return /** @type {HTMLButtonElement} */ (this.section.querySelector(`[data-do=${name}]`));
  }

  #buttons() {
    /** @type {Record<string, () => void>} */
    const actions = {
      undo: () => this.undo(),
      again: () => this.restart(),
      show: () => this.showMove(),
      draw: () => this.picking.drawCards(),
    };
    for (const [name, action] of Object.entries(actions)) this.#button(name).addEventListener("click", action);
  }
}

for (const felt of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-lesson]"))) {
  const section = /** @type {HTMLElement} */ (felt.closest(".lesson"));
  fetch(felt.dataset.lesson ?? "")
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(String(response.status)))))
    .then((positions) => new Lesson(section, felt, new Graph(positions)))
    .catch(() => {
      felt.textContent = t("The lesson could not be loaded.");
    });
}
