/** Stage of a room: its state in one sentence, the matching clock, and the player's possible actions. */

import { t, tn } from "../../shared/i18n.js";
import { callPlayer } from "../../shared/attention.js";
import { clockText } from "../../shared/times.js";
import { byId, write } from "../../shared/dom.js";
import { isPuzzleRace, parts } from "../types.js";

/** @import { Names } from "../names.js" */
/** @import { RaceSocket } from "../socket.js" */
/** @import { RaceState } from "../types.js" */

const TICK = 200;
/** Wait for an opponent after which a ghost is offered, in ms. */
const GHOST_AFTER_MS = 30000;
/** Wait after which a bot is offered, in ms. */
const BOTS_AFTER = 20000;

export class Stage {
  #since = performance.now();
  /** Deadline to confirm a quick match, on the server's clock. @type {number|null} */ #askedUntil = null;
  #missed = false;
  /** True while the player has a race, or an opponent, to be there for. */ #isOn = false;

  /** @param {RaceSocket} socket @param {Names} names @param {boolean} signedIn */
  constructor(socket, names, signedIn) {
    this.socket = socket;
    this.names = names;
    byId("sit-form").addEventListener("submit", (/** @type {Event} */ event) => {
      // A visitor becomes a guest by sending the form, and any page can then confirm a quick match.
      if (signedIn && socket.room?.kind !== "quick" && socket.send({ type: "sit" })) event.preventDefault();
    });
    byId("ready").addEventListener("click", () => socket.send({ type: "ready", ready: !this.#isReady }));
    byId("leave").addEventListener("click", () => socket.send({ type: "leave" }));
    // A player who has confirmed and leaves this page is asked again on the next one. So this must be sent before the
    // connection closes.
    const turnAway = () => this.#seeks && this.#isReady && socket.send({ type: "ready", ready: false });
    addEventListener("pagehide", turnAway, { capture: true });
    setInterval(() => this.#tick(), TICK);
  }

  /** @returns {RaceState|null} */
  get #race() {
    return this.socket.room?.to_come ?? null;
  }

  /** The states of seated players in the upcoming race: the player's own and everyone's. */
  get #states() {
    const me = this.socket.you.to_come;
    const lanes = (this.#race?.lanes ?? []).map(parts);
    return { mine: lanes.find(({ entrant }) => entrant === me)?.state ?? "", all: lanes.map(({ state }) => state) };
  }

  /** True while the player's own game in the running race continues. */
  get #plays() {
    const { room, you } = this.socket;
    const mine = (room?.running?.lanes ?? []).map(parts).find(({ entrant }) => entrant === you.running);
    return mine === undefined || mine.state === "racing" || mine.state === "ready";
  }

  get #isReady() {
    return this.#states.mine === "ready";
  }

  /** True while the player waits for a quick match. */
  get #seeks() {
    return this.socket.room?.kind === "quick" && this.#race?.state === "open" && this.socket.you.to_come !== null;
  }

  /** Tracks the deadline to confirm a quick match, and notes a missed one. */
  #followAsked() {
    const { you, clock } = this.socket;
    if (you.to_come === null) this.#missed ||= this.#askedUntil !== null && clock.until(this.#askedUntil) < TICK;
    else this.#missed = false;
    this.#askedUntil = you.confirm_by;
  }

  show() {
    const { room, you } = this.socket;
    if (!room) return;
    this.#followAsked();
    const [text, note] = this.#words();
    write(byId("stage-text"), text);
    write(byId("stage-note"), note);
    const race = this.#race;
    const open = !race || race.state === "open";
    const seated = you.to_come !== null;
    const isOn = seated && (!open || (room.kind === "quick" && (race?.seats.length ?? 0) > 1));
    if (isOn !== this.#isOn) callPlayer(text);
    this.#isOn = isOn;
    const full = (race?.seats.length ?? 0) >= room.seats;
    const may = open && !seated && you.running === null && !full && !(room.kind === "heat" && !race);
    byId("sit-form").hidden = !may;
    byId("next-race")?.toggleAttribute("hidden", Boolean(race ?? room.running));
    write(byId("sit"), room.last && !room.running ? t("Join the next race") : t("Join"));
    byId("ready").hidden = !(seated && open && (room.kind !== "quick" || you.confirm_by !== null));
    byId("ready").setAttribute("aria-pressed", String(this.#isReady));
    write(byId("ready"), this.#isReady ? t("I'm not ready") : t("I'm ready"));
    byId("ready").classList.toggle("secondary", this.#isReady);
    byId("leave").hidden = !(seated && open);
    byId("invite").hidden = room.kind === "quick" || room.kind === "heat";
    byId("meanwhile").hidden = !(room.kind === "quick" && seated && open);
    const table = byId("to-table");
    table.hidden = you.table === null || you.running === null;
    if (you.table) table.href = you.table;
    this.#tick();
  }

  /** @returns {[string, string]} the sentence, and a note to it */
  #words() {
    const { room, you } = this.socket;
    const race = this.#race;
    if (race?.state === "countdown") return [t("The race is starting"), this.#startNote(race)];
    if (you.running !== null && this.#plays) return [t("You're in the race"), t("The clock keeps running.")];
    if (you.running !== null) return [t("Your game is over"), t("The others are still racing.")];
    if (you.to_come === null) return this.#asVisitor();
    if (room?.kind === "quick") return this.#asSeeker();
    if (room?.kind === "heat") return [t("You're in this heat"), t("Be here when it starts.")];
    const { all } = this.#states;
    if (all.length < 2) return [t("No one else is here yet"), t("Share the link with your opponents.")];
    const waiting = all.filter((state) => state !== "ready").length;
    if (!waiting) return [t("Looking for a winnable deal."), ""];
    if (!this.#isReady) return [t("Are you ready?"), t("The race starts when everyone is ready.")];
    return [tn("Waiting for 1 player", "Waiting for {n} players", waiting), t("It starts when everyone is ready.")];
  }

  /** @param {RaceState} race */
  #startNote(race) {
    return isPuzzleRace(race)
      ? t("The first puzzle comes when the clock starts.")
      : t("The cards come when the clock starts.");
  }

  /** @returns {[string, string]} */
  #asVisitor() {
    const { room } = this.socket;
    if (this.#missed) return [t("You missed this match"), t("You didn't confirm in time.")];
    if (room?.running?.state === "settling")
      return [t("The race is over"), t("Verifying the games. This takes a moment.")];
    const isHeat = room?.kind === "heat";
    if (room?.running) return [t("A race is on"), isHeat ? "" : t("Watch it, then join the next one.")];
    if (room?.last && isHeat)
      return [room.last.state === "void" ? t("This race didn't take place") : t("The race is over"), ""];
    if (this.#race && this.#race.seats.length >= (room?.seats ?? 0))
      return [t("This room is full"), t("You can watch the race here.")];
    const solves = this.#race !== null && isPuzzleRace(this.#race);
    if (room?.last)
      return [t("Play again?"), solves ? t("Same room and link, new puzzles.") : t("Same room and link, new cards.")];
    if (solves) return [t("Join this race"), t("No account needed. Everyone sees the puzzles at the same moment.")];
    return [t("Join this race"), t("No account needed. Everyone sees the cards at the same moment.")];
  }

  /** @returns {[string, string]} */
  #asSeeker() {
    const seats = this.#race?.seats.length ?? 0;
    if (this.socket.you.confirm_by !== null) return [t("Opponent found"), t("Confirm in time to keep your seat.")];
    if (this.#race?.gathers_in !== null) return [t("Opponent found"), t("Others may still join.")];
    if (seats === 2) return [t("Opponent found"), t("Waiting for your opponent to confirm.")];
    if (seats > 2) return [t("Opponents found"), t("Waiting for your opponents to confirm.")];
    return [t("Looking for an opponent…"), t("You can confirm here or on any other page.")];
  }

  #tick() {
    const { room, clock, you } = this.socket;
    const race = this.#race;
    const span = race?.starts_in ?? race?.gathers_in ?? race?.scheduled_in ?? null;
    const at = you.confirm_by ?? this.socket.at(span);
    const figure = byId("stage-clock");
    figure.hidden = at === null;
    if (at !== null) {
      const left = Math.max(0, clock.until(at));
      write(figure, left > 60000 ? clockText(left) : String(Math.ceil(left / 1000)));
    }
    const waited = room?.kind === "quick" ? performance.now() - this.#since : 0;
    byId("ghost").hidden = waited < GHOST_AFTER_MS;
    byId("bots-offer").hidden = waited < BOTS_AFTER || !this.#seeks || race?.seats.length !== 1;
  }
}
