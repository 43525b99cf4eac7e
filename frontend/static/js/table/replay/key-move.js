/** The key move of a deal in words, on the deal's page and in the recap. */

import { byId } from "../../shared/dom.js";
import { moveName } from "./verdicts.js";

const place = byId("key-move");
place.querySelector("b").textContent = moveName(JSON.parse(byId("key-view").textContent), place.dataset.token);
place.hidden = false;
