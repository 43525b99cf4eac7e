/** The end of a game: the panel, the shower of cards, the rank when it arrives, and words to share. */

import { t, tn } from "../i18n.js";
import { motionReduced } from "../settings.js";
import { say } from "./announce.js";
import { clockText } from "./hud.js";
import { reasonText } from "./refusals.js";
import { play } from "./sound.js";

/** @import { Game } from "./game.js" */
/** @import { Renderer } from "./render.js" */

/** How long the shower of cards has the table for itself, in ms. */
const SHOWER_MS = 1500;

/** @param {string} id @returns {HTMLElement} */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class Finish {
  /** What has been done and said. @type {Set<string>} */ #happened = new Set();
  #shared = "";

  /** @param {Game} game @param {Renderer} renderer @param {DOMStringMap} data of the table element */
  constructor(game, renderer, data) {
    this.game = game;
    this.renderer = renderer;
    this.data = data;
    byId("share").addEventListener("click", () => this.#share());
    byId("finish-close").addEventListener("click", () => /** @type {HTMLDialogElement} */ (byId("finish")).close());
  }

  /** Shows the end as far as it is known: after every message, in whatever order they come. Each thing happens once. */
  refresh() {
    const { view, how, complete, played } = this.game;
    if (!view || !complete) return;
    const won = how === "won" || view.won;
    const title = won ? t("You won!") : how === "closed" ? t("The deal has closed") : t("Game over");
    byId("finish-title").textContent = title;
    byId("finish-cards").textContent = `${view.cards_up}/${view.goal}`;
    byId("finish-time").textContent = clockText(this.game.elapsed);
    byId("finish-moves").textContent = String(view.moves);
    byId("finish-rank").dataset.state = this.game.state;
    byId("finish-rank").textContent = this.#rankText();
    document.body.dataset.finished = won ? "won" : "over";
    const cards = t("{up} of {goal} cards up", { up: view.cards_up, goal: view.goal });
    this.#tell(`${title} ${cards}`, this.game.verdict ? this.#rankText() : "");
    const celebrated = won && played;
    if (celebrated) this.#once("celebrate", () => this.#celebrate());
    this.#once("open", () => this.#open(celebrated && !motionReduced() ? SHOWER_MS : 0));
  }

  /** @param {string} what @param {() => void} action */
  #once(what, action) {
    if (this.#happened.has(what)) return;
    this.#happened.add(what);
    action();
  }

  /** Says what has not been said. @param {string[]} texts */
  #tell(...texts) {
    const fresh = texts.filter((text) => text && !this.#happened.has(text));
    for (const text of fresh) this.#happened.add(text);
    if (fresh.length > 0) say(fresh.join(" "));
  }

  #celebrate() {
    play("won");
    this.#shower();
  }

  /** @param {number} wait ms */
  #open(wait) {
    const dialog = /** @type {HTMLDialogElement} */ (byId("finish"));
    if (wait > 0) setTimeout(() => dialog.showModal(), wait);
    else dialog.showModal();
  }

  /** @returns {string} */
  #rankText() {
    const { state, verdict } = this.game;
    const ranked = this.data.ranked === "true";
    if (state === "pending") return ranked ? t("Your game is being verified…") : t("Checking the record…");
    if (state === "verified" && verdict?.rank) return t("Verified: rank {rank}", { rank: verdict.rank });
    if (state === "verified") return ranked ? t("Verified") : t("Practice game: not ranked");
    if (state === "review") return t("A person will look at this game before it is ranked.");
    const reasons = (verdict?.reasons ?? []).map(reasonText).join(" ");
    return t("The record could not be verified: {reasons}", { reasons });
  }

  /** Tells the result, and nothing of the cards. */
  async #share() {
    const view = this.game.view;
    if (!view) return;
    const filled = Math.round((view.cards_up / view.goal) * 10);
    const { verdict } = this.game;
    const place = verdict?.rank ? t("rank {rank}", { rank: verdict.rank }) : "";
    const rank = place && ` · ${place}`;
    const day = this.data.day ? ` ${this.data.day}` : "";
    this.#shared = [
      `Talon · ${this.data.title}${day}`,
      `${"🟩".repeat(filled)}${"⬜".repeat(10 - filled)} ${view.cards_up}/${view.goal}`,
      `⏱ ${clockText(this.game.elapsed)} · ${tn("one move", "{n} moves", view.moves)}${rank}`,
      `${location.origin}/`,
    ].join("\n");
    const button = byId("share");
    try {
      if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ text: this.#shared });
      else {
        await navigator.clipboard.writeText(this.#shared);
        button.textContent = t("Copied");
      }
    } catch {
      button.textContent = t("Could not share");
    }
  }

  /** Foundation cards leap off the table. */
  #shower() {
    if (motionReduced()) return;
    const felt = this.renderer.felt;
    const tops = this.renderer.pieces.filter(({ rect }) => rect.pile[0] === "f");
    for (let wave = 0; wave < 5; wave++)
      tops.forEach(({ element, rect }, k) => {
        const ghost = /** @type {HTMLElement} */ (element.cloneNode(true));
        ghost.removeAttribute("id");
        ghost.setAttribute("aria-hidden", "true");
        ghost.className = "card ghost";
        ghost.style.zIndex = String(3000 + wave);
        felt.append(ghost);
        const drift = (Math.random() - 0.5) * felt.clientWidth * 1.1;
        const leap = -felt.clientHeight * (0.15 + Math.random() * 0.35);
        const frames = [
          { transform: `translate(${rect.x}px,${rect.y}px)`, opacity: 1, easing: "cubic-bezier(.2,.7,.5,1)" },
          {
            transform: `translate(${rect.x + drift * 0.5}px,${rect.y + leap}px) rotate(${drift / 6}deg)`,
            opacity: 1,
            easing: "cubic-bezier(.5,0,.9,.5)",
          },
          {
            transform: `translate(${rect.x + drift}px,${felt.clientHeight + 220}px) rotate(${drift / 2}deg)`,
            opacity: 1,
          },
        ];
        ghost
          .animate(frames, { duration: 1700 + Math.random() * 900, delay: wave * 240 + k * 60, fill: "both" })
          .finished.then(
            () => ghost.remove(),
            () => ghost.remove(),
          );
      });
  }
}
