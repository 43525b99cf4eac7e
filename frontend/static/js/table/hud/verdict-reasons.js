/** Texts for the reasons in a verdict, in the page's language. */

import { t } from "../../shared/i18n.js";

/** @param {{code: string}} reason of a verdict @returns {string} */
export function reasonText({ code }) {
  const texts = {
    unreadable_record: t("The record cannot be read."),
    wrong_deal: t("The record belongs to another deal."),
    wrong_rules: t("The record and the deal have different rules."),
    wrong_variant: t("The record belongs to another game."),
    replay_failed: t("The record contains an illegal move."),
    wrong_end: t("The game ended differently from its record."),
    clock_backwards: t("The record's times go backwards."),
    clock_differs: t("The record's times don't match the server's."),
    burst: t("Many moves were too fast for a human hand."),
    pace: t("Faster than people usually play."),
    steady: t("The moves were as regular as a machine's."),
    copied_line: t("Another player made the same moves before."),
    same_device: t("Another player started this deal on the same device before."),
    undone_reveal: t("A move that turned up a card was undone. This race doesn't allow that."),
    not_verifiable: t("The record could not be replayed."),
    staff: t("Our staff decided this."),
    other: t("A person will check it."),
  };
  return texts[/** @type {"pace"} */ (code)] ?? t("The record is not correct.");
}
