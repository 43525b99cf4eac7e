/** "Your race is ready" prompt, for players who browse the site while they wait for a quick match. */

import { callPlayer } from "../../shared/attention.js";
import { t } from "../../shared/i18n.js";
import { button, link, part, write } from "../../shared/dom.js";
import { RaceSocket } from "../socket.js";

const TICK = 250;

class Prompt {
  #socket;
  /** End of the time to confirm, or the start of the race, on the server's clock; 0 if the prompt is idle. */
  #until = 0;
  #code = "";
  #asks = false;
  #confirmed = false;
  #title = part("h2", "", t("Your race is ready"));
  #line = part("p", "");
  #go = button(t("I'm ready"), "button", () => this.#agree());
  #later = button(t("Not now"), "button secondary", () => this.#decline());
  #dialog = document.createElement("dialog");

  /** @param {string} code */
  constructor(code) {
    this.#title.id = "race-ready";
    this.#dialog.setAttribute("aria-labelledby", this.#title.id);
    this.#dialog.addEventListener("cancel", () => this.#decline());
    this.#dialog.append(this.#title, this.#line, part("p", "actions", this.#later, this.#go));
    document.body.append(this.#dialog);
    this.#socket = this.#follow(code);
    setInterval(() => this.#tick(), TICK);
  }

  /** @param {string} code */
  #follow(code) {
    this.#code = code;
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
    if (!race || you.to_come === null) return this.#asks ? this.#miss() : this.#end();
    const at = you.confirm_by ?? this.#socket.at(race.starts_in);
    if (this.#confirmed && you.confirm_by === null) return location.assign(you.table ?? `/races/${this.#code}/`);
    this.#asks = you.confirm_by !== null;
    // Without an opponent, or while others have yet to confirm, there is nothing to do.
    if (at === null) return this.#rest();
    this.#until = at;
    write(this.#go, this.#asks ? t("I'm ready") : t("Play"));
    this.#tick();
    if (!this.#dialog.open) {
      this.#dialog.showModal();
      callPlayer(this.#asks ? t("Opponent found") : t("The race is starting"));
    }
    this.#go.focus();
  }

  #tick() {
    if (!this.#until) return;
    const n = Math.max(0, Math.ceil(this.#socket.clock.until(this.#until) / 1000));
    write(this.#line, this.#asks ? t("Opponent found. Confirm within {n} s.", { n }) : t("Starts in {n} s.", { n }));
  }

  /** Confirms the seat, or goes to the table. */
  #agree() {
    if (!this.#asks) return location.assign(this.#socket.you.table ?? `/races/${this.#code}/`);
    this.#confirmed = this.#socket.send({ type: "ready", ready: true });
  }

  #rest() {
    if (this.#until) callPlayer(t("Looking for an opponent…"));
    this.#until = 0;
    this.#dialog.close();
  }

  #decline() {
    this.#asks = false;
    this.#socket.send({ type: "leave" });
    this.#end();
  }

  /** Reports that the time has run out and the seat is lost. The next page says so as well. */
  #miss() {
    this.#until = 0;
    this.#socket.close();
    callPlayer(t("You missed this match"));
    write(this.#title, t("You missed this match"));
    write(this.#line, t("You didn't confirm in time."));
    this.#later.replaceWith(button(t("Close"), "button secondary", () => this.#dialog.close()));
    this.#go.replaceWith(link("/races/", "button", t("Go to Races")));
  }

  #end() {
    this.#rest();
    this.#socket.close();
  }
}

const { waitingRoom = "" } = document.documentElement.dataset;
// The room's own page shows the same information.
if (waitingRoom && !document.getElementById("room")) new Prompt(waitingRoom);
