/** Complete state of one table. The modules beside this one are functions over it. */

/** @import { Faces } from "../drawing/faces.js" */
/** @import { Slots } from "../drawing/slots.js" */
/** @import { Rival } from "../social/ghost.js" */
/** @import { Summary } from "../hud/end-panel.js" */
/** @import { CardRect, Choice, Layout, Pile, Token, View } from "./types.js" */

/**
 * @typedef {ReturnType<typeof newState>} State
 *
 * @typedef {object} Host the page's services for its table
 * @property {(token: Token) => void} play makes a move
 * @property {(how?: How) => void} draw redraws the table
 * @property {(pile: Pile, count: number, to: Pile|"") => void} [why] explains why these cards cannot move
 * @property {boolean} [tapsTwice] a first tap only shows where a card can go
 *
 * @typedef {object} Local a practice game that goes on without a network
 * @property {(view: View, moves: Token[], tokens: number) => {view: View, legal: Token[]}|null} after
 * @property {() => void} keep stores the pending moves
 * @property {() => void} forget removes the stored moves
 *
 * @typedef {object} How options of a drawing
 * @property {boolean} [deal] cards come out of the stock one by one
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
 * @property {number} x its start, in the window
 * @property {number} y
 * @property {number} dx its movement so far
 * @property {number} dy
 * @property {Piece|null} piece
 * @property {Pile|null} pile
 * @property {DOMRect} box of the felt
 * @property {Piece[]|null} lifted the cards in the hand during a drag
 * @property {Choice[]} choices
 * @property {boolean} refused this card lies face down and cannot be lifted
 * @property {number} asking the timer after which the press peeks at the pile
 * @property {boolean} looked whether it has peeked
 * @property {number} frame the animation frame in which the cards follow the pointer
 *
 * @typedef {object} Clock
 * @property {number} ms the server's reading
 * @property {number} at when it was taken, in page time
 * @property {boolean} runs
 */

/** @param {HTMLElement} felt @param {Host} host @param {Faces} faces @param {Slots} slots */
export function newState(felt, host, faces, slots) {
  return {
    host,

    // Confirmed by the server.
    view: /** @type {View|null} */ (null),
    legal: /** @type {Token[]} */ ([]),
    /** The number of the last confirmed token; null before the first view. */
    n: /** @type {number|null} */ (null),
    /** Legal moves to a foundation that spoil nothing. */
    safe: /** @type {Token[]} */ ([]),
    stuck: false,
    auto: false,
    /** Why the last move cannot be undone, if this race forbids it. */
    noUndo: /** @type {"revealed"|null} */ (null),
    clock: /** @type {Clock} */ ({ ms: 0, at: 0, runs: false }),
    /** True while the clock is stopped and the cards are covered. */
    paused: false,
    /** The rules in this page, once a practice game's deck has arrived. */
    local: /** @type {Local|null} */ (null),
    /** True while pending moves are in flight together. */
    batching: false,
    /** Moves in flight to the server. */
    pending: /** @type {Token[]} */ ([]),

    /** The moves made, as far as this page has seen them, and the undone moves that can be redone. */
    line: /** @type {Token[]} */ ([]),
    undone: /** @type {Token[]} */ ([]),
    /** True while every move is being undone. */
    rewinding: false,

    // Progress of the game.
    status: "playing",
    /** True if this page has seen the game in play. */
    played: false,
    /** Outcome: "won", "resigned" or "closed"; empty until the server reports it. */
    how: "",
    /** The number of the final token, once it is known. */
    last: /** @type {number|null} */ (null),
    /** The verifier's result. */
    verdict: /** @type {any} */ (null),
    /** Whom the result is compared with: a ghost, or another racer. */
    rival: /** @type {Rival|null} */ (null),
    /** The place in a race, as text. */
    racePlace: "",
    /** What the server says about the finished game, once loaded. */
    summary: /** @type {Summary|null} */ (null),
    summarized: /** @type {Promise<void>|null} */ (null),
    /** Timer of the request for missing parts of the end. */
    completing: 0,
    /** Timer of the next automatic move. */
    moveUp: 0,
    /** Parts of the end already shown or announced. */
    announced: /** @type {Set<string>} */ (new Set()),

    // The player's input.
    picked: /** @type {Picked|null} */ (null),
    held: /** @type {Held|null} */ (null),
    /** The keyboard's current element. */
    focus: /** @type {HTMLElement|null} */ (null),
    /** True if the tab order will be updated in the next frame. */
    ordering: false,

    // The felt and its elements.
    felt,
    faces,
    slots,
    size: { width: 0, height: 0 },
    /** The view on the screen. */
    drawn: /** @type {View|null} */ (null),
    layout: /** @type {Layout|null} */ (null),
    pieces: /** @type {Piece[]} */ ([]),
    /** Moving cards, each with the number of the drawing it started in. */
    moving: /** @type {Map<HTMLElement, {z: number, since: number}>} */ (new Map()),
    draws: 0,
  };
}

/** Whether a table that is not found is that of a race called off: the race says why. @param {State} state */
export const isCalledOff = ({ felt, view }) => Boolean(felt.dataset.race) && !view;
