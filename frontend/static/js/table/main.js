/** The table: puts state, connection, hand and picture together. */

import "../hints.js";
import { t } from "../i18n.js";
import { applySettings, bindSettings, onSettings, settings } from "../settings.js";
import { moveText, say, tableText } from "./announce.js";
import { Hand } from "./drag.js";
import { Finish } from "./finish.js";
import { Game } from "./game.js";
import { Hud } from "./hud.js";
import { Keyboard } from "./keyboard.js";
import { layout } from "./layout.js";
import { parse } from "./moves.js";
import { Picking } from "./picking.js";
import { refusalText } from "./refusals.js";
import { Renderer } from "./render.js";
import { TableSocket } from "./socket.js";
import { play as sound } from "./sound.js";

/** @import { Pile, Token, View } from "./types.js" */

/** How long the first cards wait for their faces, in ms. */
const FACES_WITHIN = 400;
/** How long the messages that belong to an end may come apart, in ms. */
const MISSING_WITHIN = 1000;

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

class Table {
  game = new Game();
  #dealt = false;
  #completing = 0;
  #size = { width: 0, height: 0 };

  /** @param {HTMLElement} felt */
  constructor(felt) {
    this.felt = felt;
    const data = felt.dataset;
    this.renderer = new Renderer(felt, { french: data.french ?? "", tarot: data.tarot ?? "" });
    this.picking = new Picking(this.renderer, this.game, (token) => this.play(token));
    this.hud = new Hud(this.game);
    this.finish = new Finish(this.game, this.renderer, data);
    this.hand = new Hand(felt, this.renderer, {
      choices: (pile, count) => this.game.choices(pile, count),
      tap: (piece, pile) => this.picking.tap(piece, pile),
      play: ({ token }) => this.play(token),
      show: (choices) => this.picking.mark(choices, null),
      settle: () => this.draw(),
    });
    this.keyboard = new Keyboard(felt, this.renderer, {
      draw: () => this.picking.drawCards(),
      undo: () => this.undo(),
      auto: () => this.auto(),
      resign: () => this.game.state === "playing" && byId("resign-dialog").showModal(),
      help: () => byId("help-dialog").showModal(),
      describe: () => this.game.shown && say(tableText(this.game.shown)),
      cancel: () => this.picking.choose(null),
      enter: (element) =>
        this.picking.tap(
          this.renderer.pieceOf(element) ?? null,
          /** @type {HTMLElement} */ (element).dataset.pile ?? null,
        ),
      foundation: (element) => this.picking.toFoundation(element),
      targets: () => this.picking.targets,
    });
    this.socket = new TableSocket(data.socket ?? "", {
      have: () => this.game.n,
      message: (message) => this.receive(message),
      status: (status) => this.hud.connection(status),
    });
    this.#buttons();
    onSettings(() => this.draw({ jump: true }));
    this.#open();
  }

  /** The first view comes with the page. Its cards are dealt with their faces, which were asked for with it. */
  async #open() {
    const opening = document.getElementById("opening");
    if (opening) {
      const message = JSON.parse(opening.textContent ?? "");
      this.receive(message);
      const patience = new Promise((resolve) => setTimeout(resolve, FACES_WITHIN));
      await Promise.race([this.renderer.faces.artwork(message.view).load(), patience]);
    }
    new ResizeObserver(([{ contentRect }]) => {
      this.#size = { width: contentRect.width, height: contentRect.height };
      this.draw({ jump: true });
    }).observe(this.felt);
  }

  /** @param {{deal?: boolean, jump?: boolean, source?: Pile|null}} [how] */
  draw(how = {}) {
    const view = this.game.shown;
    const { width, height } = this.#size;
    if (!view || width === 0) return;
    if (!this.#dealt) how = { deal: this.game.n === 0 };
    this.#dealt = true;
    this.renderer.draw(view, layout(view, width, height, settings.left_handed), how);
    this.felt.dataset.confirmed = String(this.game.n ?? "");
    this.hand.keep();
    this.hud.draw(view);
    this.picking.refresh(this.hand.busy);
    this.keyboard.refresh();
  }

  /** Tries a move at once; the server's answer confirms or corrects it. @param {Token} token */
  play(token) {
    this.picking.choose(null);
    const n = this.game.push(token);
    // A connection that is coming is told of the move when the table resumes.
    if (!this.socket.send({ type: "move", n, token }) && !this.socket.coming) {
      this.game.forget();
      this.hud.notice(t("Not connected: the move was not made."));
    }
    sound(parse(token)?.to === "f" ? "up" : "place");
    this.draw({ source: parse(token)?.from ?? null });
  }

  undo() {
    if (this.game.canUndo) this.play("u");
  }

  auto() {
    const { game } = this;
    if (game.auto && game.state === "playing" && game.pending.length === 0)
      this.socket.send({ type: "auto", n: (game.n ?? 0) + 1 });
  }

  /** @param {any} message */
  receive(message) {
    const { game } = this;
    const wasPlaying = game.state === "playing";
    this.#take(message);
    if (game.state === "playing") return;
    if (wasPlaying) this.picking.choose(null);
    this.finish.refresh();
    this.#completeLater();
  }

  /** @param {any} message */
  #take(message) {
    const { game } = this;
    switch (message.type) {
      case "view":
        game.takeView(message);
        return this.draw({ jump: true });
      case "moved":
        return this.#moved(message);
      case "resumed":
        game.takeResumed(message);
        game.pending.forEach((token, k) => this.socket.send({ type: "move", n: message.n + 1 + k, token }));
        return this.draw();
      case "ended":
        game.takeEnd(message);
        return this.draw();
      case "verdict":
        game.takeVerdict(message);
        return this.draw();
      case "error":
        return this.#refused(message);
    }
  }

  /** @param {any} message */
  #moved(message) {
    const before = /** @type {View} */ (this.game.view);
    const found = this.game.takeMove(message);
    if (found === "missing") this.socket.restart();
    if (found !== "taken") return;
    this.draw({ source: parse(message.token)?.from ?? null });
    say(moveText(before, /** @type {View} */ (this.game.view), message.token));
  }

  /** Asks for what is missing of the end, unless it comes by itself. */
  #completeLater() {
    clearTimeout(this.#completing);
    if (this.game.lacking) this.#completing = window.setTimeout(() => this.socket.greet(), MISSING_WITHIN);
  }

  /** @param {{code: string, data?: {state?: string}}} error */
  #refused(error) {
    this.game.forget();
    if (error.code === "closed") this.game.takeClosed(error.data?.state ?? "pending");
    this.draw();
    if (error.code === "stale") return;
    // Refused at the door: knock again later.
    if (error.code === "server_busy" && this.socket.coming) this.socket.restart();
    this.hud.notice(refusalText(error.code));
  }

  #buttons() {
    byId("undo").addEventListener("click", () => this.undo());
    byId("draw").addEventListener("click", () => this.picking.drawCards());
    byId("auto").addEventListener("click", () => this.auto());
    byId("stuck-undo").addEventListener("click", () => this.undo());
    for (const button of document.querySelectorAll("[data-resign]"))
      button.addEventListener("click", () => byId("resign-dialog").showModal());
    for (const button of document.querySelectorAll("[data-opens]"))
      button.addEventListener("click", () => byId(/** @type {HTMLElement} */ (button).dataset.opens ?? "").showModal());
    for (const button of document.querySelectorAll("[data-direction]"))
      button.addEventListener("click", () => this.play(/** @type {HTMLElement} */ (button).dataset.direction ?? "up"));
    byId("resign-dialog").addEventListener("close", () => {
      const dialog = byId("resign-dialog");
      if (dialog.returnValue === "resign") this.socket.send({ type: "resign", n: (this.game.n ?? 0) + 1 });
      dialog.returnValue = "";
    });
    byId("retry").addEventListener("click", () => location.reload());
    for (const form of document.querySelectorAll("form.settings")) bindSettings(/** @type {HTMLFormElement} */ (form));
    addEventListener("pointerdown", () => this.felt.classList.remove("keys"), { capture: true });
  }
}

applySettings();
const felt = document.getElementById("felt");
if (felt) new Table(felt);
