/** Answers to commands: short sentences about what the player can see, or moves, which are announced when made. */

import { byId } from "../../shared/dom.js";
import { t, tn } from "../../shared/i18n.js";
import { clockText } from "../../shared/times.js";
import { cardName, pileText } from "../drawing/cards.js";
import { barredText } from "../hud/hud.js";
import { refuse } from "../input/illegal-move.js";
import { drawCards, onlyMove } from "../input/tap.js";
import { canUndo, elapsed, isUndoBarred, offered, plays, redoable, shown } from "../state/game.js";
import { parse } from "../state/moves.js";
import { Names } from "./names.js";
import { commands, readings, waysOf, words } from "./phrases.js";
import { example, movesText, pilesText, placeText, scoreText } from "./table-text.js";

/** @import { Keys } from "../input/keyboard.js" */
/** @import { State } from "../state/state.js" */
/** @import { Card, Pile, Token, View } from "../state/types.js" */
/** @import { Slots } from "./phrases.js" */
/** @import { Source } from "./names.js" */

/**
 * @typedef {object} Listener what the commands are about
 * @property {State} state
 * @property {Keys} keys
 * @property {string} last the last text announced
 * @property {() => string} changes the moves announced since this was last asked
 * @property {() => void} close
 *
 * @typedef {object} Question
 * @property {Listener} listener
 * @property {State} state
 * @property {Keys} keys
 * @property {View} view
 * @property {Names} names
 * @property {Slots} slots
 */

/** Commands that work while the game is paused. */
const AWAKE = ["repeat", "time", "ahead", "pause", "commands", "close"];

/**
 * Each returns the answer, an empty string if something else announces it, or null if it does not know a name.
 * @type {Record<string, (question: Question) => string|null>}
 */
const ANSWERS = {
  moves: ({ state, view, names }) => {
    const tokens = offered(state);
    if (tokens.length === 0) return t("No moves left.");
    return tn("One move: {moves}.", "{n} moves: {moves}.", tokens.length, { moves: movesText(view, names, tokens) });
  },
  options: (question) => tryMove(question, null, { only: false }),
  where: ({ view, names, slots: { card: name = "" } }) => {
    const card = names.card(name);
    if (!card) return null;
    const seen = names.seen(card);
    if (seen.length === 0) return hiddenText(view, card);
    const places = seen.map(({ pile, count }) => placeText(view, pile, count));
    return `${cardName(card, view.game)}: ${places.join("; ")}.`;
  },
  count: ({ view, names, slots: { pile = "" } }) => {
    const piles = names.piles(pile);
    return piles.length > 0 ? `${piles.map((one) => pileText(view, one)).join("; ")}.` : null;
  },
  read: ({ view, names, slots: { pile = "" } }) => {
    const piles = names.piles(pile);
    return piles.length > 0 ? pilesText(view, piles) : null;
  },
  move: (question) => {
    const places = question.names.places(question.slots.place ?? "");
    return places.length > 0 ? tryMove(question, places) : null;
  },
  up: (question) => tryMove(question, ["f"]),
  play: (question) => tryMove(question, null),
  draw: ({ state }) => quiet(() => drawCards(state)),
  upwards: (question) => choose(question, "up"),
  downwards: (question) => choose(question, "down"),
  undo: ({ state, keys }) => {
    if (canUndo(state)) return quiet(keys.undo);
    return isUndoBarred(state) ? barredText() : t("There is no move to undo.");
  },
  redo: ({ state, keys }) => (redoable(state) && keys.redo ? quiet(keys.redo) : t("There is no move to redo.")),
  hint: ({ keys }) => (keys.hint ? quiet(keys.hint) : t("No hints in ranked games until the game closes.")),
  finish: ({ state, keys }) => (state.auto && keys.auto ? quiet(keys.auto) : impossible()),
  changed: ({ listener }) => listener.changes() || t("Nothing has changed."),
  repeat: ({ listener }) => listener.last || t("Nothing has changed."),
  score: ({ view }) => scoreText(view),
  time: ({ state }) => t("{time} on the clock.", { time: clockText(elapsed(state)) }),
  ahead: () => byId("lanes")?.dataset.standing || t("There is no one to compare with."),
  pause: ({ keys }) => (keys.pause ? quiet(keys.pause) : t("Only practice games can be paused.")),
  resign: ({ keys }) => (keys.resign ? quiet(keys.resign) : impossible()),
  commands: ({ view }) => {
    const known = commands().filter(({ about }) => about);
    const examples = known.map((one) => example(waysOf(one)[0], view.game));
    return t("You can say: {commands}.", { commands: examples.join("; ") });
  },
  close: ({ listener }) => quiet(() => listener.close()),
};

/** Commands that only a game in play takes. */
const PLAYING = ["moves", "options", "move", "up", "play", "draw", "upwards", "downwards", "undo", "redo", "hint"];

/** @param {string} text the command as said @param {Listener} listener @returns {string} the answer */
export function answerTo(text, listener) {
  const { state, keys } = listener;
  const view = shown(state);
  if (!view) return t("The cards have not been dealt yet.");
  const question = {
    listener,
    state,
    keys,
    view,
    names: new Names(view),
    slots: { card: words(text), pile: words(text) },
  };
  const found = readings(text);
  for (const { id, slots } of found) {
    if (state.paused && !AWAKE.includes(id)) return t("This game is paused.");
    if (!state.paused && !plays(state) && PLAYING.includes(id)) return t("This game is over.");
    const answer = ANSWERS[id]({ ...question, slots });
    if (answer !== null) return answer;
  }
  if (state.paused) return t("This game is paused.");
  // A name alone asks for its card or pile.
  const named = ANSWERS.where(question) ?? ANSWERS.read(question);
  if (named !== null) return named;
  if (found.length > 0) return t("“{text}” names no card or pile here. Say “commands” for a list.", { text });
  return t("“{text}” is not a command. Say “commands” for a list.", { text });
}

/** @param {() => void} action that is announced by itself */
function quiet(action) {
  action();
  return "";
}

const impossible = () => t("Not possible now.");

/** @param {Question} question @param {Token} token without cards */
function choose({ state }, token) {
  return offered(state).includes(token) ? quiet(() => state.host.play(token)) : impossible();
}

/**
 * Makes the move that a command means, or lists those it may mean. If there is none, the host explains why.
 * @param {Question} question @param {("f"|Pile)[]|null} places null for any
 * @param {{only?: boolean}} [options] `only`: make the move if it is the only one
 * @returns {string|null}
 */
function tryMove({ state, view, names, slots: { card: name = "" } }, places, { only = true } = {}) {
  const sources = names.sources(name);
  if (!sources) return null;
  if (sources.length === 0) return hiddenText(view, names.card(name) ?? "");
  const found = offered(state).flatMap((token) => {
    const move = parse(token);
    const isMeant = move && sources.some((source) => comes(source, move)) && (places?.includes(move.to) ?? true);
    return isMeant ? [{ ...move, token }] : [];
  });
  const [first] = found;
  if (!first)
    return quiet(() => refuse(state, sources[0].pile, sources[0].count ?? 1, places?.[0]?.replace(/^f$/, "f0")));
  const single =
    found.every(({ from, count }) => from === first.from && count === first.count) && onlyMove(view, found);
  if (single && only) return quiet(() => state.host.play(single.token));
  const moves = movesText(
    view,
    names,
    found.map(({ token }) => token),
  );
  return only ? t("Which one? {moves}.", { moves }) : `${moves}.`;
}

/** @param {View} view @param {Card} card */
const hiddenText = (view, card) => t("{card}: not in sight.", { card: cardName(card, view.game) });

/** @param {Source} source @param {{from: Pile, count: number}} move */
const comes = ({ pile, count }, move) => pile === move.from && (count === null || count === move.count);
