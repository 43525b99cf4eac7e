/** Texts for the error codes of a race's socket, in the page's language. */

import { t } from "../shared/i18n.js";

/** @param {string} code @returns {string} */
export function refusalText(code) {
  const texts = {
    rate_limited: t("That was too fast for the server; please go on a little slower."),
    bad_option: t("This cannot be played. Choose something else."),
    room_full: t("Every seat in this room is taken. You can watch."),
    room_closed: t("This room is closed."),
    race_started: t("This race has started. You can watch it, and sit down for the next one."),
    race_not_open: t("This cannot be changed now."),
    kicked: t("The host has sent you away from this room."),
    not_host: t("Only the host of the room can do this."),
    not_entered: t("You have no seat in this race."),
    already_racing: t("You are in another race. Finish it or leave it first."),
    too_few_ready: t("At least two must be ready."),
    no_deal: t("The cards are still being prepared."),
    not_found: t("There is no such room."),
    session_expired: t("You have been signed out. Reload the page to go on."),
    server_busy: t("The server is waiting for its database. Please try again in a moment."),
    unsupported_version: t("The site has been updated. Please reload the page."),
  };
  return texts[/** @type {"kicked"} */ (code)] ?? t("Something went wrong. Please reload the page.");
}

/** @param {string} status of the connection @returns {string} empty if there is nothing to say */
export function connectionText(status) {
  const texts = {
    waiting: t("The server is waiting for its database."),
    lost: t("Connection lost. Trying again; your seat stays yours."),
    refused: t("This room cannot be opened from here."),
    "signed-out": t("You have been signed out. Reload the page to go on."),
    crowded: t("Too many rooms are open. Close some of them, then reload this page."),
  };
  return texts[/** @type {"lost"} */ (status)] ?? "";
}
