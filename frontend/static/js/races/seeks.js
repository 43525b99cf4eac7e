/** List of players waiting for a quick match, in `#seeks`: their games, how long they have waited, and a button. */

import { avatar, button, byId, part } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { poll } from "../shared/polling.js";
import { sendForm } from "../shared/send-form.js";
import { ServerClock } from "../shared/server-clock.js";
import { clockText } from "../shared/times.js";
import { fillList } from "./live-list.js";

/** A seek disappears within five seconds after its page was closed (games.races.attendance.roll_call.LEFT_AFTER). */
const EVERY = 2000;
const TICK = 1000;
/** Size of a picture in a line of text, in px. */
const PICTURE = 18;

/**
 * @typedef {object} Seek
 * @property {string} name empty if the player is not named
 * @property {string} avatar
 * @property {string[]} variants
 * @property {number} since
 */

/** @param {HTMLElement} list */
function follow(list) {
  const { address = "", race = "", titles = "{}" } = list.dataset;
  /** @type {Record<string, string>} */
  const names = JSON.parse(titles);
  const clock = new ServerClock();
  /** @type {Seek[]} */
  let seeks = [];
  const row = (/** @type {Seek} */ { name, avatar: picture, variants, since }) => {
    const who = name || t("a guest");
    const isOpen = variants.length === Object.keys(names).length;
    const games = isOpen ? t("any game") : variants.map((variant) => names[variant] ?? variant).join(", ");
    const waiting = t("waiting for {time}", { time: clockText(Math.max(0, clock.now() - since)) });
    const accept = button(t("Race"), "button small", () =>
      sendForm(
        race,
        variants.map((variant) => ["variant", variant]),
      ),
    );
    accept.setAttribute("aria-label", t("Race {name}", { name: who }));
    accept.dataset.variants = variants.join(" ");
    const pictures = name ? [avatar(picture, PICTURE), " "] : [];
    const facts = part("span", "facts", `${waiting} · ${games}`);
    return { key: `${who} ${since}`, row: part("li", "", part("b", "", ...pictures, who), facts, accept) };
  };
  const draw = () => fillList(list, seeks.map(row));
  const ask = poll(address, EVERY, (state) => {
    clock.heard(state.now);
    seeks = state.seeks;
    draw();
  });
  setInterval(draw, TICK);
  ask();
}

const list = byId("seeks");
if (list) follow(list);
