/**
 * Win animation: cards of the foundations play a last scene of their game. Any key or tap ends it. The cards lie below
 * the foundations' top cards, so they slide out from under them. Only transforms and opacity change, which run on the
 * compositor, and cards are made a few at a time, so the page stays responsive.
 */

import { part } from "../../shared/dom.js";
import { motionReduced } from "../../site/settings.js";
import { shown } from "../state/game.js";
import { LENGTH, scene } from "./celebration-scenes.js";
import { blankCard } from "./faces.js";

/** @import { State } from "../state/state.js" */
/** @import { View } from "../state/types.js" */
/** @import { Actor } from "./celebration-scenes.js" */

/** Number of cards made per frame. */
const BATCH = 4;
/** Time at the start in which a tap does not end it, since it was meant for the last move; in ms. */
const GRACE = 250;
/** Interval between the keyframes of a path, in ms. */
const FRAME = 50;

/**
 * Plays the animation, and calls `done` when it ends or the player skips it; at once with reduced motion.
 * @param {State} state @param {() => void} done
 */
export function celebrate(state, done) {
  const { felt, layout, size } = state;
  const view = /** @type {View} */ (shown(state));
  if (motionReduced() || !layout) return done();
  const actors = scene(view, layout, size);
  const stage = Object.assign(part("div", "celebration"), { ariaHidden: "true" });
  felt.append(stage);
  const begun = performance.now();
  const timer = setTimeout(end, LENGTH);

  function enter() {
    for (const actor of actors.splice(0, BATCH)) perform(state, view, stage, actor, begun);
    if (actors.length > 0 && stage.isConnected) requestAnimationFrame(enter);
  }

  function end() {
    clearTimeout(timer);
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
  enter();
}

/**
 * Shows a card and moves it along its path.
 * @param {State} state @param {View} view @param {HTMLElement} stage @param {Actor} actor
 * @param {number} begun start of the animation
 */
function perform({ faces }, view, stage, { code, pile, path }, begun) {
  const card = blankCard();
  faces.dress(card, { code, pile, i: 0, x: 0, y: 0, z: 0 }, view);
  for (const name of ["id", "tabindex", "role", "aria-label"]) card.removeAttribute(name);
  card.classList.add("ghost");
  stage.append(card);
  const frames = Array.from({ length: LENGTH / FRAME + 1 }, (_, k) => keyframe(path(k * FRAME)));
  card.animate(frames, { duration: LENGTH, fill: "both" }).currentTime = performance.now() - begun;
}

/** @param {ReturnType<Actor["path"]>} pose @returns {Keyframe} */
const keyframe = ({ x, y, turn, scale, opacity }) => ({
  transform: `translate3d(${x.toFixed(1)}px,${y.toFixed(1)}px,0) rotate(${turn.toFixed(1)}deg) scale(${scale})`,
  opacity,
});
