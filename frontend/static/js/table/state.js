/** All that can change at one table. The modules beside this one are functions over it. */

import { Faces } from "./faces.js";
import { Slots } from "./slots.js";

/** @import { CardRect, Choice, Layout, Pile, Token, View } from "./types.js" */

/**
 * @typedef {ReturnType<typeof newState>} State
 *
 * @typedef {object} Host what the page does for its table
 * @property {(token: Token) => void} play makes a move
 * @property {(how?: How) => void} draw draws the table anew
 * @property {(pile: Pile, count: number, to: Pile|"") => void} [why] tells why these cards stay where they are
 *
 * @typedef {object} How a drawing differs from the last one
 * @property {boolean} [deal] cards come out of the stock one after the other
 * @property {boolean} [jump] no animation (a resize)
 * @property {Pile|null} [source] the pile the last move took its cards from
 *
 * @typedef {object} Piece a card on the felt
 * @property {HTMLElement} element
 * @property {CardRect} rect
 *
 * @typedef {{pile: Pile, count: number}} Picked cards from the top of a pile
 *
 * @typedef {object} Held a press of the pointer, which becomes a drag when it moves
 * @property {number} pointer
 * @property {number} x where it began, in the window
 * @property {number} y
 * @property {number} dx how far it has moved
 * @property {number} dy
 * @property {Piece|null} piece
 * @property {Pile|null} pile
 * @property {DOMRect} box of the felt
 * @property {Piece[]|null} lifted the cards in the hand, once it is a drag
 * @property {Choice[]} choices
 * @property {boolean} refused this card lies face down and cannot be lifted
 * @property {number} asking the timer after which the press asks what lies there
 * @property {boolean} looked it has asked
 * @property {number} frame the next one, in which the cards follow the pointer
 *
 * @typedef {object} Clock
 * @property {number} ms the server's reading
 * @property {number} at when it was taken, by `performance.now()`
 * @property {boolean} runs
 */

/** @param {HTMLElement} felt @param {Host} host */
export function newState(felt, host) {
  const faces = new Faces({ french: felt.dataset.french ?? "", tarot: felt.dataset.tarot ?? "" });
  return {
    host,

    // What the server has confirmed.
    view: /** @type {View|null} */ (null),
    legal: /** @type {Token[]} */ ([]),
    /** The number of the last confirmed token; null before the first view. */
    n: /** @type {number|null} */ (null),
    /** Those of the legal moves to a foundation that spoil nothing. */
    safe: /** @type {Token[]} */ ([]),
    stuck: false,
    auto: false,
    clock: /** @type {Clock} */ ({ ms: 0, at: 0, runs: false }),
    /** Whether the clock stands and the cards are covered, until the player goes on. */
    paused: false,
    /** Moves that are on their way to the server. */
    pending: /** @type {Token[]} */ ([]),

    /** The moves that stand, as far as this page has seen them made, and those taken back, which can be made again. */
    line: /** @type {Token[]} */ ([]),
    undone: /** @type {Token[]} */ ([]),
    /** Whether all is being taken back. */
    rewinding: false,

    // How far the game is.
    status: "playing",
    /** Whether this page has seen the game in play. */
    played: false,
    /** How it ended: "won", "resigned" or "closed"; empty before the server has said so. */
    how: "",
    /** The number of the last token there is, as soon as it is known that none follows. */
    last: /** @type {number|null} */ (null),
    /** What the verifier says. */
    verdict: /** @type {any} */ (null),
    /** The place among all who have played the deal, in words. */
    standing: /** @type {string|null} */ (null),
    /** The timer that asks for what is missing of the end. */
    completing: 0,
    /** The timer of a card that goes up by itself. */
    moveUp: 0,
    /** What the end has done and said. */
    told: /** @type {Set<string>} */ (new Set()),

    // What the player is doing.
    picked: /** @type {Picked|null} */ (null),
    held: /** @type {Held|null} */ (null),
    /** What the keyboard stands on. */
    focus: /** @type {HTMLElement|null} */ (null),
    /** Whether the tab order is looked after at the next frame. */
    ordering: false,

    // What stands on the felt.
    felt,
    faces,
    slots: new Slots(felt, faces),
    size: { width: 0, height: 0 },
    /** The view that the pieces show. */
    drawn: /** @type {View|null} */ (null),
    layout: /** @type {Layout|null} */ (null),
    pieces: /** @type {Piece[]} */ ([]),
    /** The cards on their way, and the drawing they set out with. */
    moving: /** @type {Map<HTMLElement, {z: number, since: number}>} */ (new Map()),
    draws: 0,
  };
}
