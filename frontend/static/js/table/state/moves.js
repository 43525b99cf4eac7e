/**
 * Legal tokens by picked-up cards, and optimistic views with a move already made. This module knows no rules: the
 * server decides what is legal, and a card turned up by a move stays face down here until the server names it.
 */

import { GAMES } from "../../games/games.js";
import { sizeOf, suitOf } from "./cards.js";

/** @import { Card, Choice, Pile, Token, View } from "./types.js" */

const SHAPE = /^([a-z]\d*)-([a-z]\d*)(?:x(\d+))?$/;

/**
 * @param {Token} token
 * @returns {{from: Pile, to: "f"|Pile, count: number}|null} null for a token that moves no chosen card
 */
export function parse(token) {
  const match = SHAPE.exec(token);
  return match && { from: match[1], to: match[2], count: Number(match[3] ?? 1) };
}

/** @param {Token[]} legal @param {Pile} pile @param {number} count cards picked up @returns {Choice[]} */
export function choicesFor(legal, pile, count) {
  return legal.flatMap((token) => {
    const move = parse(token);
    return move && move.from === pile && move.count === count ? [{ to: move.to, token }] : [];
  });
}

/** @param {Token[]} legal @param {Token} played @returns {Token[]} the tokens that an unanswered move leaves legal */
export function untouched(legal, played) {
  if (played === "d")
    return legal.filter((token) => token === "d" || (parse(token) !== null && parse(token)?.from !== "w"));
  const move = parse(played);
  if (!move) return [];
  const busy = new Set([move.from, move.to]);
  return legal.filter((token) => {
    if (token === "d") return move.from !== "w";
    const other = parse(token);
    return other !== null && !busy.has(other.from) && (other.to === "f" || !busy.has(other.to));
  });
}

const ORDER = "A23456789TJPNQK";

/**
 * The foundation that will most likely take a card, for showing it there before the server answers.
 * @param {View} view @param {Card|null} card @returns {Pile}
 */
export function likelyFoundation(view, card) {
  const names = Object.keys(view.piles).filter((name) => name[0] === "f");
  if (card === null) return names[0];
  const suit = suitOf(card, view.game);
  const { suits } = GAMES[view.game];
  if (suits) return `f${suits.indexOf(suit)}`;
  const near = (/** @type {Card} */ top) => {
    const ranks = [...ORDER].filter((rank) => rank !== "P" && rank !== "N");
    const gap = Math.abs(ranks.indexOf(top[0]) - ranks.indexOf(card[0]));
    return gap === 1 || gap === 12;
  };
  const started = names.filter((name) => view.piles[name].length > 0);
  const fits = started.filter((name) => {
    const top = /** @type {Card} */ (view.piles[name].at(-1));
    return near(top) && (view.game === "plot" || suitOf(top, view.game) === suit);
  });
  if (fits.length > 0 && card[0] !== view.base) return fits[0];
  return names.find((name) => view.piles[name].length === 0) ?? fits[0] ?? names[0];
}

/** The view after a move's changes. @param {View} view @param {any} changes @returns {View} */
export function viewAfter(view, { piles, under, ...facts }) {
  return { ...view, ...facts, piles: { ...view.piles, ...piles }, under: { ...view.under, ...under } };
}

/** The view after `token`, as far as a player can know. @param {View} view @param {Token} token @returns {View} */
export function imagine(view, token) {
  const next = { ...view, piles: { ...view.piles }, under: { ...view.under }, moves: view.moves + 1 };
  if (token === "d") return draw(next);
  if (token === "n") {
    next.under.s = sizeOf(view, "w");
    next.under.w = 0;
    next.piles.w = [];
    if (view.rounds_left !== null) next.rounds_left = Math.max(0, view.rounds_left - 1);
    return next;
  }
  const move = parse(token);
  if (!move) return next;
  const source = view.piles[move.from] ?? [];
  const cards = source.slice(-move.count);
  const to = move.to === "f" ? likelyFoundation(view, cards[0] ?? null) : move.to;
  next.piles[move.from] = source.slice(0, source.length - cards.length);
  next.piles[to] = [...(view.piles[to] ?? []), ...cards];
  if (move.to === "f") next.cards_up += 1;
  return next;
}

/** @param {View} next a copy that may be changed @returns {View} */
function draw(next) {
  const left = sizeOf(next, "s");
  if (next.game === "labyrinth") {
    const row = next.rows ?? 1;
    const count = Math.min(8, left);
    for (let k = 0; k < count; k++) next.piles[`t${row * 8 + k}`] = [null];
    next.rows = row + 1;
    next.under.s = left - count;
    return next;
  }
  const shown = next.game === "tarot" ? Number(next.options.draw ?? 2) : 1;
  const count = Math.min(shown, left);
  const waste = [...next.piles.w, ...Array(count).fill(null)];
  const size = sizeOf(next, "w") + count;
  next.piles.w = waste.slice(-shown);
  next.under.w = size - next.piles.w.length;
  next.under.s = left - count;
  return next;
}
