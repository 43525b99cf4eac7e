/** Page of a puzzle storm; its result is at the same address. */

import { byId } from "../../shared/dom.js";
import { applySettings } from "../../site/settings.js";
import { Storm } from "./storm.js";

applySettings();
new Storm(byId("felt"), JSON.parse(byId("storm-data").textContent), () => location.reload());
