/** Where the server may be asked for a hint, or whether the game can still be won: the buttons that do. */

import { late } from "./late.js";

/** @import { Question } from "../hints.js" */
/** @import { State } from "./state.js" */

/** @param {State} state @returns {(() => void)|undefined} asks for a hint; none where there are none */
export function bindAsking(state) {
  const button = document.getElementById("hint");
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
  const button = document.getElementById("can-win");
  const dialog = document.getElementById("hint-dialog");
  if (!button || !(dialog instanceof HTMLDialogElement)) return;
  /** @type {Question|null} */
  let question = null;
  button.addEventListener("click", () =>
    late(
      () => import("../hints.js"),
      ({ Question }) => {
        question ??= new Question(button, dialog);
        if (dialog.open) question.ask();
      },
    ),
  );
}
