/** What others played at the position of a replay: counts and wins of each move. Moves can be followed off the game. */

import { byId, part } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { noAnswer, requestJson } from "../../shared/request.js";
import { clockText } from "../../shared/times.js";
import { keepFocus } from "../input/focus.js";
import { moveName } from "./verdicts.js";

/** @import { Token, View } from "../state/types.js" */

/** Delay before a request in ms, so that a fast replay asks only where it rests. */
const REST = 200;

/** Width of the screen from which the panel is open at first, as in the style sheet. */
const WIDE = "(min-width: 1100px)";

/**
 * @typedef {"winnable"|"lost"|"unknown"} Outlook
 * @typedef {{token: Token, games: number, wins: number, lost: number, verdict: Outlook}} Move
 * @typedef {{games: number, wins: number, median_ms: number, verdict: Outlook, moves: Move[]}} Played
 * @typedef {{games: number, wins: number, view: View, played: Played|null}} Reply
 *
 * @typedef {object} Shown the replay
 * @property {HTMLElement} felt dispatches "turned" when another position is shown
 * @property {number} at
 * @property {View|null} aside the position beside the game that is shown instead
 * @property {{moved: {token: string}[]}} steps
 * @property {(view: View|null, token?: Token) => void} showAside
 */

class Explorer {
  /** @type {Token[]} moves followed from the game's position */ trail = [];
  /** @type {Map<string, Promise<Reply>>} replies by their addresses */ known = new Map();
  timer = 0;

  /** @param {HTMLElement} panel @param {Shown} replay */
  constructor(panel, replay) {
    this.panel = panel;
    this.replay = replay;
    byId("explorer-toggle").addEventListener("click", () => this.#open(!this.#isOpen));
    byId("explorer-back").addEventListener("click", () => this.#follow(this.trail.slice(0, -1)));
    byId("explorer-return").addEventListener("click", () => this.#follow([]));
    replay.felt.addEventListener("turned", () => this.#turned());
    this.#open(matchMedia(WIDE).matches || location.hash === "#explorer");
  }

  get #isOpen() {
    return byId("explorer-toggle").getAttribute("aria-expanded") === "true";
  }

  /** @param {boolean} open */
  #open(open) {
    byId("explorer-toggle").setAttribute("aria-expanded", String(open));
    byId("explorer-body").hidden = !open;
    if (open) this.#load();
    else if (this.replay.aside) this.#follow([]);
  }

  #turned() {
    if (this.replay.aside) return;
    this.trail = [];
    clearTimeout(this.timer);
    if (this.#isOpen) this.timer = window.setTimeout(() => this.#load(), REST);
  }

  /** Shows the position after these moves, or the game's own without any. @param {Token[]} trail */
  async #follow(trail) {
    this.trail = trail;
    const reply = await this.#load();
    if (reply && trail === this.trail) {
      this.replay.showAside(trail.length ? reply.view : null, trail.at(-1));
      byId("explorer-status").textContent = byId("explorer-text").textContent;
    }
  }

  /** Fetches and lists the moves made here. @returns {Promise<Reply|null>} null if that failed or came too late */
  async #load() {
    const address = this.#address();
    if (!this.known.has(address)) this.known.set(address, requestJson(address));
    try {
      const reply = await /** @type {Promise<Reply>} */ (this.known.get(address));
      if (address !== this.#address()) return null;
      this.#show(reply);
      return reply;
    } catch {
      this.known.delete(address);
      byId("explorer-text").textContent = noAnswer();
      return null;
    }
  }

  #address() {
    const { at, steps } = this.replay;
    const { address = "", game } = this.panel.dataset;
    const before = game ? [] : steps.moved.slice(0, at).map(({ token }) => token);
    const query = new URLSearchParams({ moves: [...before, ...this.trail].join(".") });
    if (game) {
      query.set("game", game);
      query.set("n", String(at));
    }
    return `${address}?${query}`;
  }

  /** @param {Reply} reply */
  #show({ games, view, played }) {
    byId("explorer-text").textContent = played ? playedText(played, games) : t("No other game came this way.");
    const own = this.trail.length || !this.panel.dataset.game ? null : this.replay.steps.moved[this.replay.at]?.token;
    const made = (played?.moves ?? []).map((move) => this.#item(move, view, played?.games ?? 0, move.token === own));
    keepFocus(
      () => {
        byId("explorer-moves").replaceChildren(...made);
        byId("explorer-aside").hidden = this.trail.length === 0;
      },
      byId("explorer-back"),
      made[0]?.firstElementChild,
      byId("explorer-toggle"),
    );
  }

  /** @param {Move} move @param {View} view @param {number} games that came through @param {boolean} isOwn */
  #item(move, view, games, isOwn) {
    const button = Object.assign(part("button", `explorer-move ${move.verdict}`), { type: "button" });
    const outlook = { winnable: t("winnable"), lost: t("lost"), unknown: t("unknown") };
    const share = part("span", "explorer-share");
    share.style.width = `${(100 * move.games) / Math.max(1, games)}%`;
    button.append(share, part("span", "explorer-name", moveName(view, move.token)));
    button.append(part("span", "visually-hidden", `, ${outlook[move.verdict]}`));
    if (isOwn) button.append(" ", part("span", "explorer-own", t("this game")));
    button.append(" ", part("span", "explorer-figures", figuresText(move, games)));
    if (move.lost) button.append(" ", part("span", "explorer-lost", lostText(move.lost)));
    button.addEventListener("click", () => this.#follow([...this.trail, move.token]));
    return part("li", "", button);
  }
}

/** @param {Played} played @param {number} all games at the deal @returns {string} */
function playedText({ games, wins, median_ms: median, verdict }, all) {
  const outlook = { winnable: t("Winnable."), lost: t("Lost."), unknown: t("We don't know if it can be won.") };
  const came = t("{games} of {all} games came this way; {wins} won.", { games, all, wins });
  return [came, t("Median time from here: {time}.", { time: clockText(median) }), outlook[verdict]].join(" ");
}

/** @param {Move} move @param {number} all games that came through @returns {string} */
const figuresText = ({ games, wins }, all) =>
  [t("{n} of {all}", { n: games, all }), tn("one won", "{n} won", wins)].join(" · ");

/** @param {number} lost @returns {string} */
const lostText = (lost) => tn("one lost the deal here", "{n} lost the deal here", lost);

/** @param {Shown} replay */
export function bindExplorer(replay) {
  const panel = byId("explorer");
  if (panel) new Explorer(panel, replay);
}
