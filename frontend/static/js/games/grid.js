/** Grid of card widths shared by all tables, and the plan placed on it. */

import { spaced } from "./card-spacing.js";

/** @import { CardRect, Pile, Slot, View } from "../table/state/types.js" */

export const RATIO = 1.4;
const GAP = 0.13;
/** Card width at 2560 x 1440, in pixels; larger screens leave felt around the table. */
const WIDEST = 220;
const NARROWEST = 20;

/**
 * A grid of `columns` by `rows` cards (fractions allowed) centred in an area.
 * Positions are given in columns and rows; one is a card and the gap after it.
 */
export class Grid {
  /**
   * @param {number} width pixels @param {number} height pixels
   * @param {number} columns @param {number} rows
   * @param {{gap?: number, across?: number, top?: boolean, widest?: number}} [options] gap: between rows, and between
   *   columns unless `across` says otherwise, in card widths; top: stand at the top instead of the middle
   */
  constructor(width, height, columns, rows, { gap = GAP, across = gap, top = false, widest = WIDEST } = {}) {
    const byWidth = width / (columns + (columns - 1) * across);
    const byHeight = height / (rows * RATIO + (rows - 1) * gap);
    this.w = Math.floor(Math.max(NARROWEST, Math.min(byWidth, byHeight, widest)));
    this.h = Math.round(this.w * RATIO);
    this.gap = Math.max(2, Math.floor(this.w * gap));
    this.across = Math.max(2, Math.floor(this.w * across));
    this.left = Math.max(0, (width - columns * this.w - (columns - 1) * this.across) / 2);
    this.top = top ? 0 : Math.max(0, (height - rows * this.h - (rows - 1) * this.gap) / 2);
    this.bottom = height;
  }

  /**
   * The grid with the widest cards at which the whole table is readable, aligned to the top.
   * @param {number} width pixels @param {number} height pixels @param {number} columns
   * @param {(grid: Grid) => number} need pixels of height
   * @param {{narrowest?: number, widest?: number}} [options] the gap between columns, in card widths
   * @returns {Grid}
   */
  static fitting(width, height, columns, need, { narrowest = 0.1, widest = 0.42 } = {}) {
    for (let w = Math.min(WIDEST, Math.floor(width / (columns + (columns - 1) * narrowest))); ; w--) {
      const across = Math.min(widest, Math.max(narrowest, (width / w - columns) / (columns - 1)));
      const grid = new Grid(width, height, columns, 1, { gap: narrowest, across, top: true, widest: w });
      if (w <= NARROWEST || need(grid) <= height) return grid;
    }
  }

  /** @param {number} column */
  x(column) {
    return Math.round(this.left + column * (this.w + this.across));
  }

  /** @param {number} row */
  y(row) {
    return Math.round(this.top + row * (this.h + this.gap));
  }

  /**
   * @param {number} rows @returns {number} pixels from the upper edge of the first row to the lower edge of the last
   */
  high(rows) {
    return rows * this.h + (rows - 1) * this.gap;
  }
}

/** Collector of slots and cards during a layout. */
export class Plan {
  /** @type {Slot[]} */ slots = [];
  /** @type {CardRect[]} */ cards = [];

  /** @param {View} view @param {Grid} grid */
  constructor(view, grid) {
    this.view = view;
    this.grid = grid;
  }

  /** @param {Pile} pile @param {number} x @param {number} y @param {Partial<Slot>} [more] */
  slot(pile, x, y, more = {}) {
    this.slots.push({ pile, x, y, w: this.grid.w, h: this.grid.h, ...more });
  }

  /**
   * A squared-up pile: its top two cards, so that one is visible when the other is lifted.
   * @param {Pile} pile @param {number} x @param {number} y @param {Partial<Slot>} [more]
   */
  stack(pile, x, y, more = {}) {
    this.slot(pile, x, y, more);
    const listed = this.view.piles[pile] ?? [];
    const under = this.view.under[pile] ?? 0;
    for (let k = Math.max(0, listed.length - 2); k < listed.length; k++)
      this.cards.push({ pile, i: under + k, code: listed[k], x, y, z: k });
  }

  /**
   * A row of overlapping cards, the newest to the right.
   * @param {Pile} pile @param {number} x @param {number} y @param {number} step pixels
   */
  row(pile, x, y, step) {
    this.slot(pile, x, y);
    const listed = this.view.piles[pile] ?? [];
    const under = this.view.under[pile] ?? 0;
    listed.forEach((code, k) => this.cards.push({ pile, i: under + k, code, x: x + k * step, y, z: k }));
  }

  /**
   * A pile fanned downwards, compressed to fit its `room`.
   * @param {Pile} pile @param {number} x @param {number} y @param {number} room pixels from y down
   * @param {Partial<Slot>} [more]
   */
  fan(pile, x, y, room, more = {}) {
    const { grid } = this;
    const listed = this.view.piles[pile] ?? [];
    const under = this.view.under[pile] ?? 0;
    const steps = spaced(grid, listed, Math.max(0, room - grid.h));
    let at = y;
    listed.forEach((code, k) => {
      this.cards.push({ pile, i: under + k, code, x, y: Math.round(at), z: k });
      at += steps[k] ?? 0;
    });
    const foot = Math.round(at) + grid.h;
    this.slot(pile, x, y, { h: Math.min(grid.h, room), foot, ...more });
  }

  /**
   * @param {number} width of the whole area @param {boolean} flipped
   * @returns {import("../table/state/types.js").Layout}
   */
  done(width, flipped) {
    const { w, h } = this.grid;
    if (flipped) {
      for (const rect of this.slots) rect.x = width - rect.x - rect.w;
      for (const rect of this.cards) {
        rect.x = width - rect.x - w;
        if (rect.turn === undefined) continue;
        rect.turn = -rect.turn;
        rect.mirror = !rect.mirror;
      }
    }
    return { w, h, slots: this.slots, cards: this.cards };
  }
}

/** The grid with the widest cards; the first one in a tie. @param {Grid[]} grids @returns {number} its index */
export function roomiest(grids) {
  return grids.reduce((best, grid, k) => (grid.w > grids[best].w ? k : best), 0);
}
