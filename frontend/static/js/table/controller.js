/** Controller of an online table: sends the player's moves, and applies the server's messages to the state. */

import { byId } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { noAnswer } from "../shared/request.js";
import { say } from "../shared/announcer.js";
import { moveText } from "./hud/announce.js";
import { moveUpLater } from "./state/auto-up.js";
import {
  isUndoBarred,
  canUndo,
  forget,
  plays,
  push,
  redoable,
  shown,
  takeClock,
  takeEnd,
  takeMove,
  takePong,
  takeResumed,
  takeVerdict,
  takeView,
  turn,
} from "./state/game.js";
import { isCalledOff } from "./state/state.js";
import { barredText } from "./hud/hud.js";
import { hush, notice } from "../shared/notice.js";
import { prefetch, lazily, loadStyles } from "../shared/lazy.js";
import { parse } from "./state/moves.js";
import { pick } from "./input/picked-card.js";
import { forgetLine, recall, remember } from "./state/undo-history.js";
import { completeLater, resend } from "./state/recovery.js";
import { play as sound } from "./hud/sound.js";

/** @import { TableSocket } from "./state/socket.js" */
/** @import { State } from "./state/state.js" */
/** @import { Pile, Token, View } from "./state/types.js" */
/** @import { Reason } from "./hud/illegal-reasons.js" */

const theEnd = async () => {
  const [module] = await Promise.all([import("./hud/finish.js"), loadStyles(byId("finish").dataset.styles ?? "")]);
  return module;
};
/** Shows what is known about the end of a game. @param {State} state */
export const showEnd = (state) => lazily(theEnd, (module) => module.showEnd(state));

const deadEnd = () => t("Nothing more to do here.");

const theWords = () => import("./hud/refusal-texts.js");

/**
 * Shows a move at once (optimistic update); the server's answer confirms or corrects it.
 * @param {State} state @param {TableSocket} socket @param {Token} token
 */
export function play(state, socket, token) {
  if (state.paused) return;
  pick(state, null);
  hush();
  const n = push(state, token);
  const isSent = !state.batching && socket.send({ type: "move", n, token });
  if (!isSent && state.local) state.local.keep();
  // A connection being opened sends the move when the table resumes.
  else if (!isSent && !socket.coming) {
    forget(state);
    notice(t("You're offline, so the move was not made."));
  }
  sound(parse(token)?.to === "f" ? "up" : "place");
  state.host.draw({ source: parse(token)?.from ?? null });
  if (state.local && shown(state)?.won) showEnd(state);
}

/** @param {State} state @param {TableSocket} socket */
export function undo(state, socket) {
  if (canUndo(state)) play(state, socket, "u");
  else if (isUndoBarred(state)) notice(barredText());
}

/**
 * Undoes every move that may be undone, or those since the last position that was not a dead end.
 * @param {State} state @param {TableSocket} socket @param {{toChoice: boolean}} how
 */
export function rewind(state, socket, { toChoice }) {
  if (isUndoBarred(state)) notice(barredText());
  if (!canUndo(state) || state.pending.length > 0) return;
  pick(state, null);
  state.rewinding = socket.ask({ type: "rewind", n: (state.n ?? 0) + 1, to_choice: toChoice });
}

/** Redoes the last undone move. @param {State} state @param {TableSocket} socket */
export function redo(state, socket) {
  const token = redoable(state);
  if (token) play(state, socket, token);
}

/**
 * Asks the server why cards cannot move.
 * @param {TableSocket} socket @param {Pile} pile @param {number} cards @param {Pile|""} to
 */
export function askWhy(socket, pile, cards, to) {
  if (!socket.send({ type: "why", pile, cards, to })) return notice(t("You can't make this move."));
  prefetch(theWords);
}

/** Asks the server to play the moves that need no thought. @param {State} state @param {TableSocket} socket */
export function playOut(state, socket) {
  if (state.auto && plays(state) && state.pending.length === 0) socket.ask({ type: "auto", n: (state.n ?? 0) + 1 });
}

/** @param {State} state @param {TableSocket} socket */
export function resign(state, socket) {
  if (!socket.ask({ type: "resign", n: (state.n ?? 0) + 1 })) notice(noAnswer());
}

/** @param {State} state @param {TableSocket} socket @param {any} message */
export function receive(state, socket, message) {
  const wasPlaying = state.status === "playing";
  take(state, socket, message);
  const over = state.status !== "playing";
  if (!over && !state.view?.won) return;
  if (over && wasPlaying) pick(state, null);
  showEnd(state);
  completeLater(state, socket);
}

/** @param {State} state @param {TableSocket} socket @param {any} message */
function take(state, socket, message) {
  const { draw } = state.host;
  switch (message.type) {
    case "view":
      takeView(state, message);
      recall(state);
      remember(state);
      if (state.stuck) say(deadEnd());
      if (state.pending.length > 0) resend(state, socket);
      else state.local?.forget();
      return draw({ jump: true });
    case "moved":
      return moved(state, socket, message);
    case "resumed":
      takeResumed(state, message);
      resend(state, socket);
      return draw();
    case "clock":
      takeClock(state, message);
      return draw();
    case "pong":
      return takePong(state, message);
    case "ended":
      takeEnd(state, message);
      forgetLine(state);
      return draw();
    case "verdict":
      takeVerdict(state, message);
      return draw();
    case "because":
      return lazily(theWords, ({ explain }) => explain(state, message.reasons));
    case "error":
      return refuse(state, message);
  }
}

/** @param {State} state @param {TableSocket} socket @param {any} message */
function moved(state, socket, message) {
  const before = /** @type {View} */ (state.view);
  const found = takeMove(state, message);
  if (found === "missing") socket.restart();
  if (found !== "taken") return;
  remember(state);
  state.host.draw({ source: parse(message.token)?.from ?? null });
  const moves = {
    play: (/** @type {Token} */ token) => play(state, socket, token),
    playOut: () => playOut(state, socket),
  };
  moveUpLater(state, moves, message.token);
  // A player who has made a move will see the end, which should not wait for the network.
  prefetch(theEnd);
  const text = moveText(before, /** @type {View} */ (state.view), message.token);
  say(state.stuck ? `${text}. ${deadEnd()}` : text);
}

/** @param {State} state @param {{code: string, data?: {state?: string, reason?: Reason}}} error */
function refuse(state, error) {
  // The request is kept and sent again when the table resumes.
  if (error.code === "server_busy") return;
  if (state.batching) state.local?.forget();
  forget(state);
  if (error.code === "closed") turn(state, error.data?.state ?? "pending");
  state.host.draw();
  // One of several quick undos was one too many.
  if (error.code === "stale" || error.data?.reason?.why === "nothing_to_undo") return;
  if (error.code === "not_found" && isCalledOff(state)) return;
  lazily(theWords, ({ refused }) => refused(state, error));
}
