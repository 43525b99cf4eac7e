/** Everything around the felt: figures, clock, buttons, connection, notices. */

import { t } from "../i18n.js";
import { settings } from "../settings.js";
import { rankName } from "./cards.js";

/** @import { Game } from "./game.js" */
/** @import { View } from "./types.js" */

/** @param {string} id @returns {HTMLElement} */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {number} ms @returns {string} 4:07 or 1:04:07 */
export function clockText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/**
 * Puts a text in its place; one that stands there already is left alone, so that nothing is laid out anew.
 * @param {string} id
 * @param {string} text
 */
function write(id, text) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
}

export class Hud {
  #noticeTimer = 0;
  #told = "";

  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    window.setInterval(() => this.tick(), 250);
  }

  tick() {
    const text = settings.hide_clock && this.game.state === "playing" ? "–:––" : clockText(this.game.elapsed);
    write("clock", text);
  }

  /** @param {[string, string][]} list */
  #tell(list) {
    const told = list.join();
    if (told === this.#told) return;
    this.#told = told;
    byId("facts").replaceChildren(...list.map(([name, value]) => fact(name, value)));
  }

  /** @param {View} view */
  draw(view) {
    write("cards-up", `${view.cards_up}/${view.goal}`);
    byId("progress").style.transform = `scaleX(${view.cards_up / view.goal})`;
    write("moves", String(view.moves));
    this.#tell(facts(view));
    const game = this.game;
    const playing = game.state === "playing";
    /** @type {HTMLButtonElement} */ (byId("undo")).disabled = !game.canUndo;
    /** @type {HTMLButtonElement} */ (byId("resign")).disabled = !playing;
    byId("auto").hidden = !(playing && game.auto && game.pending.length === 0);
    const offered = game.offered;
    const draw = /** @type {HTMLButtonElement} */ (byId("draw"));
    draw.hidden = !("s" in view.piles);
    draw.disabled = !offered.includes("d") && !offered.includes("n");
    const label =
      !offered.includes("d") && offered.includes("n")
        ? t("Turn over")
        : view.game === "labyrinth"
          ? t("Deal row")
          : t("Draw");
    const words = draw.querySelector("span");
    if (words) words.textContent = label;
    byId("direction").hidden = !(playing && offered.includes("up"));
    byId("stuck").hidden = !(playing && game.stuck && game.pending.length === 0);
    this.tick();
  }

  /** @param {string} status */
  connection(status) {
    document.body.dataset.connection = status;
    const texts = {
      open: t("Connected"),
      connecting: t("Connecting…"),
      lost: t("Connection lost. Trying again; your moves so far are kept and the clock runs on."),
      refused: t("This table cannot be opened from here."),
      crowded: t("Too many tables are open. Close some of them, then reload this page."),
    };
    const text = texts[/** @type {"open"} */ (status)] ?? status;
    byId("connection").setAttribute("aria-label", text);
    byId("connection").title = text;
    byId("lost").hidden = status === "open" || status === "connecting";
    byId("lost-text").textContent = text;
  }

  /** A line that goes away by itself. @param {string} text */
  notice(text) {
    const line = byId("notice");
    line.textContent = text;
    line.hidden = false;
    clearTimeout(this.#noticeTimer);
    this.#noticeTimer = window.setTimeout(() => (line.hidden = true), 4500);
  }
}

/** @param {View} view @returns {[string, string][]} what this game has to tell beside its cards */
function facts(view) {
  /** @type {[string, string][]} */
  const list = [];
  if (view.base) list.push([t("Base"), rankName(view.base)]);
  if (view.game === "braid") {
    const direction = view.direction === "up" ? t("up ↑") : view.direction === "down" ? t("down ↓") : t("choose");
    list.push([t("Builds"), direction]);
  }
  if (view.game === "plot")
    list.push([t("Phase"), view.phase === 1 ? t("one: fill the first foundation") : t("two: all foundations")]);
  if (view.game === "braid") list.push([t("Redeals"), String(view.rounds_left ?? "∞")]);
  return list;
}

/** @param {string} name @param {string} value */
function fact(name, value) {
  const element = document.createElement("span");
  element.className = "fact";
  element.append(Object.assign(document.createElement("small"), { textContent: name }), ` ${value}`);
  return element;
}
