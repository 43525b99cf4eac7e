/** Texts that explain why cards cannot move. The reasons come from the rules: docs/protocol.md, "Reasons". */

import { t, tc } from "../../shared/i18n.js";
import { rankName, theCard } from "../drawing/cards.js";
import { suitOf } from "../state/cards.js";

/** @import { View } from "../state/types.js" */

/**
 * @typedef {object} Reason
 * @property {string} why
 * @property {string} [card]
 * @property {string} [onto]
 * @property {string} [pile]
 * @property {string} [base] a rank
 * @property {string} [next] the next card of the foundation
 */

/** @param {View} view @param {Reason[]} reasons @returns {string} one sentence each */
export const whyText = (view, reasons) => reasons.map((reason) => sentence(view, reason)).join(" ");

/** @param {View} view @param {Reason} reason */
function sentence(view, reason) {
  const text = words(view, reason);
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/** @param {View} view @param {Reason} reason @returns {string} */
function words(view, reason) {
  const named = (/** @type {string|undefined} */ card) => (card ? theCard(card, view.game) : "");
  const [card, onto, next] = [named(reason.card), named(reason.onto), named(reason.next)];
  const awaits = t("{card} can't go up yet. Next on its foundation: {next}.", { card, next });
  /** @type {Record<string, string>} */
  const texts = {
    won: t("The game is won."),
    nothing_to_undo: t("There is no move to undo."),
    record_full: t("This game has too many moves to continue. You can only give up."),
    no_such_move: t("This game has no such move."),
    no_card: t("No card here to move."),
    face_down: t("This card is face down."),
    covered:
      view.game === "braid" && reason.pile === "r"
        ? t("Only the last card of the braid can be moved.")
        : t("Only the top card can be moved."),
    from_foundation: t("No card comes back from a foundation."),
    one_to_foundation: t("Cards go to a foundation one at a time."),
    stock_empty: t("The stock is empty."),
    stock_not_empty: t("The waste is turned over only when the stock is empty."),
    waste_empty: t("Stock and waste are empty."),
    no_redeal: t("The stock is empty, and the waste can't be turned over again."),
    from_stock: t("Cards are only drawn from the stock."),
    foundations_only: t("Cards only go to the foundations. They never move within the labyrinth."),
    piles_only: t("Cards only go to piles and foundations."),
    cells_only: t("Cards only go to cells and foundations."),
    no_foundation: next ? awaits : t("No foundation takes {card} now.", { card }),
    fool_up: t("The Fool has no foundation."),
    not_yet: awaits,
    no_pile:
      view.game === "braid" ? t("No cell takes {card} now.", { card }) : t("No pile takes {card} now.", { card }),
    not_on: t("{card} doesn't go on {onto}: build down by one.", { card, onto }),
    same_colour: t("{card} doesn't go on {onto}: colours must alternate.", { card, onto }),
    same_family: familyText(view, reason),
    not_on_space:
      view.options.fool === "trump"
        ? t("An empty pile takes only a king or the World.")
        : t("An empty pile takes only a king, the World or the Fool."),
    whole_pile: t("Moving a whole pile to an empty pile changes nothing."),
    no_run: t("Only face-up cards in sequence move together."),
    fewer_open: t("Only face-up cards can be moved."),
    kept_below: t("{card} at the bottom of a pile can only go to the foundation.", { card }),
    locked: t("{card} isn't free: there are cards above and below it.", { card }),
    reserve_up: t("Reserve cards only go to the foundations."),
    base_later: t("{card} can start a foundation only when the first one is full.", { card }),
    base_on_pile: t("In phase one, base-rank cards can't go on a pile."),
    space_from_waste: t("An empty pile takes only the top of the waste."),
    space_for_base: t("In phase one, an empty pile takes only the base rank: {rank}.", {
      rank: reason.base ? rankName(reason.base) : "",
    }),
    direction_first: t("First choose which way the foundations build."),
    direction_stands: t("The direction is already chosen."),
    cell_taken: t("A cell holds only one card."),
    cell_stays: t("A card in a cell can only go to a foundation."),
    outer_cell: t("An empty outer cell takes only the top of the waste."),
    inner_cell: t(
      "An empty inner cell takes the end of the braid. When the braid is gone, it takes the top of the waste.",
    ),
  };
  return texts[reason.why] ?? t("You can't make this move.");
}

/**
 * The reason why two tarot cards do not go on each other. @param {View} view @param {Reason} reason @returns {string}
 */
function familyText({ game }, { card = "" }) {
  const suit = suitOf(card, game);
  if (suit === "trumps") return tc("tarot", "A trump can't go on a trump.");
  if (suit === "cups" || suit === "pentacles") return tc("tarot", "Cups and pentacles can't go on each other.");
  return tc("tarot", "Wands and swords can't go on each other.");
}
