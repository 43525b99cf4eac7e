/** A finished game, step by step: the server has computed every view, the page only turns the leaves. */

import { t } from "../i18n.js";
import { motionReduced } from "../settings.js";
import { moveText, say } from "./announce.js";
import { clockText } from "./hud.js";
import { parse } from "./moves.js";
import { render } from "./render.js";
import { newState } from "./state.js";
import { viewAfter } from "./views.js";

/** @import { View } from "./types.js" */

/**
 * @typedef {object} Steps
 * @property {View} view
 * @property {{n: number, token: string, ms: number, changes: any}[]} moved
 */

const PACE = 620;

class Replay {
  at = 0;
  #timer = 0;

  /** @param {HTMLElement} felt @param {Element} tools @param {Steps} steps */
  constructor(felt, tools, steps) {
    this.felt = felt;
    this.tools = tools;
    this.steps = steps;
    this.state = newState(felt, { play: () => {}, draw: () => {} });
    /** @type {View[]} */
    this.views = [steps.view];
    for (const { changes } of steps.moved) this.views.push(viewAfter(/** @type {View} */ (this.views.at(-1)), changes));
    this.scrub = /** @type {HTMLInputElement} */ (tools.querySelector("input[type=range]"));
    this.scrub.max = String(steps.moved.length);
    this.scrub.addEventListener("input", () => this.go(Number(this.scrub.value)));
    for (const button of tools.querySelectorAll("[data-step]"))
      button.addEventListener("click", () => this.#press(/** @type {HTMLElement} */ (button).dataset.step ?? ""));
    new ResizeObserver(() => this.#draw(true)).observe(felt);
    this.#draw(true);
  }

  /** @param {number} at number of moves made */
  go(at) {
    const next = Math.max(0, Math.min(this.steps.moved.length, at));
    const near = next - this.at === 1;
    this.at = next;
    this.#draw(false, near ? (parse(this.steps.moved[next - 1].token)?.from ?? null) : null);
  }

  /** @param {string} what */
  #press(what) {
    if (what === "play") return this.#timer ? this.#stop() : this.#run();
    this.#stop();
    const to = { first: 0, back: this.at - 1, next: this.at + 1, last: this.steps.moved.length };
    this.go(to[/** @type {"first"} */ (what)]);
    say(this.#text());
  }

  #run() {
    if (this.at === this.steps.moved.length) this.go(0);
    this.#pressed(true);
    this.#timer = window.setInterval(
      () => {
        this.go(this.at + 1);
        if (this.at === this.steps.moved.length) this.#stop();
      },
      motionReduced() ? PACE * 2 : PACE,
    );
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#pressed(false);
  }

  /** @param {boolean} running */
  #pressed(running) {
    const button = this.tools.querySelector("[data-step=play]");
    button?.setAttribute("aria-pressed", String(running));
    button?.setAttribute("aria-label", running ? t("Pause") : t("Play"));
  }

  #text() {
    return this.at === 0
      ? t("The deal")
      : moveText(this.views[this.at - 1], this.views[this.at], this.steps.moved[this.at - 1].token);
  }

  /** @param {boolean} jump @param {string|null} [source] */
  #draw(jump, source = null) {
    const view = this.views[this.at];
    this.state.view = view;
    this.state.size = { width: this.felt.clientWidth, height: this.felt.clientHeight };
    if (!render(this.state, { jump, source })) return;
    for (const element of this.felt.querySelectorAll("[role=button]")) element.setAttribute("role", "img");
    this.scrub.value = String(this.at);
    const text = this.tools.querySelector(".step-text");
    if (text) text.textContent = this.#text();
    const figures = {
      "cards-up": `${view.cards_up}/${view.goal}`,
      moves: `${this.at}/${this.steps.moved.length}`,
      clock: clockText(this.at ? this.steps.moved[this.at - 1].ms : 0),
    };
    for (const [id, value] of Object.entries(figures)) {
      const figure = document.getElementById(id);
      if (figure) figure.textContent = value;
    }
  }
}

for (const felt of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-replay]"))) {
  const tools = document.querySelector(".tools");
  fetch(felt.dataset.steps ?? "")
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(String(response.status)))))
    .then((steps) => tools && new Replay(felt, tools, steps))
    .catch(() => {
      felt.textContent = t("The game could not be loaded.");
    });
}
