/** Texts for the server's error codes, in the page's language; the server's own messages are for programs and logs. */

import { t } from "../../shared/i18n.js";
import { notice } from "./hud.js";
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

/** @param {string} code of a protocol error @returns {string} */
function refusalText(code) {
  const texts = {
    bad_frame: t("The server did not understand the table. Please reload the page."),
    unknown_type: t("The server did not understand the table. Please reload the page."),
    too_large: t("The server did not understand the table. Please reload the page."),
    unsupported_version: t("Talon has been updated. Please reload the page."),
    rate_limited: t("That was too fast. Please slow down a little."),
    invalid_token: t("This move is not possible."),
    illegal_move: t("This move is not possible."),
    card_revealed: t("Your last move revealed a card. In this race, it can't be undone."),
    stale: t("The table has been brought up to date."),
    closed: t("This game is over."),
    paused: t("This game is paused."),
    no_pause: t("Only practice can be paused."),
    not_begun: t("The race hasn't started."),
    record_full: t("This game has reached the longest record allowed. You can still resign."),
    not_yours: t("This is another player's game."),
    not_found: t("There is no such game."),
    session_expired: t("You've been signed out. Reload the page to continue."),
    server_busy: t("Our server is having trouble. Your move is kept."),
  };
  return texts[/** @type {"closed"} */ (code)] ?? t("Something went wrong. Please reload the page.");
}
