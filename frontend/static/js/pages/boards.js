/** Live leaderboard, updated over a WebSocket while the page is open. */

import { Connection } from "../shared/connection.js";
import { all, avatar, link, part } from "../shared/dom.js";
import { t, tn } from "../shared/i18n.js";
import { durationTexts } from "../shared/times.js";
import { fillList } from "../races/live-list.js";

/**
 * @typedef {object} Entry
 * @property {number|null} rank
 * @property {string} player
 * @property {string} name
 * @property {number|null} cards_up
 * @property {number|null} elapsed_ms
 * @property {number|null} tokens
 * @property {string|null} attempt
 * @property {boolean} is_former
 * @property {string} avatar
 */

class LiveBoard {
  /** @param {HTMLTableElement} table */
  constructor(table) {
    this.table = table;
    new Connection(table.dataset.live ?? "", {
      hello: () => ({ type: "hello", v: 1 }),
      message: (message) => message.type === "board" && this.#draw(message),
      status: () => {},
    });
  }

  /** @param {{entries: Entry[], total: number, ladder: string}} frame */
  #draw({ entries, total, ladder }) {
    markLadder(ladder);
    const body = this.table.tBodies[0];
    const times = durationTexts(entries);
    const before = new Set([...body.rows].map((row) => row.dataset.attempt));
    const isFresh = (/** @type {Entry} */ { attempt }) =>
      before.size > 0 && !before.has(undefined) && !before.has(attempt ?? "");
    const rows = entries.map((entry, k) => ({ key: entry.player, row: this.#row(entry, times[k], isFresh(entry)) }));
    if (rows.length > 0) fillList(body, rows);
    const count = document.querySelector("[data-total]");
    if (count) count.textContent = tn("1 verified result", "{n} verified results", total);
  }

  /** @param {Entry} entry @param {string} time @param {boolean} fresh */
  #row(entry, time, fresh) {
    const row = document.createElement("tr");
    row.dataset.attempt = entry.attempt ?? "";
    if (entry.player === this.table.dataset.me) row.className = "me";
    if (fresh) row.classList.add("arrived");
    // A deleted account's results stay under a generic name.
    const name = entry.is_former ? t("Former player") : entry.name;
    const named = part("span", "named", avatar(entry.avatar), " ", link(`/players/${entry.player}/`, "", name));
    const mark = part("span", "mark verified", `✓ ${t("verified")}`);
    const moves = [String(entry.tokens ?? "–"), ...this.#overPar(entry)];
    const cells = [entry.rank ?? "–", named, entry.cards_up ?? "–", time, moves, [mark, ...this.#record(entry)]];
    row.setAttribute("role", "row");
    row.append(...cells.map((value, k) => this.#cell(k, [value].flat())));
    row.cells[0].classList.add("rank", `rank-${cells[0]}`);
    return row;
  }

  /** A cell as the server renders it (games/templatetags/tables.py). @param {number} k @param {any[]} content */
  #cell(k, content) {
    const heading = /** @type {HTMLTableSectionElement} */ (this.table.tHead).rows[0].cells[k];
    const cell = part(k === 1 ? "th" : "td", heading.className, ...content);
    cell.setAttribute("role", k === 1 ? "rowheader" : "cell");
    if (k === 1) cell.setAttribute("scope", "row");
    else cell.dataset.label = heading.textContent ?? "";
    return cell;
  }

  /** The number of moves above par that a win took. @param {Entry} entry */
  #overPar({ tokens, cards_up }) {
    const { par, goal } = this.table.dataset;
    if (!par || tokens === null || cards_up !== Number(goal)) return [];
    const over = tokens - Number(par);
    const excess = part("small", "", over < 0 ? String(over) : `+${over}`);
    return [" ", Object.assign(excess, { title: t("Moves over par") })];
  }

  /** A link to the recorded game, once the deal is revealed. @param {Entry} entry */
  #record({ attempt }) {
    if (this.table.dataset.revealed === undefined || !attempt) return [];
    return [" ", link(`/replay/${attempt}/`, "quiet", t("watch"))];
  }
}

/** Marks the ladder shown: an established board replaces the newcomers' as soon as it exists. @param {string} ladder */
function markLadder(ladder) {
  for (const link of all("a[data-ladder]"))
    if (link.dataset.ladder === ladder) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
}

for (const table of all("table[data-live]")) new LiveBoard(table);
