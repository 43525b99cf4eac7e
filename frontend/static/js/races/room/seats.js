/** Seats of the upcoming race. */

import { t, tn } from "../../shared/i18n.js";
import { say } from "../../shared/announcer.js";
import { fillList } from "../live-list.js";
import { avatar, button, byId, link, part, write } from "../../shared/dom.js";
import { parts } from "../types.js";

/** @import { RaceSocket } from "../socket.js" */
/** @import { Seat } from "../types.js" */

export class Seats {
  /** @type {Map<number, {name: string, host: boolean}>|null} the previous seats */ #before = null;

  /** @param {RaceSocket} socket */
  constructor(socket) {
    this.socket = socket;
  }

  show() {
    const { room, you } = this.socket;
    const race = room?.to_come;
    byId("seats-panel").hidden = !race && Boolean(room?.running ?? room?.last);
    if (!room || !race) return;
    const away = new Set(race.lanes.map(parts).flatMap(({ entrant, away }) => (away ? [entrant] : [])));
    const items = race.seats.map((seat) => ({
      key: String(seat.entrant),
      row: this.#row(seat, !away.has(seat.entrant), seat.entrant === you.to_come, you.host),
    }));
    const free = room.kind === "heat" ? 0 : room.seats - race.seats.length;
    if (free > 0) {
      const text = tn("1 free seat", "{n} free seats", free);
      items.push({ key: "free", row: part("li", "seat free", part("span", "", text)) });
    }
    fillList(byId("seats"), items);
    write(byId("seats-count"), tn("1 here", "{n} here", race.seats.length - away.size));
    this.#tell(race.seats);
  }

  /**
   * @param {Seat} seat @param {boolean} here @param {boolean} mine
   * @param {boolean} host whether this player is the host
   */
  #row(seat, here, mine, host) {
    const name = seat.player
      ? link(`/players/${seat.player}/`, "seat-name", seat.name)
      : part("span", "seat-name", seat.name);
    const rating = seat.rating === null ? "" : `${seat.rating}${seat.provisional ? "?" : ""}`;
    const isGuest = seat.guest && !seat.house_racer && !mine;
    const facts = [mine && t("you"), seat.host && t("host"), isGuest && t("guest"), rating];
    const who = part("span", "seat-who", name, part("small", "", facts.filter(Boolean).join(" · ")));
    const sign = part("i", "seat-sign");
    sign.setAttribute("aria-hidden", "true");
    const state = part("span", "seat-state", here ? t("here") : t("away"));
    const row = part("li", `seat${here ? " here" : ""}${mine ? " me" : ""}`, sign, avatar(seat.avatar), who, state);
    row.dataset.entrant = String(seat.entrant);
    if (host && !mine) row.append(kickButton(seat));
    return row;
  }

  /** Announces new and departed players. @param {Seat[]} seats */
  #tell(seats) {
    const before = this.#before;
    const now = new Map(seats.map(({ entrant, name, host }) => [entrant, { name, host }]));
    this.#before = now;
    if (!before) return;
    const news = [];
    for (const [entrant, { name, host }] of now) {
      if (!before.has(entrant)) news.push(t("{name} joined.", { name }));
      if (host && before.get(entrant)?.host === false) news.push(t("{name} is now the host.", { name }));
    }
    for (const [entrant, { name }] of before) if (!now.has(entrant)) news.push(t("{name} left.", { name }));
    if (news.length) say(news.join(" "));
  }
}

/** @param {Seat} seat */
function kickButton({ entrant, name }) {
  const kick = Object.assign(button("✕", "seat-kick"), { title: t("Remove {name}", { name }) });
  kick.setAttribute("aria-label", kick.title);
  kick.dataset.kick = String(entrant);
  return kick;
}
