/** Dialogs of the table that are prepared when the first of them opens: settings, help, rules and more actions. */

import "../../site/field-buttons.js";
import { all, byId } from "../../shared/dom.js";
import { Question } from "../../pages/winnability-question.js";
import { bindSettings } from "../../site/settings-form.js";
import { bindHelp } from "../input/keyboard.js";
import { bindMore } from "./more-menu.js";
import { share } from "./share-text.js";

/** @import { Keys } from "../input/keyboard.js" */
/** @import { TableSocket } from "../state/socket.js" */
/** @import { State } from "../state/state.js" */

let prepared = false;

/** @param {State} state @param {TableSocket} socket @param {Keys} keys @param {string} id of the dialog */
export function openDialog(state, socket, keys, id) {
  if (!prepared) {
    prepared = true;
    bindMore(state, socket, keys);
    bindHelp(state, byId("help-dialog"));
    for (const form of all("form.settings")) bindSettings(form);
    for (const button of all("dialog [data-opens]"))
      button.addEventListener("click", () => byId(button.dataset.opens).showModal());
    bindQuestion();
  }
  const dialog = byId(id);
  // A second click while this module loads has opened it already.
  if (!dialog.open) dialog.showModal();
}

/** Here, with all that shares or copies, instead of in the module of the end. @param {State} state */
export const shareResult = (state) => share(state, byId("share"));

/** Asks if the game can still be won whenever that dialog opens. */
function bindQuestion() {
  const button = byId("can-win");
  if (!button) return;
  const question = new Question(button, byId("hint-dialog"));
  button.addEventListener("click", () => question.ask());
}
