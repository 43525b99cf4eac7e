/** Pointer input: a press that moves is a drag, one that does not is a tap. */

import { settings } from "../../site/settings.js";
import { sizeOf } from "../state/cards.js";
import { choiceUnder, pileUnder } from "./drop-target.js";
import { choices } from "../state/game.js";
import { move } from "../drawing/motion.js";
import { hideName, lookAt } from "./pile-look.js";
import { mark } from "./picked-card.js";
import { tap } from "./tap.js";
import { endPeek, pieceAt, topOf } from "../drawing/pieces.js";
import { refuse } from "./illegal-move.js";

/** @import { Held, Piece, State } from "../state/state.js" */
/** @import { Pile } from "../state/types.js" */

const SLACK = 6;
/** A motionless press of this length, in ms, is neither tap nor drag: it peeks at the pile. */
const LONG_PRESS_MS = 480;

/** @param {State} state */
export function bindPointer(state) {
  const { felt } = state;
  felt.addEventListener("pointerdown", (event) => press(state, event));
  felt.addEventListener("pointermove", (event) => follow(state, event));
  felt.addEventListener("pointerup", (event) => release(state, event));
  for (const type of ["contextmenu", "dragstart"]) felt.addEventListener(type, (event) => event.preventDefault());
  felt.addEventListener("lostpointercapture", (event) => holds(state, event) && cancel(state));
  addEventListener("blur", () => cancel(state));
  document.addEventListener("visibilitychange", () => cancel(state));
  addEventListener("keydown", ({ key }) => key === "Escape" && cancel(state), { capture: true });
}

/** @param {State} state @param {PointerEvent} event */
const holds = ({ held }, { pointerId }) => held?.pointer === pointerId;

/** After a redraw, keeps the same cards in the hand if they still lie together. @param {State} state */
export function keep(state) {
  const { held, drawn } = state;
  if (!held?.lifted) return;
  const alive = held.lifted.map((old) =>
    state.pieces.find((piece) => piece.element === old.element && piece.rect.pile === held.pile),
  );
  const top = alive.at(-1);
  if (!drawn || !top || alive.some((piece) => !piece) || top.rect.i !== sizeOf(drawn, top.rect.pile) - 1)
    return cancel(state);
  held.lifted = /** @type {Piece[]} */ (alive);
  held.choices = choices(state, /** @type {Pile} */ (held.pile), held.lifted.length);
  lift(held.lifted);
  carry(held);
}

/** Ends the press, if there is one, without a move. @param {State} state */
function cancel(state) {
  if (!state.held) return;
  drop(state);
  state.host.draw();
}

/** @param {State} state */
function drop(state) {
  if (state.held) settle(state, state.held);
  cancelAnimationFrame(state.held?.frame ?? 0);
  state.held = null;
  mark(state, [], null);
}

/** A second finger only ends the press of the first one. @param {State} state @param {PointerEvent} event */
function press(state, event) {
  const isSecond = state.held !== null && !event.isPrimary;
  cancel(state);
  if (event.button !== 0 || isSecond) return;
  const { pointerId: pointer, clientX: x, clientY: y } = event;
  const box = state.felt.getBoundingClientRect();
  const start = { pointer, x, y, dx: 0, dy: 0, box, ...pieceAt(state, x - box.left, y - box.top) };
  const asking = window.setTimeout(() => look(state), LONG_PRESS_MS);
  state.held = { ...start, lifted: null, choices: [], refused: false, frame: 0, asking, looked: false };
  state.felt.setPointerCapture(pointer);
}

/** Handles a long press: names the pile and fans its cards out. @param {State} state */
function look(state) {
  const { held } = state;
  if (!held?.pile || held.lifted || held.refused) return;
  held.looked = true;
  lookAt(state);
}

/** @param {State} state @param {Held} held whose press became a drag or ended */
function settle(state, held) {
  clearTimeout(held.asking);
  if (!held.looked) return;
  endPeek(state);
  hideName();
}

/** @param {State} state @param {PointerEvent} event */
function follow(state, event) {
  const { held } = state;
  if (!held || !holds(state, event)) return;
  // Another button is pressed, or this one was released where the page could not see it.
  if (event.buttons !== 1) return cancel(state);
  held.dx = event.clientX - held.x;
  held.dy = event.clientY - held.y;
  if (!held.lifted && (held.refused || Math.hypot(held.dx, held.dy) < SLACK)) return;
  settle(state, held);
  held.looked = false;
  if (!held.lifted && !start(state, held)) return;
  cancelAnimationFrame(held.frame);
  held.frame = requestAnimationFrame(() => carry(held));
}

/** @param {State} state @param {Held} held a press that may become a drag @returns {boolean} whether it does */
function start(state, held) {
  const { drawn } = state;
  const { piece, pile } = held;
  if (!drawn || !piece || !pile) return false;
  const count = sizeOf(drawn, pile) - piece.rect.i;
  held.choices = choices(state, pile, count);
  held.refused = piece.rect.code === null;
  if (held.refused) return false;
  held.lifted = topOf(state, pile, count);
  lift(held.lifted);
  mark(state, held.choices, null);
  return true;
}

/** @param {Piece[]} pieces */
function lift(pieces) {
  pieces.forEach(({ element }, k) => {
    element.classList.add("lifted");
    if (k === pieces.length - 1) element.classList.add("last");
    element.style.zIndex = String(5000 + k);
  });
}

/** @param {Held} held */
function carry({ lifted, dx, dy }) {
  for (const { element, rect } of lifted ?? []) move(element, rect.x + dx, rect.y + dy, 0);
}

/** @param {State} state @param {PointerEvent} event */
function release(state, event) {
  const { held } = state;
  if (!held || !holds(state, event)) return;
  // Outside the window there is no element.
  if (!document.elementFromPoint(event.clientX, event.clientY)) return cancel(state);
  if (!held.lifted) {
    state.held = null;
    settle(state, held);
    if (!held.looked) tap(state, held.piece, held.pile, { oneTap: settings.one_tap && !state.host.tapsTwice });
    return;
  }
  drop(state);
  const choice = choiceUnder(state, held, event);
  if (choice) return state.host.play(choice.token);
  state.host.draw();
  putBack(state, held, event);
}

/**
 * Returns the cards, and shows the reason if they were dropped on another pile or cannot move at all.
 * @param {State} state @param {Held} held @param {PointerEvent} event
 */
function putBack(state, held, event) {
  const meant = pileUnder(state, held, event, (pile) => pile !== held.pile);
  if (!meant && held.choices.length > 0) return;
  refuse(state, /** @type {Pile} */ (held.pile), held.lifted?.length ?? 1, meant ?? "");
}
