/** A board that changes while one looks at it. */

import { Backoff } from "./backoff.js";
import { t, tn } from "./i18n.js";
import { clockText } from "./table/hud.js";

/**
 * @typedef {object} Entry
 * @property {number|null} rank
 * @property {string} player
 * @property {string} name
 * @property {number|null} cards_up
 * @property {number|null} elapsed_ms
 * @property {number|null} tokens
 * @property {string} status
 * @property {string|null} attempt
 * @property {boolean} is_former
 */

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 30000;
const NO_SUCH_BOARD = 4404;

class LiveBoard {
  #backoff = new Backoff(FIRST_WAIT, LONGEST_WAIT);

  /** @param {HTMLTableElement} table */
  constructor(table) {
    this.table = table;
    this.#connect();
  }

  #connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.table.dataset.live}`);
    socket.addEventListener("message", (event) => {
      this.#backoff.stands();
      const frame = JSON.parse(event.data);
      if (frame.type === "board") this.#draw(frame);
    });
    socket.addEventListener("close", ({ code }) => {
      const wait = this.#backoff.lost();
      if (code !== NO_SUCH_BOARD) setTimeout(() => this.#connect(), wait);
    });
    addEventListener("pagehide", () => socket.close(), { once: true });
  }

  /** @param {{entries: Entry[], total: number}} frame */
  #draw({ entries, total }) {
    const body = this.table.tBodies[0];
    const before = new Set([...body.rows].map((row) => row.dataset.attempt));
    if (entries.length > 0)
      body.replaceChildren(
        ...entries.map((entry) =>
          this.#row(entry, before.size > 0 && before.has(undefined) === false && !before.has(entry.attempt ?? "")),
        ),
      );
    const count = document.querySelector("[data-total]");
    if (count) count.textContent = tn("1 verified result", "{n} verified results", total);
  }

  /** @param {Entry} entry @param {boolean} fresh */
  #row(entry, fresh) {
    const row = document.createElement("tr");
    row.dataset.attempt = entry.attempt ?? "";
    if (entry.player === this.table.dataset.me) row.className = "me";
    if (fresh) row.classList.add("arrived");
    const link = Object.assign(document.createElement("a"), {
      href: `/players/${entry.player}/`,
      textContent: shownName(entry),
    });
    const mark = Object.assign(document.createElement("span"), {
      className: `mark ${entry.status}`,
      textContent: statusText(entry.status),
    });
    const moves = [String(entry.tokens ?? "–"), ...this.#overPar(entry)];
    const cells = [
      entry.rank ?? "–",
      link,
      entry.cards_up ?? "–",
      entry.elapsed_ms === null ? "–" : clockText(entry.elapsed_ms),
      moves,
      [mark, ...this.#record(entry)],
    ];
    cells.forEach((value, k) => {
      const cell = row.insertCell();
      if (k !== 1 && k !== 5) cell.className = k === 0 ? `number rank rank-${value}` : "number";
      cell.append(...[value].flat().map((part) => (part instanceof Node ? part : String(part))));
    });
    return row;
  }

  /** How many moves more than par a win took. @param {Entry} entry */
  #overPar({ tokens, cards_up }) {
    const { par, goal } = this.table.dataset;
    if (!par || tokens === null || cards_up !== Number(goal)) return [];
    const over = tokens - Number(par);
    return [
      " ",
      Object.assign(document.createElement("small"), {
        title: t("Moves over par"),
        textContent: over < 0 ? String(over) : `+${over}`,
      }),
    ];
  }

  /** Where the game can be watched, once that gives nothing away. @param {Entry} entry */
  #record({ attempt }) {
    if (this.table.dataset.revealed === undefined || !attempt) return [];
    return [
      " ",
      Object.assign(document.createElement("a"), {
        className: "quiet",
        href: `/replay/${attempt}/`,
        textContent: t("watch"),
      }),
    ];
  }
}

/** A deleted account's results stay under a name that is nobody's. @param {Entry} entry @returns {string} */
const shownName = (entry) => (entry.is_former ? t("Former player") : entry.name);

/** @param {string} status @returns {string} */
function statusText(status) {
  if (status === "verified") return `✓ ${t("verified")}`;
  return status === "pending" ? t("being verified") : t("under review");
}

for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll("table[data-live]")))
  new LiveBoard(table);
