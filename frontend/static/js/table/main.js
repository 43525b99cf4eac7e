/** Entry point of a table's page: connects state, connection, input and drawing. */

import { all, byId } from "../shared/dom.js";
import { applySettings, tryStorage } from "../site/settings.js";
import { bindHint } from "./hud/hint-button.js";
import { opponentsAt } from "./social/opponents.js";
import { plays } from "./state/game.js";
import { guideAt } from "./lesson/guide-loader.js";
import { showConnection, showFigures, showTime } from "./hud/hud.js";
import { askWhy, play, playOut, receive, redo, resign, rewind, undo } from "./controller.js";
import { bindNames } from "./input/pile-look.js";
import { bindPause, showPause } from "./hud/pause.js";
import { drawCards } from "./input/tap.js";
import { prefetch, lazily, loadStyles } from "../shared/lazy.js";
import { resend } from "./state/recovery.js";
import { TableSocket } from "./state/socket.js";
import { newTable } from "./drawing/new-table.js";
import { bind, draw, observe } from "./table.js";

/** @import { Opponents } from "./social/opponents.js" */
/** @import { How, State } from "./state/state.js" */

/** Longest wait of the first cards for their faces, in ms. */
const FACES_WITHIN = 400;
const TICK = 250;

const theDialogs = async () => {
  const [module] = await Promise.all([import("./hud/dialogs.js"), loadStyles(byId("felt").dataset.dialogs ?? "")]);
  return module;
};

/** @param {HTMLElement} felt */
function start(felt) {
  /** @type {State} */
  const state = newTable(felt, {
    play: (token) => play(state, socket, token),
    draw: (how) => show(state, opponents, how),
    why: (pile, count, to) => askWhy(socket, pile, count, to),
  });
  /** @type {Opponents} */
  const opponents = opponentsAt(state);
  const keys = {
    undo: () => undo(state, socket),
    redo: () => redo(state, socket),
    hint: bindHint(state),
    auto: () => playOut(state, socket),
    resign: () => plays(state) && byId("resign-dialog").showModal(),
    pause: bindPause(state, () => socket),
    help: () => openDialog("help-dialog"),
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
    if (message.type === "waiting") return opponents.wait(message);
    if (message.type === "error") opponents.refused(message.code);
    receive(state, socket, message);
    guide.heard(message);
    if (felt.dataset.deck && state.status === "playing") prefetch(() => offline(message.type));
    if (message.type === "moved" || state.status !== "playing") prefetch(theDialogs);
  };
  const offline = async (/** @type {string} */ type) => {
    const { prepare, fetchNext } = await import("./offline/practice.js");
    await prepare(state, socket, () => resend(state, socket));
    if (type === "moved") await fetchNext();
  };
  const openDialog = (/** @type {string} */ id) =>
    lazily(theDialogs, (module) => module.openDialog(state, socket, keys, id));
  bindButtons(state, socket, openDialog);
  byId("share")?.addEventListener("click", () => lazily(theDialogs, (module) => module.shareResult(state)));
  begin(state, take);
}

/**
 * Shows the first view, which comes with the page. Its cards wait for their faces, which the page preloads.
 * @param {State} state @param {(message: any) => void} take
 */
async function begin(state, take) {
  const opening = byId("opening");
  if (opening) {
    const message = JSON.parse(opening.textContent);
    take(message);
    const patience = new Promise((resolve) => setTimeout(resolve, FACES_WITHIN));
    if (message.view) await Promise.race([state.faces.artwork(message.view).load(), patience]);
  }
  observe(state);
}

/**
 * Draws the table. On the first drawing of an unplayed game, the cards are dealt.
 * @param {State} state @param {Opponents} opponents @param {How} [how]
 */
function show(state, opponents, how = {}) {
  const view = draw(state, state.drawn ? how : { deal: state.n === 0 });
  if (!view) return;
  state.felt.dataset.confirmed = String(state.n ?? "");
  showFigures(state, view);
  showPause(state);
  opponents.drawn(view);
}

/** @param {State} state @param {TableSocket} socket @param {(id: string) => void} openDialog */
function bindButtons(state, socket, openDialog) {
  byId("undo").addEventListener("click", () => undo(state, socket));
  byId("redo").addEventListener("click", () => redo(state, socket));
  byId("draw").addEventListener("click", () => drawCards(state));
  byId("auto").addEventListener("click", () => playOut(state, socket));
  byId("stuck-undo").addEventListener("click", () => rewind(state, socket, { toChoice: true }));
  for (const button of all("[data-direction]"))
    button.addEventListener("click", () => state.host.play(button.dataset.direction));
  const dialog = byId("resign-dialog");
  for (const button of all("[data-resign]")) button.addEventListener("click", () => dialog.showModal());
  for (const button of all("[data-opens]:not(dialog *)"))
    button.addEventListener("click", () => openDialog(button.dataset.opens));
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "resign") resign(state, socket);
    dialog.returnValue = "";
  });
  byId("retry").addEventListener("click", () => document.body.dataset.connection === "replaced" || location.reload());
}

applySettings();
const felt = byId("felt");
if (felt) start(felt);
// No rematch of another race is offered during one. Most tables load nothing for it, as their browsers have not raced.
if (!felt?.dataset.race && tryStorage(() => "talon.raced" in localStorage))
  import("./social/race.js").then(({ listenForRematch }) => listenForRematch());
