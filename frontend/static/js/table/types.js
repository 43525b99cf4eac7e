/**
 * The shapes that the table's modules share. See docs/protocol.md for what the server says.
 *
 * @typedef {string} Card rank then suit, `TH`
 * @typedef {string} Pile `s`, `w`, `r`, `f0`, `t3`, `r12`
 * @typedef {string} Token one move, `t0-f`
 *
 * @typedef {object} View what the player may see of a table
 * @property {string} game
 * @property {Record<string, any>} options
 * @property {Record<Pile, (Card|null)[]>} piles bottom to top; null lies face down
 * @property {Record<Pile, number>} under cards below the listed ones
 * @property {number} cards_up
 * @property {number} goal
 * @property {boolean} won
 * @property {number} moves
 * @property {boolean} can_undo
 * @property {number|null} rounds_left
 * @property {string} [base]
 * @property {string|null} [direction]
 * @property {number} [phase]
 * @property {number} [rows]
 * @property {Pile[]} [free]
 *
 * @typedef {object} CardRect where one card stands
 * @property {Pile} pile
 * @property {number} i its place in the pile, from 0 at the bottom, hidden cards counted
 * @property {Card|null} code
 * @property {number} x pixels
 * @property {number} y
 * @property {number} z
 * @property {number} [turn] degrees
 * @property {boolean} [mirror] its upper right corner is the one that shows
 *
 * @typedef {object} Slot the ground a pile stands on
 * @property {Pile} pile
 * @property {number} x
 * @property {number} y
 * @property {number} w
 * @property {number} h
 * @property {number} [foot] where the lowest of its cards ends, if that is not its own lower edge
 * @property {string} [sign] what the empty place shows
 * @property {boolean} [dim] not in use yet
 *
 * @typedef {object} Layout
 * @property {number} w card width, pixels
 * @property {number} h card height
 * @property {Slot[]} slots
 * @property {CardRect[]} cards
 *
 * @typedef {object} Choice one thing a selected card can do
 * @property {"f"|Pile} to
 * @property {Token} token
 */
export {};
