/**
 * Messages of the race's socket (games/races/live/protocol.py), version 1.
 *
 * @typedef {[entrant: number, cardsUp: number, tokens: number, state: string, away: boolean,
 *   place: number|null, ms: number|null]} Lane
 *
 * @typedef {object} Seat
 * @property {number} entrant
 * @property {string} name
 * @property {string|null} player
 * @property {boolean} guest
 * @property {boolean} house_racer whether it is a bot
 * @property {boolean} host
 * @property {number|null} rating
 * @property {boolean} provisional
 * @property {string} avatar
 *
 * @typedef {object} RaceState
 * @property {string} id
 * @property {number} number
 * @property {"open"|"countdown"|"racing"|"settling"|"finished"|"void"} state
 * @property {boolean} rated
 * @property {string} variant
 * @property {string} game
 * @property {Record<string, boolean|number|string>} options
 * @property {number} limit_s
 * @property {{state: "ready"|"preparing"|"none", tried: number, commitment: string|null}} deal
 * @property {string|null} race_commitment
 * @property {number|null} gathers_in
 * @property {number|null} scheduled_in
 * @property {number|null} starts_in
 * @property {number|null} ends_in
 * @property {string} void
 * @property {Seat[]} seats
 * @property {Lane[]} lanes
 * @property {boolean} free_undo whether moves that revealed a card can be undone
 *
 * @typedef {object} Room
 * @property {number} v
 * @property {number} now
 * @property {string} code
 * @property {"private"|"public"|"quick"|"heat"} kind
 * @property {string|null} host
 * @property {number} seats
 * @property {RaceState|null} to_come
 * @property {RaceState|null} running
 * @property {RaceState|null} last
 *
 * @typedef {object} You
 * @property {boolean} host
 * @property {number|null} to_come
 * @property {number|null} running
 * @property {string|null} table
 * @property {number|null} answer_by deadline to meet the opponent of a quick match, on the server's clock
 */

/** Whether the racers solve puzzles: lanes have the number solved in place of cards up. @param {{game: string}} race */
export const isPuzzleRace = ({ game }) => game === "puzzles";

/** A lane as an object with named parts. @param {Lane} lane */
export const parts = ([entrant, cardsUp, tokens, state, away, place, ms]) => {
  return { entrant, cardsUp, tokens, state, away, place, ms };
};
