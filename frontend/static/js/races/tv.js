/** Race TV: shows the best live race, and the next one when it is over. */

import { say } from "../shared/announcer.js";
import { byId, write } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { poll } from "../shared/polling.js";
import { momentText } from "../site/local-times.js";
import { Names } from "./names.js";
import { Watch } from "./room/spectators.js";
import { RaceSocket } from "./socket.js";

/** @import { Status } from "../shared/connection.js" */
/** @import { LobbyState } from "./lobby/lobby.js" */
/** @import { Room } from "./types.js" */

const EVERY = 5000;
/** Time that a race stays on the screen when it is over, in ms. */
const STAYS_FOR = 10000;

class Tv {
  /** The room of the best live race. @type {string|null} */ #best = null;
  /** The connection to the room on the screen. @type {RaceSocket|null} */ #socket = null;
  /** @type {Watch|null} */ #watch = null;
  #timer = 0;

  /** @param {HTMLElement} box */
  constructor(box) {
    this.names = new Names(box);
    this.#take(JSON.parse(box.dataset.lobby ?? "{}"));
    poll(box.dataset.address ?? "", EVERY, (lobby) => this.#take(lobby));
  }

  /** @param {LobbyState} lobby */
  #take({ best, heat }) {
    this.#best = best;
    const game = this.names.title({ variant: heat.variant, game: heat.variant, options: {} });
    write(byId("tv-heat"), t("Next heat: {game} at {time}.", { game, time: momentText(heat.starts_at) }));
    if (!this.#socket) this.#next();
  }

  /** Shows the best race, or that none is live. */
  #next() {
    this.#timer = 0;
    this.#socket?.close();
    this.#socket = this.#best ? this.#connect(this.#best) : null;
    byId("off").hidden = this.#socket !== null;
    byId("screen").hidden = this.#socket === null;
    byId("lost").hidden = true;
  }

  /** @param {string} code */
  #connect(code) {
    const socket = new RaceSocket(code, {
      elsewhere: true,
      changed: (room) => this.#show(room),
      lanes: () => this.#watch?.lanes(),
      status: (status) => this.#status(status),
    });
    this.#watch ??= new Watch(socket, this.names);
    this.#watch.socket = socket;
    this.#watch.show();
    write(byId("tv-title"), "");
    byId("tv-room").href = `/races/${code}/`;
    return socket;
  }

  /** @param {Status} status */
  #status(status) {
    byId("lost").hidden = status === "connecting" || status === "open";
    if (status === "refused") this.#end();
  }

  /** @param {Room} room */
  #show({ kind, running, last }) {
    const title = this.names.title(running ?? last ?? { variant: "", game: "", options: {} });
    if (byId("tv-title").textContent !== title) say(t("Now showing: {game}", { game: title }));
    write(byId("tv-title"), title);
    this.#watch?.show();
    if (running?.state !== "racing" || kind === "private") return this.#end();
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  #end() {
    this.#timer ||= window.setTimeout(() => this.#next(), STAYS_FOR);
  }
}

new Tv(byId("tv"));
