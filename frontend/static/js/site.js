/** Entry point of every page: settings, countdowns, profile charts and offline support. */

import "./countdown.js";
import "./keeping.js";
import { localise } from "./moments.js";
import { offerLastRematch } from "./races/offering.js";
import { applySettings, bindSettings } from "./settings.js";

applySettings();
localise();

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-preferences]")))
  bindSettings(form);

void offerLastRematch();
if (document.querySelector(".chart[data-ratings]")) import("./rating-chart.js").then(({ drawRating }) => drawRating());
if (document.querySelector(".chart[data-history]")) import("./charts.js").then(({ drawCharts }) => drawCharts());
