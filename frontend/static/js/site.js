/** What every page has: settings applied, countdowns, ranks of one's own games, a profile's charts. */

import { language, t } from "./i18n.js";
import { applySettings, bindSettings } from "./settings.js";

applySettings();

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-preferences]"))) bindSettings(form);

for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-countdown]"))) {
  const end = new Date(box.dataset.countdown ?? "");
  const figure = box.querySelector("b");
  const local = box.querySelector(".local");
  const time = end.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" });
  if (local) local.textContent = t("at {time} your time", { time });
  const tick = () => {
    const left = Math.max(0, Math.ceil((end.getTime() - Date.now()) / 1000));
    const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
    if (figure) figure.textContent = `${Math.floor(left / 3600)}:${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
    if (left === 0) location.reload();
  };
  tick();
  if (end.getTime() > Date.now()) setInterval(tick, 1000);
}

/** Fills in a rank where the page names a deal and a player. @param {HTMLElement} place */
async function showRank(place) {
  const response = await fetch(`/api/v1/boards/${place.dataset.deal}/players/${place.dataset.player}`);
  if (!response.ok) return;
  const { rank } = await response.json();
  if (rank) place.textContent = t("Rank {rank}", { rank });
}

for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-rank]"))) showRank(place).catch(() => {});

if (document.querySelector(".chart[data-history]")) import("./charts.js").then(({ drawCharts }) => drawCharts());
