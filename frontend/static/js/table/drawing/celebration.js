/**
 * Win animation: the foundations' cards spring off the table and bounce away over its edge. Any key or tap ends it.
 * Only transforms move, which run on the compositor, and cards are made a few at a time, so the page stays responsive.
 */

import { part } from "../../shared/dom.js";
import { motionReduced } from "../../site/settings.js";

/** @import { Piece, State } from "../state/state.js" */

/** Delay between two cards, in ms. */
const APART = 80;
/** Number of cards: fewer on phones, whose processors are slower. */
const CARDS = matchMedia("(pointer: coarse)").matches ? 16 : 24;
/** Time between the last card and the panel, in ms. */
const LAST = 900;
/** Time at the start in which a tap does not end it, since it was meant for the last move; in ms. */
const GRACE = 250;
/** Pixels per ms². */
const GRAVITY = 0.0034;
/** Share of the speed that a bounce preserves. */
const BOUNCE = 0.72;
/** Interval between the keyframes of a path, in ms. */
const FRAME = 45;

/**
 * Plays the animation, and calls `done` when it ends or the player skips it; at once with reduced motion.
 * @param {State} state @param {() => void} done
 */
export function celebrate(state, done) {
  const tops = state.pieces.filter(({ rect }) => rect.pile[0] === "f");
  if (motionReduced() || tops.length === 0) return done();
  const stage = Object.assign(part("div", "celebration"), { ariaHidden: "true" });
  state.felt.append(stage);
  const begun = performance.now();
  let thrown = 0;
  let next = 0;

  function throwOne() {
    const top = tops[thrown % tops.length];
    leap(stage, top, state.layout?.h ?? 0, state.size);
    thrown += 1;
    next = window.setTimeout(thrown < CARDS ? throwOne : end, thrown < CARDS ? APART : LAST);
  }

  function end() {
    clearTimeout(next);
    stage.remove();
    for (const kind of ["keydown", "click"]) removeEventListener(kind, skip, true);
    // The next frame responds to the key or tap; the panel has a frame of its own.
    requestAnimationFrame(() => setTimeout(done));
  }

  /** Ends the animation; the event has no other effect. @param {Event} event */
  function skip(event) {
    if (/** @type {KeyboardEvent} */ (event).repeat || performance.now() - begun < GRACE) return;
    event.preventDefault();
    event.stopPropagation();
    end();
  }

  for (const kind of ["keydown", "click"]) addEventListener(kind, skip, true);
  throwOne();
}

/**
 * @param {HTMLElement} stage @param {Piece} top
 * @param {number} height of a card @param {{width: number, height: number}} size of the table
 */
function leap(stage, { element, rect }, height, size) {
  const card = /** @type {HTMLElement} */ (element.cloneNode(true));
  for (const name of ["id", "tabindex", "role", "aria-label"]) card.removeAttribute(name);
  card.className = "card ghost";
  stage.append(card);
  const frames = way(rect, height, size);
  card.animate(frames, { duration: frames.length * FRAME, fill: "both", easing: "linear" }).finished.then(
    () => card.remove(),
    () => {},
  );
}

/**
 * The path of a card that is thrown up and sideways and bounces on the table's edge until it has left the table.
 * @param {{x: number, y: number}} from @param {number} height of the card @param {{width: number, height: number}} size
 * @returns {Keyframe[]}
 */
function way(from, height, size) {
  const side = Math.random() < from.x / size.width ? -1 : 1;
  const across = side * (0.18 + Math.random() * 0.42) * Math.min(1.6, Math.max(0.5, size.width / 900));
  const spin = across * (10 + Math.random() * 25);
  const floor = size.height - height;
  let { x, y } = from;
  let up = 0.35 + Math.random() * 0.75;
  /** @type {Keyframe[]} */
  const frames = [];
  while (frames.length < 90 && x > -height * 1.5 && x < size.width + height) {
    frames.push({
      transform: `translate(${x.toFixed(1)}px,${y.toFixed(1)}px) rotate(${spin * frames.length * 0.04}deg)`,
    });
    x += across * FRAME;
    y -= up * FRAME;
    up -= GRAVITY * FRAME;
    if (y > floor) {
      y = floor;
      up = Math.abs(up) * BOUNCE;
    }
  }
  return frames;
}
