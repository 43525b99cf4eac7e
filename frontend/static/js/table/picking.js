/** A card picked up by tap or key: where it may go, and what the next tap means. */

import { tn } from "../i18n.js";
import { settings } from "../settings.js";
import { say } from "./announce.js";
import { sizeOf } from "./cards.js";
import { likelyFoundation, parse } from "./moves.js";

/** @import { Game } from "./game.js" */
/** @import { Piece, Renderer } from "./render.js" */
/** @import { Choice, Pile, Token } from "./types.js" */

/** @typedef {{pile: Pile, count: number}} Chosen cards from the top of a pile */

export class Picking {
  /** @type {Chosen|null} */ chosen = null;

  /** @param {Renderer} renderer @param {Game} game @param {(token: Token) => void} play */
  constructor(renderer, game, play) {
    this.renderer = renderer;
    this.game = game;
    this.play = play;
  }

  /** @returns {Choice[]} what the picked-up card can do */
  get targets() {
    return this.chosen ? this.game.choices(this.chosen.pile, this.chosen.count) : [];
  }

  /** Draws, deals a row or turns the waste over, whichever is offered. */
  drawCards() {
    const { offered, shown } = this.game;
    const token = ["d", "n"].find((one) => offered.includes(one));
    if (shown && token && (token !== "d" || sizeOf(shown, "s") > 0)) this.play(token);
  }

  /** @param {Element} element of a card that is to go to a foundation */
  toFoundation(element) {
    const { shown } = this.game;
    const piece = this.renderer.pieceOf(element);
    if (!piece || !shown) return;
    const { pile, i } = piece.rect;
    const choice = this.game.choices(pile, sizeOf(shown, pile) - i).find(({ to }) => to === "f");
    if (choice) this.play(choice.token);
  }

  /**
   * A tap or Enter: picks a card up, puts it down where it may go, turns the stock; a second tap on the same card sends
   * it to the foundation or to its only place.
   * @param {Piece|null} piece @param {Pile|null} pile
   */
  tap(piece, pile) {
    const view = this.game.shown;
    if (!view || !pile) return this.choose(null);
    const { chosen } = this;
    if (chosen && chosen.pile !== pile) {
      const choice = this.targets.find(({ to }) => to === pile || (to === "f" && pile[0] === "f"));
      if (choice) return this.play(choice.token);
    }
    if (pile === "s") {
      this.choose(null);
      return this.drawCards();
    }
    const count = piece ? sizeOf(view, pile) - piece.rect.i : 0;
    const choices = count > 0 ? this.game.choices(pile, count) : [];
    if (chosen && chosen.pile === pile && chosen.count === count) {
      const choice = choices.find(({ to }) => to === "f") ?? (choices.length === 1 ? choices[0] : null);
      return choice ? this.play(choice.token) : this.choose(null);
    }
    if (settings.one_tap && choices.length === 1) return this.play(choices[0].token);
    this.choose(choices.length > 0 ? { pile, count } : null);
  }

  /** @param {Chosen|null} chosen */
  choose(chosen) {
    this.chosen = chosen;
    this.mark(this.targets, chosen);
    if (chosen) say(tn("picked up, one place to go", "picked up, {n} places to go", this.targets.length));
  }

  /**
   * After a redraw: which cards can move, and whether the picked-up one still can.
   * @param {boolean} busy a drag is under way
   */
  refresh(busy) {
    const { offered, shown } = this.game;
    if (!shown) return;
    const sources = new Set(offered.map((token) => parse(token)).map((move) => move && `${move.from}x${move.count}`));
    for (const { element, rect } of this.renderer.pieces)
      element.classList.toggle("movable", sources.has(`${rect.pile}x${sizeOf(shown, rect.pile) - rect.i}`));
    this.renderer.slots.get("s")?.classList.toggle("ready", offered.includes("d") || offered.includes("n"));
    this.renderer.slots.get("s")?.classList.toggle("turn", offered.includes("n"));
    if (this.chosen && this.targets.length === 0) this.choose(null);
    else if (this.chosen && !busy) this.mark(this.targets, this.chosen);
  }

  /** Shows where a card may go. @param {Choice[]} choices @param {Chosen|null} chosen */
  mark(choices, chosen) {
    const view = this.game.shown;
    for (const element of this.renderer.felt.querySelectorAll(".target, .chosen")) {
      element.classList.remove("target", "chosen");
      element.removeAttribute("aria-pressed");
    }
    if (!view) return;
    for (const { to, token } of choices) {
      const from = parse(token)?.from ?? "";
      const pile = to === "f" ? likelyFoundation(view, view.piles[from]?.at(-1) ?? null) : to;
      this.renderer.slots.get(pile)?.classList.add("target");
      this.renderer.face(pile)?.classList.add("target");
    }
    if (chosen)
      for (const { element } of this.renderer.top(chosen.pile, chosen.count)) {
        element.classList.add("chosen");
        element.setAttribute("aria-pressed", "true");
      }
  }
}
