/** What every page has: settings applied, countdowns, ranks of one's own games, a profile's charts. */

import "./countdown.js";
import { t } from "./i18n.js";
import { applySettings, bindSettings } from "./settings.js";

applySettings();

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-preferences]")))
  bindSettings(form);

/** Fills in a rank where the page names a deal and a player. @param {HTMLElement} place */
async function showRank(place) {
  const response = await fetch(`/api/v1/boards/${place.dataset.deal}/players/${place.dataset.player}`);
  if (!response.ok) return;
  const { rank } = await response.json();
  if (rank) place.textContent = t("Rank {rank}", { rank });
}

for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-rank]")))
  showRank(place).catch(() => {});

if (document.querySelector(".chart[data-history]")) import("./charts.js").then(({ drawCharts }) => drawCharts());
