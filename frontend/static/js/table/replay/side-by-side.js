/** Recorded games side by side: all boards follow one clock, the time since the cards were dealt. */

import { all, byId, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { requestJson } from "../../shared/request.js";
import { applySettings } from "../../site/settings.js";
import { clockText, durationText } from "../../shared/times.js";
import { say } from "../../shared/announcer.js";
import { parse } from "../state/moves.js";
import { render } from "../drawing/render.js";
import { newTable } from "../drawing/new-table.js";
import { bindKeys, showRunning, viewsOf } from "./transport.js";

/** @import { Steps } from "./replay.js" */

/** Interval between updates during playback, in ms. */
const TICK = 80;
/** Step of an arrow key, in ms. */
const STEP = 5000;

/** A board with one of the games. */
class Board {
  /** Number of moves made; -1 before the first drawing. */
  #at = -1;

  /** @param {HTMLElement} figure @param {Steps & {end: {how: string, ms: number}}} steps */
  constructor(figure, steps) {
    this.felt = all(".felt", figure)[0];
    this.standing = all(".standing", figure)[0];
    this.figure = figure;
    this.moved = steps.moved;
    this.end = steps.end;
    this.views = viewsOf(steps);
    this.state = newTable(this.felt, { play: () => {}, draw: () => {} });
    new ResizeObserver(() => this.#draw(true)).observe(this.felt);
  }

  /** Shows the game at a time. @param {number} ms */
  show(ms) {
    let at = Math.max(0, this.#at);
    while (at < this.moved.length && this.moved[at].ms <= ms) at++;
    while (at > 0 && this.moved[at - 1].ms > ms) at--;
    const over = ms >= this.end.ms;
    this.figure.dataset.end = over ? this.end.how : "";
    if (at !== this.#at) {
      const near = at - this.#at === 1 && at > 0;
      this.#at = at;
      this.#draw(false, near ? (parse(this.moved[at - 1].token)?.from ?? null) : null);
    }
    const { cards_up: up, goal } = this.views[at];
    write(this.standing, `${up}/${goal}${over ? ` · ${durationText(this.end.ms)}` : ""}`);
  }

  /** @param {boolean} jump @param {string|null} [source] */
  #draw(jump, source = null) {
    this.state.view = this.views[Math.max(0, this.#at)];
    this.state.size = { width: this.felt.clientWidth, height: this.felt.clientHeight };
    render(this.state, { jump, source });
    // Slot ids would repeat on a page with several tables.
    for (const slot of this.felt.querySelectorAll(".slot[id]")) slot.removeAttribute("id");
  }
}

/** Shared clock of all boards, with its controls. */
class TimeLine {
  #ms = 0;
  #timer = 0;
  #since = 0;

  /** @param {Board[]} boards */
  constructor(boards) {
    this.boards = boards;
    this.length = Math.max(...boards.map(({ end }) => end.ms));
    this.scrub = byId("scrub");
    this.scrub.max = String(Math.ceil(this.length / 100) * 100);
    this.scrub.addEventListener("input", () => this.go(Number(this.scrub.value)));
    byId("play").addEventListener("click", () => this.#press());
    bindKeys({
      ArrowLeft: () => this.#seek(this.#ms - STEP),
      ArrowRight: () => this.#seek(this.#ms + STEP),
      Home: () => this.#seek(0),
      End: () => this.#seek(this.length),
      " ": () => this.#press(),
    });
    this.go(0);
  }

  /** @param {number} ms */
  go(ms) {
    this.#ms = Math.max(0, Math.min(this.length, ms));
    for (const board of this.boards) board.show(this.#ms);
    this.scrub.value = String(this.#ms);
    this.scrub.setAttribute("aria-valuetext", clockText(this.#ms));
    byId("clock").textContent = clockText(this.#ms);
  }

  /** Goes to a time, and announces how far each game has come. @param {number} ms */
  #seek(ms) {
    this.go(ms);
    const captions = this.boards.map(({ figure }) => all("figcaption", figure)[0].textContent.trim());
    say([clockText(this.#ms), ...captions].join(". "));
  }

  #press() {
    if (this.#timer) this.stop();
    else this.run();
  }

  run() {
    if (this.#ms >= this.length) this.go(0);
    this.#since = performance.now();
    this.#timer = window.setInterval(() => this.#tick(), TICK);
    showRunning(byId("play"), true);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    showRunning(byId("play"), false);
    say(t("Stopped at {time}", { time: clockText(this.#ms) }));
  }

  #tick() {
    const now = performance.now();
    const passed = (now - this.#since) * Number(byId("speed").value);
    this.#since = now;
    this.go(this.#ms + passed);
    if (this.#ms >= this.length) this.stop();
  }
}

/** @param {any} figure @returns {Promise<Board|null>} null if the game cannot be loaded */
async function load(figure) {
  try {
    return new Board(figure, await requestJson(figure.dataset.steps));
  } catch {
    for (const standing of all(".standing", figure)) standing.textContent = t("The game could not be loaded.");
    return null;
  }
}

applySettings();
const boards = (await Promise.all([...all("[data-steps]")].map(load))).filter((board) => board !== null);
if (boards.length > 0) new TimeLine(boards);
