/** Tooltip with a pile's name, for a resting mouse or a long press. */

import { byId } from "../../shared/dom.js";
import { pileText } from "../drawing/cards.js";
import { pieceAt } from "../drawing/pieces.js";

/** @import { State } from "../state/state.js" */
/** @import { Pile } from "../state/types.js" */

const RESTS = 550;
const GAP = 6;

/** The tooltip, which a lesson's page does not have. */
const label = () => byId("pile-name");

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
  felt.addEventListener("pointermove", (event) => {
    if (state.held?.looked) return undefined;
    if (event.pointerType !== "mouse" || event.buttons !== 0) return leave();
    const box = felt.getBoundingClientRect();
    const { pile } = pieceAt(state, event.clientX - box.left, event.clientY - box.top);
    if (pile === over) return;
    leave();
    over = pile;
    if (pile) timer = window.setTimeout(() => showName(state, pile), RESTS);
  });
  for (const type of ["pointerleave", "pointerdown"])
    felt.addEventListener(type, (event) => /** @type {PointerEvent} */ (event).pointerType === "mouse" && leave());
}

/** @param {State} state @param {Pile} pile */
export function showName({ drawn, layout, felt }, pile) {
  const slot = layout?.slots.find((one) => one.pile === pile);
  const name = label();
  if (!drawn || !slot || !name) return;
  const text = pileText(drawn, pile);
  name.textContent = text.charAt(0).toLocaleUpperCase() + text.slice(1);
  name.hidden = false;
  const [left, top] = [felt.offsetLeft, felt.offsetTop];
  const widest = left + felt.clientWidth - name.offsetWidth;
  const x = Math.max(left, Math.min(widest, left + slot.x + (slot.w - name.offsetWidth) / 2));
  const above = top + slot.y - name.offsetHeight - GAP;
  const y = above > 0 ? above : top + slot.y + GAP;
  name.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
}

export function hideName() {
  const name = label();
  if (name) name.hidden = true;
}
