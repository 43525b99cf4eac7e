/**
 * Types shared by the table's modules. See docs/protocol.md for the server's messages.
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
 * @typedef {object} CardRect the position of a card
 * @property {Pile} pile
 * @property {number} i its index in the pile, from 0 at the bottom, including hidden cards
 * @property {Card|null} code
 * @property {number} x pixels
 * @property {number} y
 * @property {number} z
 * @property {number} [turn] degrees
 * @property {boolean} [mirror] shows its upper right corner
 *
 * @typedef {object} Slot the place of a pile
 * @property {Pile} pile
 * @property {number} x
 * @property {number} y
 * @property {number} w
 * @property {number} h
 * @property {number} [foot] lower edge of its lowest card, if that is not its own
 * @property {string} [sign] shown while it is empty
 * @property {boolean} [dim] not in use yet
 *
 * @typedef {object} Layout
 * @property {number} w card width, pixels
 * @property {number} h card height
 * @property {Slot[]} slots
 * @property {CardRect[]} cards
 *
 * @typedef {object} Choice a possible move of the selected cards
 * @property {"f"|Pile} to
 * @property {Token} token
 */
export {};
