/** Race lobby. Its data comes with the page and is refreshed while the page is visible. */

import { quietFor, say } from "../../shared/announcer.js";
import { all, avatar, byId, link, part, write } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { poll } from "../../shared/polling.js";
import { ServerClock } from "../../shared/server-clock.js";
import { momentText } from "../../site/local-times.js";
import { clockText } from "../../shared/times.js";
import { bindForm } from "./game-form.js";
import { fillList } from "../live-list.js";
import { Names, agoText, limitText } from "../names.js";
import { isPuzzleRace } from "../types.js";

const EVERY = 5000;
const TICK = 1000;
/** Shortest interval between announcements of new rooms to screen readers, in ms. */
const QUIET_FOR = 30000;
/** Size of a picture in a line of text, in px. */
const PICTURE = 18;

/**
 * @typedef {object} Listed a race in the lobby
 * @property {string} code
 * @property {number} number
 * @property {string} kind
 * @property {string} variant
 * @property {string} game
 * @property {Record<string, any>} options
 * @property {number} limit_s
 * @property {number} seats
 * @property {number} taken
 *
 * @typedef {object} LobbyState
 * @property {number} now
 * @property {{starts_at: number, doors_at: number, entrants: number, variant: string}} heat
 * @property {(Listed & {host: string, avatar: string})[]} rooms
 * @property {(Listed & {starts_at: number, ends_at: number})[]} running
 * @property {string|null} best the room of the live race to watch
 * @property {(Listed & {finished_at: number, winners: string[], avatars: string[]})[]} recent
 */

class Lobby {
  #clock = new ServerClock();
  /** @type {LobbyState} */ #state;

  /** @param {HTMLElement} box */
  constructor(box) {
    this.names = new Names(box);
    this.#state = JSON.parse(box.dataset.lobby ?? "{}");
    this.#take(this.#state);
    poll(box.dataset.address ?? "", EVERY, (state) => this.#take(state));
    setInterval(() => this.#tick(), TICK);
  }

  /** @param {LobbyState} state */
  #take(state) {
    const known = new Set(this.#state.rooms.map(({ code }) => code));
    const fresh = state.rooms.find(({ code }) => !known.has(code));
    this.#state = state;
    this.#clock.heard(state.now);
    this.#fill("rooms", state.rooms, (room) => this.#room(room));
    this.#fill("recent", state.recent, (race) => this.#recent(race));
    this.#tick();
    if (fresh && quietFor() > QUIET_FOR) say(t("New open room: {game}", { game: this.names.title(fresh) }));
  }

  /** @template T @param {string} id @param {T[]} items @param {(item: T) => {key: string, row: HTMLElement}} draw */
  #fill(id, items, draw) {
    fillList(byId(id), items.map(draw));
    byId(id).hidden = items.length === 0;
    byId(`${id}-none`).hidden = items.length > 0;
    const count = byId(`${id}-count`);
    if (count) write(count, items.length ? String(items.length) : "");
  }

  #tick() {
    this.#heat(this.#state.heat);
    this.#fill("running", this.#state.running, (race) => this.#running(race));
  }

  /** @param {LobbyState["heat"]} heat */
  #heat({ starts_at: starts, doors_at: doors, entrants, variant }) {
    const left = Math.max(0, Math.ceil(this.#clock.until(starts) / 1000) * 1000);
    write(byId("heat-clock"), clockText(left));
    write(byId("heat-when"), t("at {time}", { time: momentText(starts) }));
    write(byId("heat-game"), this.names.title({ variant, game: variant, options: {} }));
    const open = this.#clock.now() >= doors;
    byId("heat-enter").hidden = !open;
    const here = tn("1 player here", "{n} players here", entrants);
    write(byId("heat-doors"), open ? here : t("Opens at {time}", { time: momentText(doors) }));
  }

  /** @param {LobbyState["rooms"][number]} room */
  #room(room) {
    const seats = t("{taken} of {seats} seats", { taken: room.taken, seats: room.seats });
    const facts = [seats, limitText(room.limit_s), room.host && t("host: {name}", { name: room.host })];
    const full = room.taken >= room.seats;
    const label = full ? t("Watch") : t("Join");
    const enter = link(`/races/${room.code}/`, full ? "button secondary small" : "button small", label);
    return { key: room.code, row: this.#row(room, facts, enter, room.host ? [room.avatar] : []) };
  }

  /** @param {LobbyState["running"][number]} race */
  #running(race) {
    const left = clockText(Math.max(0, this.#clock.until(race.ends_at)));
    const facts = [tn("1 player", "{n} players", race.taken), t("{time} left", { time: left }), this.#kind(race)];
    const watch = link(`/races/${race.code}/`, "button secondary small", t("Watch"));
    return { key: race.code, row: this.#row(race, facts, watch) };
  }

  /** @param {LobbyState["recent"][number]} race */
  #recent(race) {
    const names = race.winners.map((name) => name || t("a guest")).join(", ");
    const first = race.winners.length ? t("1st: {names}", { names }) : "";
    const facts = [first, tn("1 player", "{n} players", race.taken), agoText(this.#clock.now() - race.finished_at)];
    const result = link(`/races/${race.code}/${race.number}/`, "button secondary small", t("Result"));
    return { key: `${race.code}/${race.number}`, row: this.#row(race, facts, result, race.avatars) };
  }

  /**
   * @param {Listed} race @param {string[]} facts @param {HTMLElement} way
   * @param {string[]} [pictures] of the players named
   */
  #row(race, facts, way, pictures = []) {
    const title = this.names.title(race);
    way.setAttribute("aria-label", `${way.textContent}: ${title}`);
    const seen = pictures.flatMap((address) => [avatar(address, PICTURE), " "]);
    const all = [...facts, ...this.names.options(race)].filter(Boolean).join(" · ");
    return part("li", `of-${race.game}`, part("b", "", title), part("span", "facts", ...seen, all), way);
  }

  /** @param {Listed} race */
  #kind({ kind }) {
    return kind === "heat" ? t("Heat") : kind === "quick" ? t("Quick match") : "";
  }
}

/** Summarizes each folded form's choices in one line. */
function summarise() {
  const form = byId("new-room");
  bindForm(form);
  const chosen = (/** @type {string} */ name) => form.elements[name].selectedOptions[0]?.textContent ?? "";
  const ticks = [...all("[name=variant]")];
  const tell = () => {
    const seats = tn("1 seat", "{n} seats", Number(chosen("seats")));
    const limit = isPuzzleRace({ game: form.elements.name.value }) ? "" : chosen("limit");
    write(byId("room-summary"), [chosen("name"), limit, seats].filter(Boolean).join(", "));
    const ticked = ticks.filter(({ checked }) => checked).length;
    const none = ticked === 0 || ticked === ticks.length;
    write(byId("wishes-count"), none ? t("all nine") : tn("one", "{n} of nine", ticked));
  };
  document.addEventListener("change", tell);
  tell();
}

const box = byId("lobby");
if (box) {
  new Lobby(box);
  summarise();
}
