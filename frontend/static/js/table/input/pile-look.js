/**
 * Looks at a pile: a resting mouse shows its name, and a long press or P its cards as well. The module that draws them
 * (peek.js) loads with the first look. Without a connection there is nothing to see, and no message about it.
 */

import { byId } from "../../shared/dom.js";
import { pieceAt } from "../drawing/pieces.js";
import { lazily } from "../../shared/lazy.js";

/** @import { State } from "../state/state.js" */
/** @import { Pile } from "../state/types.js" */

const RESTS = 550;

const drawing = () => import("./peek.js");
const ignore = () => {};

/** @param {State} state */
export function bindNames(state) {
  const { felt } = state;
  let timer = 0;
  let over = /** @type {Pile|null} */ (null);
  const leave = () => {
    clearTimeout(timer);
    over = null;
    hideName();
  };
  const name = (/** @type {Pile} */ pile) =>
    lazily(drawing, ({ showName }) => over === pile && showName(state, pile), ignore);
  felt.addEventListener("pointermove", (event) => {
    if (state.held?.looked) return undefined;
    if (event.pointerType !== "mouse" || event.buttons !== 0) return leave();
    const box = felt.getBoundingClientRect();
    const { pile } = pieceAt(state, event.clientX - box.left, event.clientY - box.top);
    if (pile === over) return;
    leave();
    over = pile;
    if (pile) timer = window.setTimeout(() => name(pile), RESTS);
  });
  for (const type of ["pointerleave", "pointerdown"])
    felt.addEventListener(type, (event) => /** @type {PointerEvent} */ (event).pointerType === "mouse" && leave());
}

/** Shows the name and cards of the pressed pile, unless the press is over by then. @param {State} state */
export function lookAt(state) {
  const { held } = state;
  const show = (/** @type {typeof import("./peek.js")} */ { peek, showName }) => {
    if (!held?.pile || state.held !== held || !held.looked) return;
    peek(state, held.pile);
    showName(state, held.pile);
  };
  lazily(drawing, show, ignore);
}

/** Fans a pile out until the next key, and reads its cards. @param {State} state @param {Pile} pile */
export const readPile = (state, pile) => lazily(drawing, ({ peekAt }) => peekAt(state, pile), ignore);

export function hideName() {
  const name = byId("pile-name");
  if (name) name.hidden = true;
}
