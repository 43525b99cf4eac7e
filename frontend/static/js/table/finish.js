/** The end of a game: the panel, the shower of cards, the rank when it arrives, and words to share. */

import { t, tn } from "../i18n.js";
import { motionReduced } from "../settings.js";
import { say } from "./announce.js";
import { clockText } from "./hud.js";
import { reasonText } from "./refusals.js";
import { play } from "./sound.js";

/** @import { Game } from "./game.js" */
/** @import { Renderer } from "./render.js" */

/** @param {string} id @returns {HTMLElement} */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class Finish {
  /** @type {any} */ #verdict = null;
  #shared = "";

  /** @param {Game} game @param {Renderer} renderer @param {DOMStringMap} data of the table element */
  constructor(game, renderer, data) {
    this.game = game;
    this.renderer = renderer;
    this.data = data;
    byId("share").addEventListener("click", () => this.#share());
    byId("finish-close").addEventListener("click", () => /** @type {HTMLDialogElement} */ (byId("finish")).close());
  }

  /** @param {string} how "won", "resigned" or "closed" @param {boolean} fresh it happened just now */
  show(how, fresh) {
    const view = this.game.view;
    if (!view) return;
    const won = how === "won" || view.won;
    byId("finish-title").textContent = won ? t("You won!") : how === "closed" ? t("The deal has closed") : t("Game over");
    byId("finish-cards").textContent = `${view.cards_up}/${view.goal}`;
    byId("finish-time").textContent = clockText(this.game.elapsed);
    byId("finish-moves").textContent = String(view.moves);
    document.body.dataset.finished = won ? "won" : "over";
    this.#rank();
    if (won && fresh) {
      play("won");
      this.#shower();
    }
    say(`${byId("finish-title").textContent} ${t("{up} of {goal} cards up", { up: view.cards_up, goal: view.goal })}`);
    const open = () => {
      const dialog = /** @type {HTMLDialogElement} */ (byId("finish"));
      if (!dialog.open) dialog.showModal();
    };
    if (won && fresh && !motionReduced()) setTimeout(open, 1500);
    else open();
  }

  /** @param {any} verdict */
  verdict(verdict) {
    this.#verdict = verdict;
    this.game.state = verdict.state;
    this.#rank();
    const text = byId("finish-rank").textContent;
    if (text) say(text);
  }

  #rank() {
    const line = byId("finish-rank");
    const verdict = this.#verdict;
    const state = verdict?.state ?? this.game.state;
    line.dataset.state = state;
    if (state === "pending") line.textContent = this.data.ranked === "true" ? t("Your game is being verified…") : t("Checking the record…");
    else if (state === "verified" && verdict?.rank) line.textContent = t("Verified: rank {rank}", { rank: verdict.rank });
    else if (state === "verified") line.textContent = this.data.ranked === "true" ? t("Verified") : t("Practice game: not ranked");
    else if (state === "review") line.textContent = t("A person will look at this game before it is ranked.");
    else if (state === "rejected") line.textContent = t("The record could not be verified: {reasons}", { reasons: (verdict?.reasons ?? []).map(reasonText).join(" ") });
    else line.textContent = "";
  }

  /** Tells the result, and nothing of the cards. */
  async #share() {
    const view = this.game.view;
    if (!view) return;
    const filled = Math.round((view.cards_up / view.goal) * 10);
    const rank = this.#verdict?.rank ? ` · ${t("rank {rank}", { rank: this.#verdict.rank })}` : "";
    const day = this.data.day ? ` ${this.data.day}` : "";
    this.#shared = `Talon · ${this.data.title}${day}\n${"🟩".repeat(filled)}${"⬜".repeat(10 - filled)} ${view.cards_up}/${view.goal}\n⏱ ${clockText(this.game.elapsed)} · ${tn("one move", "{n} moves", view.moves)}${rank}\n${location.origin}/`;
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
          { transform: `translate(${rect.x + drift * 0.5}px,${rect.y + leap}px) rotate(${drift / 6}deg)`, opacity: 1, easing: "cubic-bezier(.5,0,.9,.5)" },
          { transform: `translate(${rect.x + drift}px,${felt.clientHeight + 220}px) rotate(${drift / 2}deg)`, opacity: 1 },
        ];
        ghost.animate(frames, { duration: 1700 + Math.random() * 900, delay: wave * 240 + k * 60, fill: "both" }).finished.then(
          () => ghost.remove(),
          () => ghost.remove(),
        );
      });
  }
}
