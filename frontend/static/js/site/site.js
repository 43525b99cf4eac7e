/** Entry point of every page: settings, countdowns, profile charts and offline support. */

import "./countdown.js";
import "./register-worker.js";
import { localise } from "./local-times.js";
import { offerLastRematch } from "../races/notices/rematch-loader.js";
import { applySettings, bindSettings } from "./settings.js";

applySettings();
localise();

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-preferences]")))
  bindSettings(form);

void offerLastRematch();
if (document.querySelector(".chart[data-ratings]"))
  import("../pages/rating-chart.js").then(({ drawRating }) => drawRating());
if (document.querySelector(".chart[data-history]")) import("../pages/charts.js").then(({ drawCharts }) => drawCharts());
