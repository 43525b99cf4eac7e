/** Measures that all tables share: a grid of card widths, and piles that fan and compress. */

import { settings } from "../../settings.js";

/** @import { CardRect, Pile, Slot, View } from "../types.js" */

export const RATIO = 1.4;
const GAP = 0.13;
const WIDEST = 148;

/** @param {number} w card width in pixels @returns {boolean} whether cards show the large index of small cards */
export const small = (w) => w < 66 || settings.large_cards;

/**
 * A grid of `columns` by `rows` cards (fractions allowed) centred in an area.
 * Positions are given in columns and rows; one is a card and the gap after it.
 */
export class Grid {
  /**
   * @param {number} width pixels @param {number} height pixels
   * @param {number} columns @param {number} rows
   * @param {{gap?: number, top?: boolean, widest?: number}} [options] top: stand at the top instead of the middle
   */
  constructor(width, height, columns, rows, { gap = GAP, top = false, widest = WIDEST } = {}) {
    const byWidth = width / (columns + (columns - 1) * gap);
    const byHeight = height / (rows * RATIO + (rows - 1) * gap);
    this.w = Math.floor(Math.max(20, Math.min(byWidth, byHeight, widest)));
    this.h = Math.round(this.w * RATIO);
    this.gap = Math.max(2, Math.floor(this.w * gap));
    this.left = Math.max(0, (width - columns * this.w - (columns - 1) * this.gap) / 2);
    this.top = top ? 0 : Math.max(0, (height - rows * this.h - (rows - 1) * this.gap) / 2);
    this.bottom = height;
  }

  /** @param {number} column */
  x(column) {
    return Math.round(this.left + column * (this.w + this.gap));
  }

  /** @param {number} row */
  y(row) {
    return Math.round(this.top + row * (this.h + this.gap));
  }
}

/** Collects slots and cards while a table is laid out. */
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
   * A squared-up pile: its upper two cards, so that one is there when the other is lifted.
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
   * A pile fanned downwards, compressed where it would leave its `room`.
   * @param {Pile} pile @param {number} x @param {number} y @param {number} room pixels from y down
   * @param {Partial<Slot>} [more]
   */
  fan(pile, x, y, room, more = {}) {
    const { h } = this.grid;
    this.slot(pile, x, y, { h: Math.min(h, room), ...more });
    const listed = this.view.piles[pile] ?? [];
    const under = this.view.under[pile] ?? 0;
    const [down, up] = small(this.grid.w) ? [0.15, 0.36] : [0.12, 0.27];
    const steps = listed.slice(0, -1).map((code) => (code === null ? down : up) * h);
    const hidden = listed.slice(0, -1).filter((code) => code === null).length * down * h;
    const open = steps.reduce((sum, step) => sum + step, 0) - hidden;
    const space = Math.max(0, room - h);
    // Backs give way first, down to half; then everything does.
    const backs = hidden > 0 ? Math.max(0.5, Math.min(1, (space - open) / hidden)) : 1;
    const all = Math.min(1, space / Math.max(1, open + hidden * backs));
    let at = y;
    listed.forEach((code, k) => {
      this.cards.push({ pile, i: under + k, code, x, y: Math.round(at), z: k });
      at += (steps[k] ?? 0) * (code === null ? backs : 1) * all;
    });
  }

  /** @param {number} width of the whole area @param {boolean} flipped @returns {import("../types.js").Layout} */
  done(width, flipped) {
    const { w, h } = this.grid;
    if (flipped) {
      for (const rect of this.slots) rect.x = width - rect.x - rect.w;
      for (const rect of this.cards) {
        rect.x = width - rect.x - w;
      }
    }
    return { w, h, slots: this.slots, cards: this.cards };
  }
}

/** @param {View} view @param {string} letter @returns {Pile[]} the piles of a kind, in order */
export function pilesOf(view, letter) {
  return Object.keys(view.piles)
    .filter((name) => name[0] === letter && name.length > 1)
    .sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
}

/** The first of several grids that gives the widest cards. @param {Grid[]} grids @returns {number} its index */
export function roomiest(grids) {
  return grids.reduce((best, grid, k) => (grid.w > grids[best].w ? k : best), 0);
}
