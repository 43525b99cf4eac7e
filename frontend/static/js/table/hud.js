/** Everything around the felt: figures, clock, buttons, connection, notices. */

import { t } from "../i18n.js";
import { settings } from "../settings.js";
import { rankName } from "./cards.js";
import { canUndo, elapsed, offered } from "./game.js";

/** @import { State } from "./state.js" */
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

/** @param {State} state */
export function showTime(state) {
  write("clock", settings.hide_clock && state.status === "playing" ? "–:––" : clockText(elapsed(state)));
}

/** @param {State} state @param {View} view */
export function showFigures(state, view) {
  write("cards-up", `${view.cards_up}/${view.goal}`);
  byId("progress").style.transform = `scaleX(${view.cards_up / view.goal})`;
  write("moves", String(view.moves));
  tell(facts(view));
  const playing = state.status === "playing";
  const waiting = state.pending.length > 0;
  /** @type {HTMLButtonElement} */ (byId("undo")).disabled = !canUndo(state);
  /** @type {HTMLButtonElement} */ (byId("resign")).disabled = !playing;
  byId("auto").hidden = !(playing && state.auto && !waiting);
  const legal = offered(state);
  const [draws, turns] = [legal.includes("d"), legal.includes("n")];
  const draw = /** @type {HTMLButtonElement} */ (byId("draw"));
  draw.hidden = !("s" in view.piles);
  draw.disabled = !draws && !turns;
  const label = !draws && turns ? t("Turn over") : view.game === "labyrinth" ? t("Deal row") : t("Draw");
  const words = draw.querySelector("span");
  if (words) words.textContent = label;
  byId("direction").hidden = !(playing && legal.includes("up"));
  byId("stuck").hidden = !(playing && state.stuck && !waiting);
  showTime(state);
}

/** @param {string} status */
export function showConnection(status) {
  document.body.dataset.connection = status;
  const texts = {
    open: t("Connected"),
    connecting: t("Connecting…"),
    lost: t("Connection lost. Trying again; your moves so far are kept and the clock runs on."),
    refused: t("This table cannot be opened from here."),
    "signed-out": t("You have been signed out. Reload the page to go on."),
    crowded: t("Too many tables are open. Close some of them, then reload this page."),
  };
  const text = texts[/** @type {"open"} */ (status)] ?? status;
  byId("connection").setAttribute("aria-label", text);
  byId("connection").title = text;
  byId("lost").hidden = status === "open" || status === "connecting";
  byId("lost-text").textContent = text;
}

let noticeTimer = 0;

/** A line that goes away by itself. @param {string} text */
export function notice(text) {
  const line = byId("notice");
  line.textContent = text;
  line.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = window.setTimeout(() => (line.hidden = true), 4500);
}

/** @param {[string, string][]} list */
function tell(list) {
  const told = list.join();
  const element = byId("facts");
  if ((element.dataset.told ?? "") === told) return;
  element.dataset.told = told;
  element.replaceChildren(...list.map(([name, value]) => fact(name, value)));
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
