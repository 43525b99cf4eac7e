/** Texts for the reasons in a verdict, in the page's language. */

import { t } from "../../shared/i18n.js";

/** @param {{code: string}} reason of a verdict @returns {string} */
export function reasonText({ code }) {
  const texts = {
    unreadable_record: t("The record cannot be read."),
    wrong_deal: t("The record belongs to another deal."),
    wrong_rules: t("The record follows other rules than the deal."),
    wrong_variant: t("The record belongs to another game."),
    replay_failed: t("A move of the record is not allowed by the rules."),
    wrong_end: t("The game ended otherwise than its record says."),
    clock_backwards: t("The times of the record go backwards."),
    clock_differs: t("The times of the record do not fit the server's."),
    burst: t("Many moves came faster than hands can make them."),
    pace: t("The game was played faster than anybody looks at the cards."),
    steady: t("The moves came as regularly as a machine's."),
    copied_line: t("Another player has played the same moves before."),
    same_device: t("This deal had been begun on the same device before, by another player."),
    undone_reveal: t("A move that revealed a card was undone, which this race doesn't allow."),
    not_verifiable: t("The record could not be replayed."),
    staff: t("This was decided by the site's staff."),
    other: t("A person looks at it."),
  };
  return texts[/** @type {"pace"} */ (code)] ?? t("The record is not correct.");
}
