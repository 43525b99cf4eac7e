/** Texts for the server's error codes, in the page's language; the server's own messages are for programs and logs. */

import { t } from "../../shared/i18n.js";
import { notice } from "../../shared/notice.js";
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
    bad_frame: t("Something went wrong at this table. Please reload the page."),
    unknown_type: t("Something went wrong at this table. Please reload the page."),
    too_large: t("Something went wrong at this table. Please reload the page."),
    unsupported_version: t("Talon has been updated. Please reload the page."),
    rate_limited: t("That was too fast. Please slow down a little."),
    invalid_token: t("You can't make this move."),
    illegal_move: t("You can't make this move."),
    card_revealed: t("Your last move turned up a card. You can't undo that in this race."),
    stale: t("The table is up to date again."),
    closed: t("This game is over."),
    paused: t("This game is paused."),
    no_pause: t("Only practice games can be paused."),
    not_begun: t("The race hasn't started."),
    record_full: t("This game has too many moves to continue. You can only give up."),
    not_yours: t("This is another player's game."),
    not_found: t("Game not found."),
    session_expired: t("You've been signed out. Reload the page to continue."),
    server_busy: t("Our server is having trouble. Your move is kept."),
  };
  return texts[/** @type {"closed"} */ (code)] ?? t("Something went wrong. Please reload the page.");
}
