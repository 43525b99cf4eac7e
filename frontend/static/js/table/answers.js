/** Texts for moves that the server refuses. */

import { notice } from "./hud.js";
import { refusalText } from "./refusals.js";
import { whyText } from "./why.js";

/** @import { State } from "./state.js" */
/** @import { Reason } from "./why.js" */

/** @param {State} state @param {Reason[]} reasons why cards cannot move */
export function explain({ view }, reasons) {
  if (view && reasons.length > 0) notice(whyText(view, reasons));
}

/** @param {State} state @param {{code: string, data?: {reason?: Reason}}} error */
export function refused({ view }, { code, data }) {
  notice(data?.reason && view ? whyText(view, [data.reason]) : refusalText(code));
}
