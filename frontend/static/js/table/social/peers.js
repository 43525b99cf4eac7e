/** Players of the same daily deal: as marks on one track, and as a list. */

import { part, write } from "../../shared/dom.js";

/**
 * @typedef {object} Peer
 * @property {string} key
 * @property {string} name
 * @property {number} cardsUp
 * @property {""|"me"|"pace"} kind
 */

/** Keyed elements: created, reused, and removed with their player. @template {{element: HTMLElement}} T */
class Kept {
  /** @type {Map<string, T>} */ #kept = new Map();

  /** @param {() => T} make */
  constructor(make) {
    this.make = make;
  }

  /** @param {Peer[]} peers @returns {T[]} */
  of(peers) {
    const keys = new Set(peers.map(({ key }) => key));
    for (const [key, { element }] of this.#kept)
      if (!keys.has(key)) {
        element.remove();
        this.#kept.delete(key);
      }
    return peers.map(({ key }) => {
      const found = this.#kept.get(key) ?? this.make();
      this.#kept.set(key, found);
      return found;
    });
  }
}

/** One track with a mark for each player. */
export class DayStrip {
  #marks = new Kept(() => ({ element: part("i", "mark-on-track") }));

  /** @param {HTMLElement} track */
  constructor(track) {
    this.track = track;
  }

  /** @param {Peer[]} peers @param {number} goal */
  show(peers, goal) {
    this.#marks.of(peers).forEach(({ element }, k) => {
      const { name, cardsUp, kind } = peers[k];
      element.className = `mark-on-track ${kind}`.trim();
      element.title = `${name}: ${cardsUp}/${goal}`;
      element.style.translate = `${(100 * Math.min(1, cardsUp / goal)).toFixed(2)}cqi 0`;
      if (!element.isConnected) this.track.append(element);
    });
  }
}

class Row {
  name = part("span", "lane-name");
  figures = part("span", "lane-figures");
  bar = part("i", "");
  track = Object.assign(part("span", "lane-track", this.bar), { ariaHidden: "true" });
  element = part("li", "lane", this.name, this.figures, this.track);
}

/** A list of players, most cards up first. */
export class DayList {
  #rows = new Kept(() => new Row());

  /** @param {HTMLElement} list */
  constructor(list) {
    this.list = list;
  }

  /** @param {Peer[]} peers @param {number} goal */
  show(peers, goal) {
    const sorted = [...peers].sort((a, b) => b.cardsUp - a.cardsUp);
    const rows = this.#rows.of(sorted);
    rows.forEach(({ element, name, figures, bar }, k) => {
      const { kind, cardsUp } = sorted[k];
      element.className = `lane ${kind}`.trim();
      write(name, sorted[k].name);
      write(figures, `${cardsUp}/${goal}`);
      bar.style.transform = `scaleX(${Math.min(1, cardsUp / goal)})`;
    });
    const present = [...this.list.children];
    if (rows.length !== present.length || rows.some(({ element }, k) => element !== present[k]))
      this.list.replaceChildren(...rows.map(({ element }) => element));
  }
}
