/** Host controls: start the race, change its settings, kick a player. */

import { byId } from "../../shared/dom.js";
import { fillForm, bindForm, settingsOf } from "../lobby/game-form.js";
import { isPuzzleRace, parts } from "../types.js";

/** @import { RaceSocket } from "../socket.js" */
/** @import { Room, You } from "../types.js" */

/** @param {RaceSocket} socket */
export function bindHost(socket) {
  const dialog = byId("settings-dialog");
  const form = byId("settings-form");
  bindForm(form);
  byId("start").addEventListener("click", () => socket.send({ type: "start" }));
  byId("change").addEventListener("click", () => {
    const { room } = socket;
    const race = room && (room.to_come ?? room.last ?? room.running);
    if (room && race) fillForm(form, room, race);
    dialog.returnValue = "";
    dialog.showModal();
  });
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "set") socket.send(settingsOf(form));
  });
  byId("seats").addEventListener("click", (/** @type {any} */ { target }) => {
    const button = target.closest("[data-kick]");
    if (button) socket.send({ type: "kick", entrant: Number(button.dataset.kick) });
  });
  byId("add-bots").addEventListener("click", (/** @type {any} */ { target }) => {
    const button = target.closest("[data-bot]");
    if (button) socket.send({ type: "bot", racer: button.dataset.bot });
  });
}

/** @param {Room} room @param {You} you */
export function showHost({ to_come, seats }, { host }) {
  const open = host && (!to_come || to_come.state === "open");
  byId("change").hidden = !open;
  byId("webhook")?.toggleAttribute("hidden", !host);
  byId("add-bots").hidden = !(open && to_come && to_come.seats.length < seats && !isPuzzleRace(to_come));
  const here = (to_come?.lanes ?? []).map(parts).filter(({ away }) => !away).length;
  byId("start").hidden = !(open && here > 1 && to_come?.deal.state === "ready");
}
