/** Players at today's deals right now: shown with the page and refreshed while it is visible. */

import { tn } from "../shared/i18n.js";

const EVERY = 20000;

/**
 * @typedef {object} Playing
 * @property {number} players
 * @property {{name: string, player: string}[]} names
 * @property {Record<string, {now: number, begun: number, names: string[]}>} deals by variant
 */

/** @param {string} className @param {string} text */
const part = (className, text) => Object.assign(document.createElement("span"), { className, textContent: text });

/**
 * Redraws only on a change, so that selections and reading positions survive.
 * @param {HTMLElement} place
 * @param {Node[]} parts
 */
function fill(place, parts) {
  const box = document.createElement("p");
  box.append(...parts);
  if (place.innerHTML !== box.innerHTML) place.replaceChildren(...box.childNodes);
  place.hidden = parts.length === 0;
}

class Presence {
  #askedAt = Date.now();

  /** @param {HTMLElement} line */
  constructor(line) {
    this.line = line;
    this.#draw(JSON.parse(line.dataset.playing ?? "{}"));
    setInterval(() => this.#ask(), EVERY);
    document.addEventListener("visibilitychange", () => Date.now() - this.#askedAt > EVERY && this.#ask());
  }

  async #ask() {
    if (document.visibilityState !== "visible") return;
    this.#askedAt = Date.now();
    try {
      // The answer is the same for all visitors, so the request needs no cookies.
      const response = await fetch(this.line.dataset.address ?? "", { credentials: "omit" });
      if (response.ok) this.#draw(await response.json());
    } catch {
      // The previous numbers stay until the next poll.
    }
  }

  /** @param {Playing} found */
  #draw(found) {
    fill(this.line, this.#everybody(found));
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".seated[data-variant]"))) {
      const deal = found.deals[place.dataset.variant ?? ""];
      fill(place, deal ? this.#atDeal(deal) : []);
    }
  }

  /** @param {Playing} found */
  #everybody({ players, names }) {
    if (players === 0) return [];
    const parts = [part("now", tn("{n} player at the tables now", "{n} players at the tables now", players))];
    if (names.length === 0) return parts;
    const list = part("names", "");
    names.forEach(({ name, player }, k) =>
      list.append(
        k ? ", " : "",
        Object.assign(document.createElement("a"), { href: `/players/${player}/`, textContent: name }),
      ),
    );
    if (players > names.length) list.append(` ${tn("and {n} more", "and {n} more", players - names.length)}`);
    return [...parts, list];
  }

  /** @param {Playing["deals"][string]} deal */
  #atDeal({ now, begun, names }) {
    const parts = [];
    if (now > 0) parts.push(part("now", tn("{n} playing now", "{n} playing now", now)));
    if (names.length > 0) parts.push(part("names", `${names.join(", ")}${now > names.length ? " …" : ""}`));
    if (begun > 0) parts.push(part("begun", tn("one player today", "{n} players today", begun)));
    return parts;
  }
}

const line = document.getElementById("playing");
if (line) new Presence(line);
