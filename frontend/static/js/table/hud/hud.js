/** Heads-up display around the felt: figures, clock, buttons, connection, notices. */

import { byId, part, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { settings } from "../../site/settings.js";
import { clockText, durationText } from "../../shared/times.js";
import { say } from "../../shared/announcer.js";
import { rankName } from "../drawing/cards.js";
import { keepFocus } from "../input/focus.js";
import { isUndoBarred, canUndo, elapsed, offered, plays, redoable } from "../state/game.js";
import { isCalledOff } from "../state/state.js";

/** @import { State } from "../state/state.js" */
/** @import { Token, View } from "../state/types.js" */

/** Shows the clock or, once the game is over, its duration. @param {State} state */
export function showTime(state) {
  const running = settings.hide_clock ? "–:––" : clockText(elapsed(state));
  write(byId("clock"), state.status === "playing" ? running : durationText(elapsed(state)));
}

/** @param {State} state @param {View} view */
export function showFigures(state, view) {
  write(byId("cards-up"), `${view.cards_up}/${view.goal}`);
  byId("progress").style.transform = `scaleX(${view.cards_up / view.goal})`;
  write(byId("moves"), String(view.moves));
  showFacts(facts(view));
  const playing = plays(state);
  const waiting = state.pending.length > 0;
  showUndo(state);
  byId("redo").disabled = !redoable(state);
  byId("rewind").disabled = !canUndo(state) || waiting;
  byId("resign").disabled = !playing;
  const legal = offered(state);
  const draw = showDraw(view, legal);
  showDirection(state, playing && legal.includes("up"));
  keepFocus(
    () => {
      byId("auto").hidden = !(playing && state.auto && !waiting);
      byId("stuck").hidden = !(playing && state.stuck && !waiting);
    },
    state.focus,
    draw,
    byId("undo"),
  );
  showTime(state);
}

/** Shows the draw button, named after what it does. @param {View} view @param {Token[]} legal @returns {HTMLElement} */
export function showDraw(view, legal) {
  const [draws, turns] = [legal.includes("d"), legal.includes("n")];
  const draw = byId("draw");
  draw.hidden = !("s" in view.piles);
  draw.disabled = !draws && !turns;
  const label = !draws && turns ? t("Turn over") : view.game === "labyrinth" ? t("Deal row") : t("Draw");
  draw.querySelector("span").textContent = label;
  draw.setAttribute("aria-label", label);
  return draw;
}

/** Why an undo is refused in a race without looking ahead. */
export const barredText = () => t("Your last move turned up a card. You can't undo that in this race.");

/** Greys out the undo keys. One with a reason stays in reach of keyboard and pointer. @param {State} state */
function showUndo(state) {
  const barred = isUndoBarred(state);
  for (const id of ["undo", "stuck-undo"]) {
    const key = byId(id);
    key.disabled = !canUndo(state) && !barred;
    key.setAttribute("aria-disabled", String(barred));
    key.title = barred ? barredText() : "";
  }
}

/** Asks for the building direction, moving the focus there and back. @param {State} state @param {boolean} open */
function showDirection({ felt, focus }, open) {
  const question = byId("direction");
  if (question.hidden !== open) return;
  const inside = question.contains(document.activeElement);
  question.hidden = !open;
  const idle = document.activeElement === document.body || felt.contains(document.activeElement);
  if (open && idle) question.querySelector("button").focus({ preventScroll: true });
  else if (!open && inside) focus?.focus({ preventScroll: true });
}

/** The state of the game while the connection is lost. @param {State} state @returns {string} */
function lostText({ status, paused, local }) {
  if (status !== "playing") return t("Connection lost. Reconnecting… This game is over and nothing is lost.");
  if (paused) return t("Connection lost. Reconnecting… The game stays paused and the clock is stopped.");
  if (local) return t("You're offline. Play on: your moves are kept here and sent once you're back.");
  if (byId("pause")) return t("Connection lost. Reconnecting… The game waits for you.");
  return t("Connection lost. Reconnecting… Keep this page open to send your moves. The clock keeps running.");
}

/** Statuses of a connection that is tried again. */
const RETRYING = ["lost", "waiting", "crowded"];

/** @param {string} status @param {State} state */
export function showConnection(status, state) {
  // A lost connection stays marked as lost until it is open again, however often it is retried.
  if (status === "connecting" && RETRYING.includes(document.body.dataset.connection ?? "")) return;
  document.body.dataset.connection = status;
  const texts = {
    open: t("Connected"),
    connecting: t("Connecting…"),
    waiting: t("Our server is having trouble. Your move is kept."),
    lost: lostText(state),
    refused: t("This table can't be opened from here."),
    "signed-out": t("You've been signed out. Reload the page to continue."),
    crowded: t("Too many requests at once. Trying again…"),
    replaced: t("This game is open in another window."),
  };
  const text = texts[/** @type {"open"} */ (status)] ?? status;
  byId("connection").setAttribute("aria-label", text);
  byId("connection").title = text;
  byId("lost").hidden = ["open", "connecting"].includes(status) || (status === "refused" && isCalledOff(state));
  if (!byId("lost").hidden && byId("lost-text").textContent !== text) say(text);
  byId("lost-text").textContent = text;
  byId("retry").hidden = RETRYING.includes(status);
  byId("retry").textContent = status === "replaced" ? t("Play here") : t("Reload");
}

/** @param {[string, string][]} list */
function showFacts(list) {
  const text = list.join();
  const element = byId("facts");
  if ((element.dataset.text ?? "") === text) return;
  element.dataset.text = text;
  element.replaceChildren(...list.map(([name, value]) => part("span", "fact", part("small", "", name), ` ${value}`)));
}

/** @param {View} view @returns {[string, string][]} the game's facts besides its cards */
export function facts(view) {
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
