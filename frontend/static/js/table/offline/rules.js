/** Entry file of the rules at a practice table: hands the class of its local table to the page (`practice.js`). */

import { LocalTable } from "./local-table.js";

dispatchEvent(new CustomEvent("talon:rules", { detail: LocalTable }));
