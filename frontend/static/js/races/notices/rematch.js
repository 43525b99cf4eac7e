/** "Ariadne wants a rematch" offer, for players who have raced recently, on every page of the site. */

import { button, part, write } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { sendForm } from "../../shared/send-form.js";
import { forget, lastRace, remember } from "./last-race.js";
import { RaceSocket } from "../socket.js";

class Rematch {
  #socket;
  #declined;
  /** Number of the upcoming race on offer. */
  #number = 0;
  #text = part("p", "");
  #box = part("section", "offer");

  /** @param {string} code @param {number} declined */
  constructor(code, declined) {
    this.code = code;
    this.#declined = declined;
    const join = button(t("Join"), "button small", () => sendForm(`/races/${code}/sit`));
    const decline = button(t("No, thanks"), "button secondary small", () => this.#decline());
    this.#box.setAttribute("role", "status");
    this.#box.hidden = true;
    this.#box.append(this.#text, part("p", "actions", join, decline));
    document.body.append(this.#box);
    this.#socket = new RaceSocket(code, {
      elsewhere: true,
      changed: () => this.#show(),
      gone: () => this.#end(),
    });
  }

  #show() {
    const { room, you } = this.#socket;
    if (!room) return;
    const { to_come: next, running, last } = room;
    const rivals = new Set([running, last].flatMap((race) => race?.seats ?? []).map(({ name }) => name));
    const rival =
      next?.state === "open"
        ? next.seats.find(({ name, house_racer: isBot }) => !isBot && rivals.has(name))
        : undefined;
    this.#number = next?.number ?? 0;
    if (rival) write(this.#text, t("{name} wants a rematch. The offer stands for half an hour.", { name: rival.name }));
    this.#box.hidden = !rival || you.to_come !== null || this.#number === this.#declined;
  }

  #decline() {
    this.#declined = this.#number;
    remember(this.code, this.#declined);
    this.#box.hidden = true;
  }

  /** Removes the offer once the room is closed. */
  #end() {
    forget();
    this.#box.remove();
  }
}

let listens = false;

/** Offers rematches of the browser's last race, except on the page of its room. */
export function listen() {
  const last = lastRace();
  if (!last || listens || document.getElementById("room")?.dataset.code === last.code) return;
  listens = true;
  new Rematch(last.code, last.declined);
}

/** Offers rematches of the race that has just been run here, and on the pages to come. @param {string} code */
export function offerRematches(code) {
  if (lastRace()?.code !== code) remember(code);
  listen();
}
