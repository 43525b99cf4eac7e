/** Texts for the error codes of a race's socket, in the page's language. */

import { t } from "../shared/i18n.js";

/** @param {string} code @param {{network?: boolean}} [data] @returns {string} */
export function refusalText(code, data) {
  if (data?.network) return t("Too many players on your network right now.");
  const texts = {
    rate_limited: t("That was too fast. Please slow down a little."),
    bad_option: t("You can't play this. Choose something else."),
    room_full: t("This room is full. You can watch."),
    room_closed: t("This room is closed."),
    race_started: t("This race has started. You can watch it and join the next one."),
    race_over: t("This race is over."),
    race_not_open: t("You can't change this now."),
    kicked: t("The host removed you from this room."),
    not_host: t("Only the host can do this."),
    not_entered: t("You're not in this race."),
    already_racing: t("You're in another race. Finish or leave it first."),
    too_few_present: t("At least two players must be here."),
    no_deal: t("The cards are still being prepared."),
    not_found: t("Room not found."),
    session_expired: t("You've been signed out. Reload the page to continue."),
    server_busy: t("Our server is having trouble. Please try again in a moment."),
    unsupported_version: t("Talon has been updated. Please reload the page."),
  };
  return texts[/** @type {"kicked"} */ (code)] ?? t("Something went wrong. Please reload the page.");
}

/** @param {string} status of the connection @returns {string} empty if there is nothing to say */
export function connectionText(status) {
  const texts = {
    waiting: t("Our server is having trouble."),
    lost: t("Connection lost. Reconnecting… You keep your seat."),
    refused: t("This room can't be opened from here."),
    "signed-out": t("You've been signed out. Reload the page to continue."),
    crowded: t("Too many requests at once. Trying again…"),
    replaced: t("This room is open in another window. Press any key or tap to use it here."),
  };
  return texts[/** @type {"lost"} */ (status)] ?? "";
}
