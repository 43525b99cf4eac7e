/** The end of a game: the panel, the shower of cards, the rank when it arrives, and words to share. */

import { t, tn } from "../i18n.js";
import { motionReduced } from "../settings.js";
import { say } from "./announce.js";
import { elapsed, isComplete } from "./game.js";
import { clockText } from "./hud.js";
import { reasonText } from "./refusals.js";
import { play } from "./sound.js";

/** @import { State } from "./state.js" */
/** @import { View } from "./types.js" */

/** How long the shower of cards has the table for itself, in ms. */
const SHOWER_MS = 1500;

/** @param {string} id @returns {HTMLElement} */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Connects the panel's buttons. @param {State} state */
export function bindEnd(state) {
  byId("share").addEventListener("click", () => share(state));
  byId("finish-close").addEventListener("click", () => /** @type {HTMLDialogElement} */ (byId("finish")).close());
}

/**
 * Shows the end as far as it is known: after every message, in whatever order they come. Each thing happens once.
 * @param {State} state
 */
export function showEnd(state) {
  const { view, how, played, verdict } = state;
  if (!view || !isComplete(state)) return;
  const won = how === "won" || view.won;
  const title = won ? t("You won!") : how === "closed" ? t("The deal has closed") : t("Game over");
  byId("finish-title").textContent = title;
  byId("finish-cards").textContent = `${view.cards_up}/${view.goal}`;
  byId("finish-time").textContent = clockText(elapsed(state));
  byId("finish-moves").textContent = String(view.moves);
  byId("finish-rank").dataset.state = state.status;
  byId("finish-rank").textContent = rankText(state);
  document.body.dataset.finished = won ? "won" : "over";
  const cards = t("{up} of {goal} cards up", { up: view.cards_up, goal: view.goal });
  tell(state, `${title} ${cards}`, verdict ? rankText(state) : "");
  const celebrated = won && played;
  if (celebrated) once(state, "celebrate", () => celebrate(state));
  once(state, "open", () => open(celebrated && !motionReduced() ? SHOWER_MS : 0));
}

/** @param {State} state @param {string} what @param {() => void} action */
function once({ told }, what, action) {
  if (told.has(what)) return;
  told.add(what);
  action();
}

/** Says what has not been said. @param {State} state @param {string[]} texts */
function tell({ told }, ...texts) {
  const fresh = texts.filter((text) => text && !told.has(text));
  for (const text of fresh) told.add(text);
  if (fresh.length > 0) say(fresh.join(" "));
}

/** @param {State} state */
function celebrate(state) {
  play("won");
  shower(state);
}

/** @param {number} wait ms */
function open(wait) {
  const dialog = /** @type {HTMLDialogElement} */ (byId("finish"));
  if (wait > 0) setTimeout(() => dialog.showModal(), wait);
  else dialog.showModal();
}

/** @param {State} state @returns {string} */
function rankText({ status, verdict, felt }) {
  const ranked = felt.dataset.ranked === "true";
  if (status === "pending") return ranked ? t("Your game is being verified…") : t("Checking the record…");
  if (status === "verified" && verdict?.rank) return t("Verified: rank {rank}", { rank: verdict.rank });
  if (status === "verified") return ranked ? t("Verified") : t("Practice game: not ranked");
  if (status === "review") return t("A person will look at this game before it is ranked.");
  const reasons = (verdict?.reasons ?? []).map(reasonText).join(" ");
  return t("The record could not be verified: {reasons}", { reasons });
}

/** @param {State} state @param {View} view @returns {string} the result, and nothing of the cards */
function resultText(state, view) {
  const { title, day } = state.felt.dataset;
  const { verdict } = state;
  const filled = Math.round((view.cards_up / view.goal) * 10);
  const place = verdict?.rank ? t("rank {rank}", { rank: verdict.rank }) : "";
  const rank = place && ` · ${place}`;
  return [
    `Talon · ${title}${day ? ` ${day}` : ""}`,
    `${"🟩".repeat(filled)}${"⬜".repeat(10 - filled)} ${view.cards_up}/${view.goal}`,
    `⏱ ${clockText(elapsed(state))} · ${tn("one move", "{n} moves", view.moves)}${rank}`,
    `${location.origin}/`,
  ].join("\n");
}

/** @param {State} state */
async function share(state) {
  if (!state.view) return;
  const text = resultText(state, state.view);
  const button = byId("share");
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ text });
    else {
      await navigator.clipboard.writeText(text);
      button.textContent = t("Copied");
    }
  } catch {
    button.textContent = t("Could not share");
  }
}

/** Foundation cards leap off the table. @param {State} state */
function shower({ felt, pieces }) {
  if (motionReduced()) return;
  const tops = pieces.filter(({ rect }) => rect.pile[0] === "f");
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
