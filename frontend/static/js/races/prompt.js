/** "Your race is ready": for those who look around the site while they wait for a quick match. */

import { t, tn } from "../i18n.js";
import { part, write } from "./list.js";
import { RaceSocket } from "./socket.js";

const TICK = 250;
/** How long one is asked where the server has set no time yet, in ms (games.races.quick.PROMPT). */
const ASKED_FOR = 15000;

class Prompt {
  #socket;
  #until = 0;
  #line = part("p", "");
  #go = Object.assign(document.createElement("a"), { className: "button", textContent: t("Play") });
  #dialog = /** @type {HTMLDialogElement} */ (document.createElement("dialog"));

  /** @param {string} code */
  constructor(code) {
    const later = Object.assign(document.createElement("button"), { className: "button secondary", type: "button" });
    later.textContent = t("Not now");
    later.addEventListener("click", () => this.#decline());
    const title = part("h2", "", t("Your race is ready"));
    title.id = "race-ready";
    this.#dialog.setAttribute("aria-labelledby", title.id);
    this.#dialog.addEventListener("cancel", () => this.#decline());
    this.#dialog.append(title, this.#line, part("p", "actions", later, this.#go));
    document.body.append(this.#dialog);
    this.#socket = this.#follow(code);
    setInterval(() => this.#tick(), TICK);
  }

  /** @param {string} code */
  #follow(code) {
    this.#go.href = `/races/${code}/`;
    return new RaceSocket(code, {
      changed: () => this.#show(),
      moved: (other) => {
        this.#socket.close();
        this.#socket = this.#follow(other);
      },
      gone: () => this.#end(),
    });
  }

  #show() {
    const { room, you } = this.#socket;
    const race = room?.to_come;
    if (!race || you.to_come === null) return you.running === null ? this.#rest() : this.#end();
    const company = race.gathers_in !== null || race.starts_in !== null || race.seats.length > 1;
    if (!company) return this.#rest();
    const at = this.#socket.at(race.starts_in ?? race.gathers_in);
    if (at !== null) this.#until = at;
    else this.#until ||= this.#socket.clock.now() + ASKED_FOR;
    if (you.table) this.#go.href = you.table;
    this.#tick();
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#go.focus();
  }

  #tick() {
    if (!this.#until) return;
    const left = Math.max(0, Math.ceil(this.#socket.clock.until(this.#until) / 1000));
    const count = this.#socket.room?.to_come?.seats.length ?? 0;
    const company = tn("1 player has come together.", "{n} players have come together.", count);
    const time = t("{n} s left.", { n: left });
    write(this.#line, `${company} ${time}`);
  }

  /** Nobody is there any more. */
  #rest() {
    this.#until = 0;
    this.#dialog.close();
  }

  #decline() {
    this.#socket.send({ type: "leave" });
    this.#end();
  }

  #end() {
    this.#rest();
    this.#socket.close();
  }
}

const { waitingRoom = "" } = document.documentElement.dataset;
// The room's own page says it by itself.
if (waitingRoom && !document.getElementById("room")) new Prompt(waitingRoom);
