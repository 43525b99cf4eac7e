/** Entry point of a table's page: connects state, connection, input and drawing. */

import "../site/copy-button.js";
import { applySettings, bindSettings } from "../site/settings.js";
import { bindAsking } from "./hud/hint-buttons.js";
import { companyAt } from "./social/company.js";
import { plays } from "./state/game.js";
import { guideAt } from "./lesson/guide-loader.js";
import { showConnection, showFigures, showTime } from "./hud/hud.js";
import { askWhy, play, playOut, receive, redo, resign, undo } from "./state/online.js";
import { bindMore } from "./hud/more-menu.js";
import { bindNames } from "./input/pile-tooltip.js";
import { bindPause, showPause } from "./hud/pause.js";
import { drawCards } from "./input/picked-card.js";
import { TableSocket } from "./state/socket.js";
import { newState } from "./state/state.js";
import { bind, draw, observe } from "./table.js";

/** @import { Company } from "./social/company.js" */
/** @import { How, State } from "./state/state.js" */

/** Longest wait of the first cards for their faces, in ms. */
const FACES_WITHIN = 400;
const TICK = 250;

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/** Check whether this browser has raced (see ../races/raced.js): most tables load nothing for it. */
function hasRaced() {
  try {
    return "talon.raced" in localStorage;
  } catch {
    return false;
  }
}

/** @param {HTMLElement} felt */
function start(felt) {
  /** @type {State} */
  const state = newState(felt, {
    play: (token) => play(state, socket, token),
    draw: (how) => show(state, company, how),
    why: (pile, count, to) => askWhy(socket, pile, count, to),
  });
  /** @type {Company} */
  const company = companyAt(state);
  const keys = {
    undo: () => undo(state, socket),
    redo: () => redo(state, socket),
    hint: bindAsking(state),
    auto: () => playOut(state, socket),
    resign: () => plays(state) && byId("resign-dialog").showModal(),
    pause: bindPause(state, () => socket),
    help: () => byId("help-dialog").showModal(),
  };
  bind(state, keys, document);
  bindNames(state);
  const guide = guideAt(state);
  window.setInterval(() => showTime(state), TICK);
  /** @type {TableSocket} */
  const socket = new TableSocket(felt.dataset.socket ?? "", {
    have: () => state.n,
    message: (message) => take(message),
    status: (status) => showConnection(status, state),
  });
  const take = (/** @type {any} */ message) => {
    if (message.type === "waiting") return company.wait(message);
    if (message.type === "error") company.refused(message.code);
    receive(state, socket, message);
    guide.heard(message);
  };
  bindButtons(state, socket);
  bindMore(state, socket);
  open(state, take);
}

/**
 * Shows the first view, which comes with the page. Its cards wait for their faces, which the page preloads.
 * @param {State} state @param {(message: any) => void} take
 */
async function open(state, take) {
  const opening = document.getElementById("opening");
  if (opening) {
    const message = JSON.parse(opening.textContent ?? "");
    take(message);
    const patience = new Promise((resolve) => setTimeout(resolve, FACES_WITHIN));
    if (message.view) await Promise.race([state.faces.artwork(message.view).load(), patience]);
  }
  observe(state);
}

/**
 * Draws the table. On the first drawing of an unplayed game, the cards are dealt.
 * @param {State} state @param {Company} company @param {How} [how]
 */
function show(state, company, how = {}) {
  const view = draw(state, state.drawn ? how : { deal: state.n === 0 });
  if (!view) return;
  state.felt.dataset.confirmed = String(state.n ?? "");
  showFigures(state, view);
  showPause(state);
  company.drawn(view);
}

/** @param {State} state @param {TableSocket} socket */
function bindButtons(state, socket) {
  byId("undo").addEventListener("click", () => undo(state, socket));
  byId("redo").addEventListener("click", () => redo(state, socket));
  byId("draw").addEventListener("click", () => drawCards(state));
  byId("auto").addEventListener("click", () => playOut(state, socket));
  byId("stuck-undo").addEventListener("click", () => undo(state, socket));
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-direction]")))
    button.addEventListener("click", () => state.host.play(button.dataset.direction ?? "up"));
  for (const button of document.querySelectorAll("[data-resign]"))
    button.addEventListener("click", () => byId("resign-dialog").showModal());
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-opens]")))
    button.addEventListener("click", () => byId(button.dataset.opens ?? "").showModal());
  byId("resign-dialog").addEventListener("close", () => {
    const dialog = byId("resign-dialog");
    if (dialog.returnValue === "resign") resign(state, socket);
    dialog.returnValue = "";
  });
  byId("retry").addEventListener("click", () => location.reload());
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form.settings")))
    bindSettings(form);
}

applySettings();
const felt = document.getElementById("felt");
if (felt) start(felt);
// No rematch of another race is offered during one.
if (!felt?.dataset.race && hasRaced()) import("./social/race.js").then((module) => module.listenForRematch());
