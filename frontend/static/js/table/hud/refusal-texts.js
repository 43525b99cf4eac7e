/** Texts for moves that the server refuses. */

import { notice } from "./hud.js";
import { refusalText } from "./error-texts.js";
import { whyText } from "./illegal-reasons.js";

/** @import { State } from "../state/state.js" */
/** @import { Reason } from "./illegal-reasons.js" */

/** @param {State} state @param {Reason[]} reasons why cards cannot move */
export function explain({ view }, reasons) {
  if (view && reasons.length > 0) notice(whyText(view, reasons));
}

/** @param {State} state @param {{code: string, data?: {reason?: Reason}}} error */
export function refused({ view }, { code, data }) {
  notice(data?.reason && view ? whyText(view, [data.reason]) : refusalText(code));
}
