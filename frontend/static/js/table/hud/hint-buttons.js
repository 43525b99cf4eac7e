/** Buttons that ask the server for a hint, or if the game can still be won. */

import { byId } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { late } from "../state/late.js";

/** @import { Question } from "../../pages/winnability-question.js" */
/** @import { State } from "../state/state.js" */

/** @param {State} state @returns {(() => void)|undefined} asks for a hint; undefined if hints are not available */
export function bindAsking(state) {
  const button = byId("hint");
  if (!button) return undefined;
  const ask = () =>
    late(
      () => import("./hint.js"),
      ({ askHint }) => askHint(state, button),
    );
  button.addEventListener("click", ask);
  bindQuestion();
  return ask;
}

function bindQuestion() {
  const [button, dialog] = [byId("can-win"), byId("hint-dialog")];
  if (!button) return;
  /** @type {Question|null} */
  let question = null;
  button.addEventListener("click", () =>
    late(
      () => import("../../pages/winnability-question.js"),
      ({ Question }) => {
        question ??= new Question(button, dialog);
        if (dialog.open) question.ask();
      },
      () => unreached(dialog),
    ),
  );
}

/** Shows the error in the dialog, which covers the table's notices. @param {HTMLDialogElement} dialog */
function unreached(dialog) {
  dialog.dataset.state = "failed";
  byId("hint-text").textContent = t("The server could not be reached.");
  byId("hint-progress").hidden = true;
}
