/** Replay of a finished game, step by step. The server has computed every view; the page only shows them. */

import { all, byId, write } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { requestJson } from "../../shared/request.js";
import { applySettings } from "../../site/settings.js";
import { clockText, durationText } from "../../shared/times.js";
import { bindAnalysis } from "./analysis.js";
import { tableText } from "../commands/table-text.js";
import { say } from "../../shared/announcer.js";
import { moveText } from "../hud/announce.js";
import { bindExplorer } from "./explorer.js";
import { parse } from "../state/moves.js";
import { Playback } from "./playback.js";
import { render } from "../drawing/render.js";
import { bindSharing } from "./share-dialog.js";
import { newTable } from "../drawing/new-table.js";
import { drawThinking, gapsOf } from "./thinking-times.js";
import { bindKeys, showRunning, viewsOf } from "./transport.js";

/** @import { View } from "../state/types.js" */

/**
 * @typedef {object} Steps
 * @property {View} view
 * @property {{n: number, token: string, ms: number, changes: any}[]} moved
 */

class Replay {
  at = 0;
  /** @type {View|null} a position beside the game that is shown instead of its own */ aside = null;

  /** @param {HTMLElement} felt @param {Element} tools @param {Steps} steps */
  constructor(felt, tools, steps) {
    this.felt = felt;
    this.tools = tools;
    this.steps = steps;
    this.state = newTable(felt, { play: () => {}, draw: () => {} });
    this.views = viewsOf(steps);
    this.clock = steps.moved.map(({ ms }) => ms);
    this.gaps = gapsOf(this.clock);
    this.playback = new Playback(
      this.clock,
      (at, ms) => this.#turn(at, ms),
      () => showRunning(this.tools.querySelector("[data-step=play]"), this.playback.running),
    );
    this.scrub = byId("scrub");
    this.#bindBar();
    this.#bindTools();
    this.at = this.#within(Number(new URLSearchParams(location.search).get("n")));
    this.playback.seek(this.at);
    new ResizeObserver(() => this.#draw(true)).observe(felt);
    this.#draw(true);
  }

  get length() {
    return this.steps.moved.length;
  }

  /** @param {number} at number of moves made */
  go(at) {
    this.#turn(this.#within(at), null);
    this.playback.seek(this.at);
  }

  /** Shows a position beside the game, or the game's own again. @param {View|null} view @param {string} [token] */
  showAside(view, token = "") {
    this.playback.stop();
    this.aside = view;
    this.#draw(false, parse(token)?.from ?? null);
  }

  /** @param {number} at */
  #within(at) {
    return Math.max(0, Math.min(this.length, Math.trunc(at) || 0));
  }

  #bindBar() {
    this.scrub.max = String(this.length);
    this.scrub.addEventListener("input", () => this.go(Number(this.scrub.value)));
    const [thinking] = all(".thinking");
    if (thinking) drawThinking(thinking, this.clock);
  }

  #bindTools() {
    for (const button of all("[data-step]", this.tools))
      button.addEventListener("click", () => this.#press(button.dataset.step));
    const press = (/** @type {string} */ what) => () => this.#press(what);
    bindKeys({
      ArrowLeft: press("back"),
      ArrowRight: press("next"),
      Home: press("first"),
      End: press("last"),
      " ": press("play"),
      l: () => say(tableText(this.views[this.at])),
    });
    const speed = byId("speed");
    speed.addEventListener("change", () => (this.playback.speed = Number(speed.value)));
    this.playback.speed = Number(speed.value); // after a reload the browser restores the old choice
    const asPlayed = byId("as-played");
    asPlayed.addEventListener("click", () => {
      this.playback.real = !this.playback.real;
      this.playback.seek(this.at);
      asPlayed.setAttribute("aria-pressed", String(this.playback.real));
    });
  }

  /** @param {string} what */
  #press(what) {
    if (what === "play") return this.playback.running ? this.playback.stop() : this.#run();
    this.playback.stop();
    const to = { first: 0, back: this.aside ? this.at : this.at - 1, next: this.at + 1, last: this.length };
    this.go(to[/** @type {"first"} */ (what)]);
    say([this.#text(), this.#verdict()].filter(Boolean).join(". "));
  }

  /** The analysis of the current position, as shown; empty without one. */
  #verdict() {
    return byId("analysis")?.dataset.state === "done" ? byId("analysis-text").textContent : "";
  }

  #run() {
    if (this.at === this.length) this.go(0);
    this.playback.start();
  }

  /** Shows the game after `at` moves. @param {number} at @param {number|null} ms the time, between two moves */
  #turn(at, ms) {
    const near = at - this.at === 1;
    const same = at === this.at && !this.aside;
    this.at = at;
    this.aside = null;
    if (!same) this.#draw(false, near ? (parse(this.steps.moved[at - 1].token)?.from ?? null) : null);
    this.#tell("clock", this.#clock(ms));
  }

  /** The clock's reading or, at the end, the game's duration. @param {number|null} [ms] */
  #clock(ms = null) {
    return this.at === this.length ? durationText(this.#time()) : clockText(ms ?? this.#time());
  }

  #time() {
    return this.at ? this.clock[this.at - 1] : 0;
  }

  #text() {
    return this.at === 0
      ? t("The deal")
      : moveText(this.views[this.at - 1], this.views[this.at], this.steps.moved[this.at - 1].token);
  }

  /** The text of the seek bar at the current position. */
  #where() {
    const taken = Math.round((this.at ? this.gaps[this.at - 1] : 0) / 1000);
    const parts = [t("Move {n} of {all}", { n: this.at, all: this.length }), clockText(this.#time())];
    if (taken > 0) parts.push(tn("after one second", "after {n} seconds", taken));
    return parts.join(", ");
  }

  /** @param {boolean} jump @param {string|null} [source] */
  #draw(jump, source = null) {
    const view = this.aside ?? this.views[this.at];
    this.state.view = view;
    this.state.size = { width: this.felt.clientWidth, height: this.felt.clientHeight };
    if (!render(this.state, { jump, source })) return;
    for (const element of this.felt.querySelectorAll("[role=button]")) element.setAttribute("role", "img");
    this.scrub.value = String(this.at);
    this.scrub.setAttribute("aria-valuetext", this.#where());
    this.#tell("step-text", this.aside ? t("Beside this game") : this.#text());
    this.#tell("cards-up", `${view.cards_up}/${view.goal}`);
    this.#tell("moves", `${this.at}/${this.length}`);
    this.#tell("clock", this.#clock());
    this.felt.dispatchEvent(new Event("turned"));
    const from = byId("play-on");
    if (!from) return;
    from.elements.n.value = String(this.at);
    from.querySelector("button").disabled = view.won || this.aside !== null;
  }

  /** @param {string} id @param {string} text */
  #tell(id, text) {
    const place = byId(id);
    if (place) write(place, text);
  }
}

applySettings();
const [felt] = all("[data-replay]");
const [tools] = all(".tools");
if (felt && tools)
  requestJson(felt.dataset.steps)
    .then((steps) => {
      const replay = new Replay(felt, tools, steps);
      bindSharing(replay);
      bindAnalysis(replay);
      bindExplorer(replay);
    })
    .catch(() => (felt.textContent = t("The game could not be loaded.")));
