/** Entry point of every page: settings, countdowns, profile charts, rematch offers and the service worker. */

import "./countdown.js";
import { localise } from "./local-times.js";
import { bindSettings } from "./settings-form.js";
import { applySettings, tryStorage } from "./settings.js";

applySettings();
localise();

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-preferences]")))
  bindSettings(form);

// Few visitors have raced (../races/notices/last-race.js).
if (tryStorage(() => "talon.raced" in localStorage))
  import("../races/notices/rematch.js").then(({ listen }) => listen());
// Without its charts, a profile still has its tables.
if (document.querySelector(".chart[data-ratings]"))
  import("../pages/rating-chart.js").then(({ drawRating }) => drawRating()).catch(() => {});
if (document.querySelector(".chart[data-history]"))
  import("../pages/charts.js").then(({ drawCharts }) => drawCharts()).catch(() => {});

/** Registers the service worker, which caches the offline pages. Without it, the site works as before. */
const registerWorker = () => navigator.serviceWorker.register("/worker.js", { updateViaCache: "none" }).catch(() => {});

// Browsers support service workers only on https and localhost.
if ("serviceWorker" in navigator) {
  if (document.readyState === "complete") registerWorker();
  else addEventListener("load", registerWorker);
}
